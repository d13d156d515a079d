# Design 001: every tool is a command; plugins, lazy loading and the dispatcher.

# A manifest with a tool whose program leaves the file `started`.
fetch_data() {
    mkdir tools
    cat >tools/manifest.json <<'JSON'
{"tools":[{"name":"fetch-data","description":"Fetch data from a URL","path":"./fetch-data.sh",
  "args":{"url":{"type":"string","required":true},"format":{"type":"string","default":"json"}}}]}
JSON
    cat >tools/fetch-data.sh <<'SH'
#!/bin/sh
touch started
case $1 in
tool-schema) echo '{"name":"fetch-data","description":"Fetch data from a URL","inputSchema":{"type":"object","properties":{"url":{"type":"string","pattern":"^https?:"},"format":{"type":"string","default":"json"}},"required":["url"]}}' ;;
tool-invoke) cat ;;
esac
SH
    chmod +x tools/fetch-data.sh
}

commands_from_discovery() {
    tool tools my-tool 'description = "Prints its arguments"'
    toolscout --help | has my-tool
    toolscout --help | has 'Prints its arguments'
}
check 001 'discovery runs before the command line is resolved: every tool is a command' commands_from_discovery

commands_run() {
    tool tools my-tool 'input_schema = { type = "object", properties = { count = { type = "integer" } } }'
    equal "$(toolscout my-tool --count 3)" '{"count":3}'
    equal "$(toolscout run my-tool --count 3)" '{"count":3}'
    fails toolscout my-tool --count three
}
check 001 'the command of a tool has typed flags; `run` does the same' commands_run

lazy_help() {
    fetch_data
    toolscout fetch-data --help >out
    has --url <out
    has 'default: json' <out
    toolscout --help >/dev/null
    toolscout tools | has 'fetch-data - Fetch data from a URL'
    toolscout search fetch >/dev/null
    [ ! -e tools/started ]
}
check 001 'help, lists and search read the manifest and start nothing' lazy_help

full_load() {
    fetch_data
    fails toolscout fetch-data --url ftp://x 2>&1 | has url
    toolscout fetch-data --url http://x/ | has '"format":"json"'
    [ -e tools/started ]
}
check 001 'a run loads the full schema, checks the arguments against it, and applies defaults' full_load

dispatcher() {
    tool tools local-one
    server demo.sh "[$(listed fetch-data 'Fetch data')]"
    toolscout server add demo --wait -- sh demo.sh
    equal "$(toolscout run mcp:fetch-data --q x)" called
    equal "$(toolscout run demo:fetch-data --q x)" called
    equal "$(toolscout run fetch-data --q x)" called
    equal "$(toolscout run local:local-one)" '{}'
    fails toolscout run nope 2>&1 | has 'Unknown tool: nope'
    toolscout run --help local-one | has local-one
}
check 001 'one dispatcher runs the tools of every source, by its prefix or by a unique name' dispatcher

list_of_all() {
    tool tools a
    server demo.sh "[$(listed c 'See')]"
    toolscout server add demo --wait -- sh demo.sh
    equal "$(toolscout tools list)" "$(printf 'Available tools:\n  - local:a\n  - demo:c')"
}
check 001 'the list of tools has those of every source' list_of_all

manifest_drift() {
    fetch_data
    toolscout manifest check
    sed -i.bak 's/Fetch data from a URL/Other words/' tools/manifest.json
    fails toolscout manifest check
    toolscout manifest build
    toolscout manifest check
    has 'Fetch data from a URL' <tools/manifest.json
}
check 001 'the manifest is built and checked against the tools' manifest_drift

saved_tools() {
    tool tools a; tool tools b
    toolscout discover --json >found.json
    mv tools gone
    equal "$(names --tools-from found.json)" 'a b '
}
check 001 'discovery can run beforehand, and its result be passed to the program' saved_tools

served_too() {
    tool tools a 'visibility = "listed"'; tool tools b 'visibility = "listed"'
    agent -- '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' >out
    has '"local__a"' <out
    has '"local__b"' <out
}
check 001 'the same tools are MCP tools' served_too
