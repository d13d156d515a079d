"""An agent loop with LangGraph that finds its tools with toolscout.

The prompt contains a short summary of the tools. The model searches for a tool when it needs one, and calls it; no
schema is in the prompt. `ScriptedModel` stands in for a model, so that the example runs without an account.

    TOOLSCOUT_URL=http://127.0.0.1:7420 TOOLSCOUT_TOKEN=… python agent.py "count the words of a text" '{"text": "a b"}'
"""

import json
import operator
import os
import sys
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph

from toolscout_client import Toolscout

class State(TypedDict):
    """The conversation so far."""

    messages: Annotated[list[dict], operator.add]


class ScriptedModel:
    """Searches for the task, calls the best hit with the given arguments, and repeats the result."""

    def __init__(self, arguments: dict):
        self.arguments = arguments

    def __call__(self, messages: list[dict]) -> dict:
        last = messages[-1]
        if last["role"] == "user":
            return use("tool_search", {"query": last["content"]})
        if last.get("tool") == "tool_search":
            hits = last["content"]
            if not hits:
                return {"role": "assistant", "content": "I found no tool for that."}
            return use("execute_tool", {"name": hits[0]["id"], "arguments": self.arguments})
        return {"role": "assistant", "content": text(last["content"])}


def use(tool: str, arguments: dict) -> dict:
    """A message in which the model uses a tool."""
    return {"role": "assistant", "content": "", "use": {"tool": tool, "arguments": arguments}}


def text(result: dict) -> str:
    """The text of a result."""
    return "\n".join(block.get("text", "") for block in result["content"])


def agent(tools: Toolscout, model) -> object:
    """The graph: the model, then the tools as long as it uses one."""

    def ask_model(state: State) -> State:
        return {"messages": [model(state["messages"])]}

    def run_tool(state: State) -> State:
        request = state["messages"][-1]["use"]
        arguments = request["arguments"]
        print(f"{request['tool']} {json.dumps(arguments)}", flush=True)
        if request["tool"] == "tool_search":
            result = tools.search(arguments["query"])
        else:
            result = tools.call(arguments["name"], arguments["arguments"])
        return {"messages": [{"role": "tool", "tool": request["tool"], "content": result}]}

    def next_step(state: State) -> str:
        return "tools" if state["messages"][-1].get("use") else END

    graph = StateGraph(State)
    graph.add_node("model", ask_model)
    graph.add_node("tools", run_tool)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", next_step, ["tools", END])
    graph.add_edge("tools", "model")
    return graph.compile()


def main() -> None:
    url, token = os.environ.get("TOOLSCOUT_URL"), os.environ.get("TOOLSCOUT_TOKEN")
    if not url or not token or len(sys.argv) != 3:
        sys.exit("usage: TOOLSCOUT_URL=URL TOOLSCOUT_TOKEN=TOKEN python agent.py TASK ARGUMENTS")
    tools = Toolscout(url, token)
    system = f"You are Orion.\n\n## Available Tools\n{tools.context()}"
    messages = [{"role": "system", "content": system}, {"role": "user", "content": sys.argv[1]}]
    print(system)
    graph = agent(tools, ScriptedModel(json.loads(sys.argv[2])))
    print(graph.invoke({"messages": messages})["messages"][-1]["content"])


if __name__ == "__main__":
    main()
