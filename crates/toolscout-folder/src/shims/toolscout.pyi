"""Types of the module `toolscout`, which exists while toolscout runs a tool. Written by `toolscout manifest types`."""

from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeVar, overload

Function = TypeVar("Function", bound=Callable[..., Any])

@overload
def tool(function: Function) -> Function: ...
@overload
def tool(
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    keywords: Iterable[str] = (),
    annotations: dict[str, Any] | None = None,
    timeout: str | None = None,
) -> Callable[[Function], Function]: ...

class Log:
    """Log messages: to stderr, and to the MCP client. `args` are formatted with `%`, `fields` are attached as data."""

    def trace(self, text: object, *args: object, **fields: Any) -> None: ...
    def debug(self, text: object, *args: object, **fields: Any) -> None: ...
    def info(self, text: object, *args: object, **fields: Any) -> None: ...
    def warn(self, text: object, *args: object, **fields: Any) -> None: ...
    def error(self, text: object, *args: object, **fields: Any) -> None: ...
    def fatal(self, text: object, *args: object, **fields: Any) -> None: ...
    warning = warn
    critical = fatal

class Aborted(Exception):
    """The call was cancelled, or its time is up."""

class AbortSignal:
    """Set when the call is cancelled or times out, half a second before the process is killed."""

    @property
    def aborted(self) -> bool: ...
    def is_set(self) -> bool: ...
    def wait(self, timeout: float | None = None) -> bool: ...
    def throw_if_aborted(self) -> None: ...
    def add_listener(self, listener: Callable[[], object]) -> None: ...

class Meta(dict[str, Any]):
    @property
    def request_id(self) -> str: ...

class Context(dict[str, Any]):
    """The parameter `context` of a tool. Values are also available by key: `context["tool"]`."""

    source: str
    tool: str
    caller: Literal["cli", "mcp", "http"]
    project: str | None
    user: str
    meta: Meta
    extensions: dict[str, Any]
    log: Log
    @property
    def signal(self) -> AbortSignal: ...
