"""A server on the official SDK for Python. `words.py [stdio|sse|streamable-http]`; on the web, at a port of its own."""

import sys

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

server = MCPServer("words")
count = 0


class Word(BaseModel):
    text: str
    length: int


@server.tool()
def shout(text: str) -> str:
    """Says it louder."""
    return text.upper()


@server.tool()
def measure(text: str) -> Word:
    """Says how long it is."""
    return Word(text=text, length=len(text))


@server.tool()
def again() -> int:
    """Counts how often it was called since the server was started."""
    global count
    count += 1
    return count


@server.tool()
async def spell(text: str, ctx: Context) -> str:
    """Says each letter, and how far it is."""
    for place, letter in enumerate(text, start=1):
        await ctx.report_progress(place, len(text), letter)
    return " ".join(text)


@server.tool()
def refuse() -> str:
    """Says no, and why."""
    raise ToolError("not today ☂")


@server.tool()
def break_down() -> str:
    """Fails in a way that nobody has thought of."""
    raise RuntimeError("a detail for nobody")


transport = sys.argv[1] if len(sys.argv) > 1 else "stdio"
server.run(transport, **({} if transport == "stdio" else {"port": 0}))
