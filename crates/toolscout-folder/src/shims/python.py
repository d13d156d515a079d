"""Loads one Python file and lists its tools or calls one of them. Started by toolscout.

The request comes on stdin as one JSON object; the answer is the one line on stdout that starts with its nonce.
"""

import sys

# The working directory comes first, and is the folder of the tool: a `json.py` there may be untrusted.
sys.path[:] = [it for it in sys.path if it]

import asyncio
import collections.abc
import dataclasses
import enum
import importlib.util
import inspect
import json
import os
import pathlib
import re
import signal
import threading
import traceback
import types
import typing

MODULE = "toolscout_module"
HANDLERS = ("handler", "fn", "func", "execute", "run")
SCHEMAS = ("input_schema", "inputSchema", "parameters")
MODULE_SCHEMAS = ("schema", "SCHEMA", "input_schema", "INPUT_SCHEMA")


class Log:
    """Log messages of a call: `context.log.info("fetched %d rows", 3, table="users")`."""

    def __init__(self, nonce):
        self._nonce = nonce

    def _write(self, level, text, args, fields):
        entry = {"level": level, "message": str(text) % args if args else str(text), "data": fields}
        line = f"{self._nonce}log {json.dumps(entry, default=plain)}\n"
        sys.stdout.flush()
        sys.__stderr__.write(line)
        sys.__stderr__.flush()

    def trace(self, text, *args, **fields):
        self._write("trace", text, args, fields)

    def debug(self, text, *args, **fields):
        self._write("debug", text, args, fields)

    def info(self, text, *args, **fields):
        self._write("info", text, args, fields)

    def warn(self, text, *args, **fields):
        self._write("warn", text, args, fields)

    def error(self, text, *args, **fields):
        self._write("error", text, args, fields)

    def fatal(self, text, *args, **fields):
        self._write("fatal", text, args, fields)

    warning, critical = warn, fatal


class Aborted(Exception):
    """The call was cancelled, or its time is up."""


class AbortSignal:
    """Set when the call is cancelled or its time is up: half a second before the process is killed."""

    def __init__(self):
        self._event, self._listeners = threading.Event(), []

    @property
    def aborted(self):
        return self._event.is_set()

    def is_set(self):
        return self._event.is_set()

    def wait(self, timeout=None):
        return self._event.wait(timeout)

    def throw_if_aborted(self):
        if self.aborted:
            raise Aborted("the call was cancelled or its time is up")

    def add_listener(self, listener):
        self._listeners.append(listener)

    def _abort(self):
        self._event.set()
        for listener in self._listeners:
            listener()


class Meta(dict):
    """Facts about the request: `requestId`."""

    request_id = property(lambda self: self.get("requestId"))


class Context(dict):
    """What a tool is told about a call: `source`, `tool`, `caller`, `project`, `meta`, `extensions`, and `user` where
    there is one, by key or attribute; and the attributes `log` and `signal`."""

    def __init__(self, request):
        extras = {"meta": Meta(request.get("meta") or {}), "extensions": request.get("extensions") or {}}
        super().__init__({**request["context"], **extras})
        self.log, self._signal, self._uses_signal = Log(request["nonce"]), AbortSignal(), False

    def __getattr__(self, name):
        if name.startswith("_") or name not in self:
            raise AttributeError(f"the context has no `{name}`")
        return self[name]

    @property
    def signal(self):
        self._uses_signal = True
        return self._signal

    def watch_termination(self):
        """Aborts on SIGTERM. A thread waits for it, because a handler could interrupt the code that holds a lock."""
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, lambda *_: None)

        def watch():
            while os.read(reader, 1) != bytes([signal.SIGTERM]):
                pass
            if not self._uses_signal:
                os._exit(143)
            self._signal._abort()

        threading.Thread(target=watch, daemon=True).start()


class NotATool(Exception):
    """Why an entry that is meant as a tool is none."""


# ---- What authors import: `from toolscout import tool` --------------------------------------------------------------

declared = []


def tool(function=None, *, name=None, title=None, description=None, keywords=(), annotations=None, timeout=None):
    """Makes a function a tool: `@tool` or `@tool(name=…, description=…, keywords=[…])`."""

    def mark(function):
        said = dict(name=name, title=title, description=description, keywords=list(keywords), annotations=annotations, timeout=timeout_of(timeout))
        declared.append((function, said))
        return function

    return mark if function is None else mark(function)


def offer_our_module():
    module = types.ModuleType("toolscout")
    module.tool, module.Context, module.Aborted = tool, Context, Aborted
    sys.modules["toolscout"] = module


# ---- Types to JSON Schema -------------------------------------------------------------------------------------------

PLAIN = {
    str: {"type": "string"}, int: {"type": "integer"}, float: {"type": "number"}, bool: {"type": "boolean"},
    type(None): {"type": "null"}, bytes: {"type": "string"}, pathlib.Path: {"type": "string"},
}
LISTS = (list, tuple, set, frozenset, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Set)
MAPS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
UNIONS = (typing.Union, getattr(types, "UnionType", typing.Union))
WRAPPERS = tuple(it for it in (getattr(typing, name, None) for name in ("Required", "NotRequired", "ReadOnly")) if it)


def is_json(value):
    try:
        json.dumps(value)
        return True
    except (TypeError, ValueError):
        return False


def values_schema(values):
    kinds = {type(value) for value in values}
    plain = PLAIN.get(kinds.pop()) if len(kinds) == 1 else None
    return {**(plain or {}), "enum": values}


def schema_of(kind):
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        said = next((it for it in args[1:] if isinstance(it, str)), None)
        said = said or next((it.description for it in args[1:] if isinstance(getattr(it, "description", None), str)), None)
        return {**schema_of(args[0]), **({"description": said} if said else {})}
    if origin in WRAPPERS:
        return schema_of(args[0])
    if origin is typing.Literal:
        return values_schema(list(args))
    if origin in UNIONS:
        # `None` says that the argument may be left out, which `required` says already.
        rest = [it for it in args if it is not type(None)]
        return schema_of(rest[0]) if len(rest) == 1 else {"anyOf": [schema_of(it) for it in rest]}
    if kind in PLAIN:
        return dict(PLAIN[kind])
    if origin in LISTS or kind in LISTS:
        return {"type": "array", **items_schema(origin or kind, args)}
    if origin in MAPS or kind in MAPS:
        inner = schema_of(args[1]) if len(args) == 2 else {}
        return {"type": "object", **({"additionalProperties": inner} if inner else {})}
    return class_schema(kind) if isinstance(kind, type) else {}


def items_schema(kind, args):
    if kind is tuple and args and args[-1] is not Ellipsis:
        return {"prefixItems": [schema_of(it) for it in args], "minItems": len(args), "maxItems": len(args)}
    inner = schema_of(args[0]) if args else {}
    return {"items": inner} if inner else {}


def class_schema(kind):
    if issubclass(kind, enum.Enum):
        return values_schema([it.value for it in kind])
    if hasattr(kind, "model_json_schema"):
        return kind.model_json_schema()
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind, include_extras=True)
        fields = [it for it in dataclasses.fields(kind) if it.init]
        missing = dataclasses.MISSING
        needed = [it.name for it in fields if it.default is missing and it.default_factory is missing]
        return object_schema({it.name: schema_of(hints.get(it.name, typing.Any)) for it in fields}, needed)
    if typing.is_typeddict(kind) if hasattr(typing, "is_typeddict") else hasattr(kind, "__required_keys__"):
        hints = typing.get_type_hints(kind, include_extras=True)
        needed = [name for name in hints if name in kind.__required_keys__]
        return object_schema({name: schema_of(it) for name, it in hints.items()}, needed)
    return {"type": "string"} if issubclass(kind, (str, os.PathLike)) else {}


def object_schema(properties, required):
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


# ---- Functions to tools ---------------------------------------------------------------------------------------------


def hints_of(function):
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception:
        return dict(getattr(function, "__annotations__", {}))


def is_context(parameter, hints):
    hint = hints.get(parameter.name)
    return hint is Context or (hint is None and parameter.name in ("context", "ctx"))


def parameters_of(function):
    """The parameters that are arguments of the tool, each with its type."""
    hints = hints_of(function)
    found = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or is_context(parameter, hints):
            continue
        default = parameter.default
        guessed = type(default) if default is not parameter.empty and default is not None else typing.Any
        found.append((parameter, hints.get(parameter.name, guessed)))
    return found


def signature_schema(function):
    said = documented(function)[1]
    properties, required = {}, []
    for parameter, kind in parameters_of(function):
        schema = schema_of(kind)
        if parameter.name in said and "description" not in schema:
            schema["description"] = said[parameter.name]
        default = parameter.default.value if isinstance(parameter.default, enum.Enum) else parameter.default
        if default is parameter.empty:
            required.append(parameter.name)
        elif default is not None and is_json(default):
            schema["default"] = default
        properties[parameter.name] = schema
    return object_schema(properties, required)


ARGUMENT = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
SECTION = re.compile(r"^(\w[\w ]*):\s*$")


def documented(function):
    """The first paragraph of the docstring, and what it says about each parameter (Google style, or `:param x:`)."""
    text = inspect.getdoc(function) or ""
    first = " ".join(text.strip().split("\n\n")[0].split())
    if SECTION.match(first.split("\n")[0]) or first.startswith(":"):
        first = ""
    said = {name: " ".join(words.split()) for name, words in re.findall(r":param (?:\w+ )?(\w+):((?:.|\n[ \t]+)*)", text)}
    inside, indent, last = False, 0, None
    for line in text.splitlines():
        section = SECTION.match(line)
        if section:
            inside, last = section.group(1).lower() in ("args", "arguments", "parameters"), None
        elif inside and line.strip():
            depth = len(line) - len(line.lstrip())
            found = ARGUMENT.match(line.strip())
            if found and (last is None or depth <= indent):
                indent, last = depth, found.group(1)
                said[last] = found.group(2).strip()
            elif last:
                said[last] = f"{said[last]} {line.strip()}".strip()
    return first or None, said


WHOLE_INPUT = ("input", "args", "arguments", "params", "options", "data")


def takes_whole_input(function):
    """Whether the only parameter is the input object itself: `def execute(input)`."""
    parameters = parameters_of(function)
    if len(parameters) != 1:
        return False
    parameter, kind = parameters[0]
    is_object = kind in (typing.Any, dict) or typing.get_origin(kind) in MAPS
    return parameter.name in WHOLE_INPUT and parameter.default is parameter.empty and is_object


def is_table(schema):
    """An argument table: `{"url": {"type": "string", "required": True}}`."""
    if not isinstance(schema, dict) or isinstance(schema.get("type"), str) or "properties" in schema or not schema:
        return False
    return all(isinstance(it, dict) and isinstance(it.get("type"), str) for it in schema.values())


def from_table(table):
    properties = {name: {key: it for key, it in said.items() if key != "required"} for name, said in table.items()}
    return object_schema(properties, [name for name, said in table.items() if said.get("required") is True])


def tool_of_function(function, said):
    if not callable(function):
        raise NotATool(f"an entry is {type(function).__name__}, not a function")
    described = {**said, "name": said.get("name") or function.__name__}
    described["description"] = said.get("description") or documented(function)[0]
    if takes_whole_input(function):
        described["inputSchema"] = {"type": "object"}
        return {"described": described, "call": lambda given, context: call_freely(function, {}, given, context), "bare": True}
    described["inputSchema"] = signature_schema(function)
    return {"described": described, "call": lambda given, context: call_by_name(function, given, context)}


def tool_of_fields(value, label):
    """A tool from a dict or an object with `name`, `handler` and `input_schema`."""
    read = value.get if isinstance(value, dict) else lambda key: getattr(value, key, None)
    name = read("name")
    handler = next((it for it in (read(key) for key in HANDLERS) if it is not None), None)
    schema = next((it for it in (read(key) for key in SCHEMAS) if it is not None), None)
    if name is None:
        raise NotATool(f"{label} has no `name`")
    if handler is None:
        raise NotATool(f"{label} (`{name}`) has no `handler`")
    if not callable(handler):
        raise NotATool(f"{label} (`{name}`): `handler` is not a function")
    if schema is None:
        raise NotATool(f"{label} (`{name}`) has no `input_schema`")
    schema = schema.model_json_schema() if hasattr(schema, "model_json_schema") else schema
    schema = from_table(schema) if is_table(schema) else schema
    described = {key: read(key) for key in ("title", "description", "keywords", "annotations")}
    described = {"name": name, **described, "inputSchema": schema, "outputSchema": read("output_schema") or read("outputSchema")}
    described["description"] = described["description"] or documented(handler)[0]
    described["timeout"] = timeout_of(read("timeout"))
    return {"described": described, "call": lambda given, context: call_freely(handler, schema, given, context)}


def timeout_of(value):
    """`timeout = "2m"`. A number is a setting of the module's own."""
    return value if isinstance(value, str) and re.fullmatch(r"\d+\s*(ms|s|m)", value) else None


def looks_meant(value):
    if isinstance(value, type) or inspect.ismodule(value) or inspect.isroutine(value):
        return False
    read = value.get if isinstance(value, dict) else lambda key: getattr(value, key, None)
    try:
        pieces = (read("name"), any(callable(read(key)) for key in HANDLERS), any(read(key) is not None for key in SCHEMAS))
    except Exception:
        return False
    return sum(bool(it) for it in pieces) >= 2


def header_name(file):
    """The name that a leading comment gives the tool: `# tool: fetch-data`."""
    with open(file, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                return None
            found = re.match(r"#+\s*(?:@)?tool:\s*(\S+)\s*$", line)
            if found:
                return found.group(1)
    return None


def candidates(module, file, described):
    """Everything in the module that is meant as a tool, in order, as something that gives the tool or says why not."""
    own = [(function, said) for function, said in declared if function.__module__ == module.__name__]
    for function, said in own:
        yield lambda: tool_of_function(function, said)
    taken = [function for function, _ in own]
    listed = getattr(module, "TOOLS", None)
    for at, entry in enumerate(listed if isinstance(listed, (list, tuple)) else []):
        if any(entry is it for it in taken):
            continue
        taken.append(entry)
        if isinstance(entry, dict) or looks_meant(entry):
            yield lambda: tool_of_fields(entry, f"`TOOLS[{at}]`")
        else:
            yield lambda: tool_of_function(entry, {})
    for name, value in vars(module).items():
        if not name.startswith("_") and looks_meant(value) and not any(value is it for it in taken):
            taken.append(value)
            yield lambda: tool_of_fields(value, f"`{name}`")
    if not taken:
        yield from whole_module(module, file, described)


def whole_module(module, file, described):
    """The module as one tool: `schema` and `execute`, or a function named like the tool or the file."""
    name = getattr(module, "name", None)
    name = name if isinstance(name, str) else described.get("name")
    stem = os.path.splitext(os.path.basename(file))[0]
    plain = [re.sub(r"\W", "_", it) for it in (name, stem) if it]
    keys = [*plain, "execute", "run", "handler", *(["main"] if header_name(file) else [])]
    function = next((it for it in (getattr(module, key, None) for key in keys) if inspect.isroutine(it)), None)
    if function is None:
        if header_name(file):
            raise NotATool(f"has a header for `{name}`, but no function `{plain[0]}`, `run` or `main`")
        return
    texts = {key: getattr(module, key, None) for key in ("title", "description")}
    said = {"name": name or stem, **{key: it for key, it in texts.items() if isinstance(it, str)}}
    said["description"] = said.get("description") or documented(function)[0] or described.get("description")
    said["keywords"] = getattr(module, "keywords", None) or described.get("keywords")
    said["annotations"] = getattr(module, "annotations", None)
    said["timeout"] = timeout_of(getattr(module, "timeout", None))
    schema = next((it for it in (getattr(module, key, None) for key in MODULE_SCHEMAS) if it is not None), None)
    if schema is None:
        yield lambda: tool_of_function(function, said)
    else:
        yield lambda: tool_of_fields({**said, "handler": function, "input_schema": schema}, f"`{stem}`")


def tools_of(module, file, described):
    entries = []
    for give in candidates(module, file, described):
        try:
            entries.append({"tool": give()})
        except NotATool as problem:
            entries.append({"problem": str(problem)})
    return entries


# ---- Calling --------------------------------------------------------------------------------------------------------


def at(path):
    return f"`{path}`" if path else "the input"


def fits(kind, value):
    if isinstance(value, bool):
        return kind == "boolean"
    kinds = {
        "string": str, "number": (int, float), "integer": int, "boolean": bool, "null": type(None),
        "array": list, "object": dict,
    }
    return isinstance(value, kinds.get(kind, object)) or (kind == "integer" and isinstance(value, float) and value.is_integer())


def problems_of(schema, value, path=""):
    """The few rules every schema is written with; surfaces have checked the rest."""
    if not isinstance(schema, dict):
        return []
    kinds = schema.get("type") or []
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(fits(kind, value) for kind in kinds):
        return [f"{at(path)} must be of type {' or '.join(kinds)}"]
    if isinstance(schema.get("enum"), list) and value not in schema["enum"]:
        return [f"{at(path)} must be one of {', '.join(json.dumps(it) for it in schema['enum'])}"]
    inner = f"{path}." if path else ""
    if isinstance(value, list):
        return [it for index, item in enumerate(value) for it in problems_of(schema.get("items"), item, f"{inner}{index}")]
    if not isinstance(value, dict):
        return []
    required, properties = schema.get("required") or [], schema.get("properties") or {}
    found = [f"{at(inner + name)} is required" for name in required if name not in value]
    for name, item in value.items():
        # `null` for what may be left out means that it is.
        if name in properties and not (item is None and name not in required):
            found += problems_of(properties[name], item, inner + name)
    return found


def convert(kind, value):
    """Makes of plain JSON what the parameter's type asks for."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if value is None:
        return None
    if origin is typing.Annotated or origin in WRAPPERS:
        return convert(args[0], value)
    if origin in UNIONS:
        rest = [it for it in args if it is not type(None)]
        return convert(rest[0], value) if len(rest) == 1 else value
    if (origin or kind) in (list, tuple, set, frozenset) and isinstance(value, list):
        inner = args[0] if args else typing.Any
        return (origin or kind)(convert(inner, it) for it in value)
    if origin is dict and len(args) == 2 and isinstance(value, dict):
        return {key: convert(args[1], it) for key, it in value.items()}
    if not isinstance(kind, type):
        return value
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        hints = typing.get_type_hints(kind, include_extras=True)
        return kind(**{name: convert(hints.get(name, typing.Any), it) for name, it in value.items()})
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind is bytes and isinstance(value, str):
        return value.encode()
    return kind(value) if issubclass(kind, (enum.Enum, os.PathLike)) else value


def call_by_name(function, given, context):
    hints, kinds = hints_of(function), {it.name: kind for it, kind in parameters_of(function)}
    rest, positional, named = dict(given), [], {}
    for parameter in inspect.signature(function).parameters.values():
        name = parameter.name
        if parameter.kind == parameter.VAR_KEYWORD:
            named.update(rest)
        elif is_context(parameter, hints) and name not in kinds:
            named[name] = context
        elif name in rest:
            value = rest.pop(name)
            if value is None and parameter.default is not parameter.empty:
                continue
            value = convert(kinds.get(name, typing.Any), value)
            if parameter.kind == parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                named[name] = value
    return function(*positional, **named)


def call_freely(handler, schema, given, context):
    """By name where the handler's parameters are the schema's properties, else with the whole input and the context."""
    try:
        parameters = list(inspect.signature(handler).parameters.values())
    except (TypeError, ValueError):
        return handler(given)
    properties = schema.get("properties") or {}
    plain = [it for it in parameters if it.kind != it.VAR_KEYWORD and not is_context(it, hints_of(handler))]
    if all(it.name in properties for it in plain):
        return call_by_name(handler, given, context)
    places = [it for it in parameters if it.kind in (it.POSITIONAL_ONLY, it.POSITIONAL_OR_KEYWORD)]
    return handler(given, context) if len(places) > 1 else handler(given)


def text_block(text):
    return {"content": [{"type": "text", "text": text}]}


def failure(text):
    return {**text_block(text), "isError": True}


def plain(value):
    """What `json` cannot write by itself."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def result_of(value):
    if value is None:
        return text_block("")
    if isinstance(value, (str, bytes)):
        return text_block(value if isinstance(value, str) else plain(value))
    if isinstance(value, dict):
        content = value.get("content")
        if isinstance(content, list) or (content is None and ("structuredContent" in value or isinstance(value.get("isError"), bool))):
            return value
    text = json.dumps(value, default=plain, ensure_ascii=False)
    parsed = json.loads(text)
    if isinstance(parsed, (dict, list)):
        return {**text_block(text), "structuredContent": parsed}
    return text_block(parsed if isinstance(parsed, str) else text)


async def awaited(value):
    return await value


def reason(error):
    if isinstance(error, SystemExit):
        return f"it exited with code {error.code}"
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return said


def call(entries, request):
    tools = [it["tool"] for it in entries if "tool" in it]
    found = next((it for it in tools if it["described"]["name"] == request["tool"]), None)
    if found is None:
        return {"missing": [str(it["described"]["name"]) for it in tools]}
    problems = problems_of(found["described"]["inputSchema"], request["input"])
    if problems:
        return {"result": failure(f"`{request['tool']}` cannot take these arguments: {'; '.join(problems)}")}
    try:
        context = Context(request)
        context.watch_termination()
        value = found["call"](request["input"], context)
        return {"result": result_of(asyncio.run(awaited(value)) if inspect.isawaitable(value) else value)}
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        return {"result": failure(reason(error))}


def listed(entries):
    kept = []
    for entry in entries:
        if "problem" in entry:
            kept.append(entry)
            continue
        found = {key: it for key, it in entry["tool"]["described"].items() if it}
        if is_json(found):
            kept.append({"function" if entry["tool"].get("bare") else "tool": found})
        else:
            kept.append({"problem": f"`{found['name']}`: its description cannot be written as JSON"})
    return {"tools": kept}


def load(file):
    """Loads the file under a name of our own, so that a `json.py` is not taken for the library's. Its folder comes
    last on the path for the same reason: what lies beside it can be imported, and hides nothing of the library."""
    sys.path.append(os.path.dirname(file))
    spec = importlib.util.spec_from_file_location(MODULE, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[MODULE] = module
    spec.loader.exec_module(module)
    return module


def where(error, file):
    if isinstance(error, SyntaxError) and error.filename == file:
        return f" (line {error.lineno})"
    lines = [it.lineno for it in traceback.extract_tb(error.__traceback__) if it.filename == file]
    return f" (line {lines[-1]})" if lines else ""


def main():
    request = json.loads(sys.stdin.buffer.read())
    # What the module prints, and what its children print, is for people; only our answer goes where stdout was.
    ours = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogatepass", newline="\n")
    os.dup2(2, 1)
    offer_our_module()
    try:
        entries = tools_of(load(request["file"]), request["file"], request.get("described") or {})
        reply = listed(entries) if request["op"] == "list" else call(entries, request)
    except (Exception, SystemExit) as error:
        reply = {"error": reason(error) + where(error, request["file"])}
    ours.write("\n" + request["nonce"] + json.dumps(reply) + "\n")
    ours.flush()
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads the module left running must not keep us.
    os._exit(0)


main()
