"""A client of the HTTP API of toolscout, with the standard library only."""

import json
import urllib.error
import urllib.parse
import urllib.request


class Toolscout:
    """The tools of a running `toolscout serve --http`."""

    def __init__(self, url: str, token: str):
        self.url, self.token = url, token

    def context(self) -> str:
        """A summary of the tools for a system prompt, of at most 500 tokens."""
        return self._request("GET", "/api/context")["summary"]

    def search(self, query: str, limit: int = 3) -> list[dict]:
        """Tools that fit a query, the best first, with their schemas."""
        query = urllib.parse.urlencode({"q": query, "limit": limit})
        return self._request("GET", f"/api/search?{query}")["results"]

    def call(self, tool: str, arguments: dict) -> dict:
        """The result of a tool: `content`, and perhaps `structuredContent` and `isError`.

        A refused call is a failed result with the reason, so that the model can react to it.
        """
        try:
            return self._request("POST", "/api/call", {"name": tool, "arguments": arguments})["result"]
        except urllib.error.HTTPError as error:
            answer = json.load(error)
            text = "\n".join(filter(None, [answer["error"], answer.get("hint")]))
            return {"content": [{"type": "text", "text": text}], "isError": True}

    def _request(self, method: str, path: str, body: dict | None = None) -> dict:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.load(response)
