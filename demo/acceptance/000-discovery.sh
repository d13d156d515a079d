# Design 000: tools are discovered in folders.

default_patterns() {
    tool tools a; tool tools/x/y b; tool src/tools c; tool lib d
    cp tools/a.tool.toml tools/a.test.toml; cp tools/a.tool.toml tools/_a.tool.toml
    equal "$(names)" 'c a b '
    cd tools/x/y
    equal "$(names)" 'c a b '
}
check 000 'tools in tools/ and src/tools/ of the project are found, and tests and _files are not' default_patterns

no_project() {
    rm package.json
    equal "$(toolscout tools --json)" '[]'
}
check 000 'a folder outside of any project has no tools, and that is no error' no_project

explicit_only() {
    tool tools a; tool extra e
    equal "$(names --tool extra/e.tool.toml --no-discovery)" 'e '
    equal "$(names --tool extra/e.tool.toml)" 'e a '
}
check 000 'explicit tools work without discovery, and come before discovered ones' explicit_only

custom_patterns() {
    tool tools a; tool commands b
    equal "$(names --pattern 'commands/**/*.tool.toml')" 'b '
}
check 000 'own patterns replace the default ones' custom_patterns

several_roots() {
    tool tools own; tool shared/tools s; tool plugins/tools p
    equal "$(names --root plugins --root shared)" 'p s '
    echo 'roots = ["default", "shared", "plugins"]' >toolscout.toml
    equal "$(names)" 'own s p '
}
check 000 'roots are chained in their order, with the default root among them' several_roots

custom_discovery() {
    mkdir d1 d2
    for name in z y; do printf '#!/bin/sh\ncat\n' >"d1/$name.sh"; chmod +x "d1/$name.sh"; done
    echo '{"tools":[{"name":"z","path":"./z.sh","args":{}},{"name":"y","path":"./y.sh","args":{}}]}' >d1/manifest.json
    tool d2 x
    echo 'tool_directories = ["d2", "d1"]' >toolscout.toml
    equal "$(names)" 'x z y '
}
check 000 'the configuration names folders, and manifests name tools' custom_discovery

module_exports() {
    needs node
    mkdir tools
    cat >tools/two.mjs <<'JS'
const inputSchema = { type: "object", properties: { n: { type: "number" } } }
export const second = { name: "second", description: "2", inputSchema, handler: ({ n }) => String(n * 2) }
export const helper = () => 1
export const almost = { name: "almost", inputSchema }
export default { name: "first", description: "1", inputSchema, handler: () => "one" }
JS
    toolscout discover >/dev/null
    equal "$(names)" 'first second '
    equal "$(toolscout second --n 21)" 42
}
check 000 'the default export of a module comes first, then named ones; other exports are no tools' module_exports

broken_files() {
    tool tools a; tool tools c
    echo 'name = ' >tools/b.tool.toml
    toolscout tools >out 2>err
    equal "$(cat out)" "$(printf '  a - (no description)\n  c - (no description)')"
    has tools/b.tool.toml <err
    fails toolscout --strict tools >out 2>err
    has tools/b.tool.toml <err
    equal "$(cat out)" ''
}
check 000 'a broken file is a warning with its path; --strict stops at it' broken_files

streaming() {
    tool tools a; tool tools b
    toolscout tools stream >out
    head -n 1 out | has a
}
check 000 'tools are streamed while discovery goes on' streaming

caching() {
    tool tools a
    toolscout tools >/dev/null
    toolscout --verbose --log-format json tools 2>&1 >/dev/null | grep '"discovery.scan"' >scan
    has '"hits":1' <scan
    has '"misses":0' <scan
}
check 000 'unchanged files are read from the cache' caching

hot_reload() {
    tool tools a
    mkfifo in out
    "$program" serve <in >out 2>/dev/null &
    exec 5>in 6<out
    echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' >&5
    IFS= read -r line <&6
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&5
    echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' >&5
    IFS= read -r line <&6
    tool tools b 'visibility = "listed"'
    until case $line in *list_changed*) true ;; *) false ;; esac; do IFS= read -r -t 20 line <&6; done
    echo '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' >&5
    until case $line in *'"id":2'*) true ;; *) false ;; esac; do IFS= read -r -t 20 line <&6; done
    exec 5>&-
    echo "$line" | has local__b
}
check 000 'a running server sees a new file without a restart' hot_reload

same_name() {
    tool r1/tools dup 'description = "one"'; tool r2/tools dup 'description = "two"'
    toolscout --root r1 --root r2 tools >out 2>err
    equal "$(cat out)" '  dup - two'
    has r1/tools/dup.tool.toml <err
    has r2/tools/dup.tool.toml <err
    equal "$(toolscout --root r1 --root r2 --on-conflict skip tools 2>/dev/null)" '  dup - one'
    fails toolscout --root r1 --root r2 --on-conflict error tools 2>&1 | has "Tool 'dup' is already registered"
}
check 000 'of two tools with one name the later wins, with a warning; skip and error are options' same_name
