"""Uses toolscout through the official SDK for Python, or through FastMCP, as a program of somebody else would.

usage: python_client.py mcp|fastmcp auto|legacy COMMAND...      prints what it saw as JSON
"""

import asyncio
import json
import sys


def target(kind, era, words):
    if kind == "fastmcp":
        from fastmcp import Client
        from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

        is_web = words[0].startswith("http")
        way = StreamableHttpTransport(words[0]) if is_web else StdioTransport(words[0], words[1:])
        return Client(way, mode=era)
    from mcp import Client, StdioServerParameters

    is_web = words[0].startswith("http")
    return Client(words[0] if is_web else StdioServerParameters(command=words[0], args=words[1:]), mode=era)


def text(result):
    return "".join(it.text for it in result.content if it.type == "text")


async def cancelled(client):
    """Gives up a call that would take half a minute."""
    arguments = {"name": "honest/sleep", "arguments": {"seconds": 30}}
    call = asyncio.create_task(client.call_tool("execute_tool", arguments))
    await asyncio.sleep(1)
    call.cancel()
    try:
        await call
    except asyncio.CancelledError:
        return True
    return False


async def main(kind, era, words):
    async with target(kind, era, words) as client:
        listed = await client.list_tools()
        tools = sorted(it.name for it in getattr(listed, "tools", listed))
        found = await client.call_tool("tool_search", {"query": "add two numbers"})
        ran = await client.call_tool("execute_tool", {"name": "honest/add", "arguments": {"a": 2, "b": 3}})
        gave_up = await cancelled(client)
        # It lives on.
        again = await client.call_tool("execute_tool", {"name": "honest/echo", "arguments": {"text": "still here ☂"}})
        print(json.dumps({"tools": tools, "found": text(found), "ran": text(ran), "gave_up": gave_up, "again": text(again)}))


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
