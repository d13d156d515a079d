# Design 003: the tools of servers are discovered once, cached, and shown without starting anything.

discovered_on_add() {
    server demo.sh "[$(listed read 'Read a file'),{\"name\":\"bare\",\"inputSchema\":{\"type\":\"object\"}}]"
    toolscout server add demo --wait -- sh demo.sh
    toolscout server show demo --json >out
    has '"discoveryStatus": "success"' <out
    has '"lastDiscovery": "20' <out
    toolscout tools | has 'read - Read a file'
}
check 003 'adding a server discovers its tools at once' discovered_on_add

cleanup() {
    server demo.sh "[$(listed read 'Read a file')]"
    toolscout server add demo --wait -- sh demo.sh
    fails kill -0 "$(cat demo.sh.starts)"
}
check 003 'the process that was started for the discovery is gone afterwards' cleanup

failed_on_add() {
    fails toolscout server add demo --wait -- sh missing.sh >out 2>&1
    has 'Tool discovery failed' <out
    toolscout server show demo --json >out
    has '"discoveryStatus": "failed"' <out
    has '"discoveryError": "' <out
    has '"lastDiscovery": "20' <out
}
check 003 'a discovery that fails is reported, and stored with its error and time' failed_on_add

own_timeout() {
    echo 'sleep 60' >slow.sh
    printf '[servers.slow]\ncommand = "sh"\nargs = ["slow.sh"]\ndiscovery_timeout_ms = 300\n' >toolscout.toml
    fails toolscout server refresh slow 2>&1 | has 'timeout'
}
check 003 'every server may have its own discovery timeout' own_timeout

reading_starts_nothing() {
    server demo.sh "[$(listed read 'Read a file')]"
    toolscout server add demo --wait -- sh demo.sh
    toolscout tools >/dev/null; toolscout search read >/dev/null; toolscout describe demo/read >/dev/null
    toolscout server list >/dev/null; toolscout policy >/dev/null
    equal "$(starts demo.sh)" 1
}
check 003 'lists, search and policies read the cache and start no server' reading_starts_nothing

changed_entry() {
    server demo.sh "[$(listed read 'Read a file')]"
    server other.sh "[$(listed write 'Write a file')]"
    toolscout server add demo --wait -- sh demo.sh
    toolscout policy set demo/read ask
    toolscout tools >/dev/null
    equal "$(starts demo.sh)" 1
    sed -i.bak 's/demo\.sh/other.sh/' toolscout.toml
    toolscout server show demo | has 'changed'
    toolscout server refresh demo
    equal "$(names)" 'write '
}
check 003 'a changed command makes the tools stale, a changed policy does not' changed_entry

kept_on_failure() {
    server demo.sh "[$(listed read 'Read a file')]"
    toolscout server add demo --wait -- sh demo.sh
    mv demo.sh gone.sh
    fails toolscout server refresh demo
    equal "$(names)" 'read '
    toolscout server show demo --json | has '"discoveryStatus": "failed"'
    mv gone.sh demo.sh
    printf '[%s]' "$(listed read2 'Read twice')" >demo.sh.tools
    toolscout server refresh demo
    toolscout server show demo --json | lacks '"discoveryError"'
}
check 003 'a refresh by hand updates the cache; one that fails keeps the tools, with the error' kept_on_failure

catalog_of_a_project() {
    needs curl
    server demo.sh "[$(listed read 'Read a file')]"
    toolscout server add demo --wait -- sh demo.sh
    { echo 'presets = ["native"]'; cat toolscout.toml; } >new.toml
    mv new.toml toolscout.toml
    toolscout policy set demo/read ask
    serve_http
    api /api/projects/current/configuration >out
    has '"name":"bash","description":"Execute shell commands","type":"native"' <out
    has '"name":"demo/read"' <out
    has '"configuredPolicy":"ask"' <out
    has '"discoveryStatus":"success"' <out
    has '"lastDiscovered":"20' <out
    api /api/projects/none/configuration | has RESOURCE_NOT_FOUND
    equal "$(starts demo.sh)" 1
}
check 003 'the catalog of a project has native tools and those of servers, from the cache' catalog_of_a_project

catalog_of_a_session() {
    needs curl
    server demo.sh "[$(listed read 'Read a file')]"
    toolscout server add demo --wait -- sh demo.sh
    serve_http
    api /api/sessions --json '{}' >out
    local id
    id=$(sed -n 's/.*"id":"\([^"]*\)".*/\1/p' out)
    api "/api/sessions/$id/configuration" | has '"source":"cached"'
    api /api/servers/demo/control --json '{"action":"start","wait":true}'
    api "/api/sessions/$id/configuration" | has '"source":"runtime"'
    api /api/sessions/none/configuration | has 'Session not found'
}
check 003 'the catalog of a session has the tools of running servers, else the cached ones' catalog_of_a_session

discovered_on_start() {
    needs curl
    server demo.sh "[$(listed read 'Read a file')]"
    printf '[servers.demo]\ncommand = "sh"\nargs = ["demo.sh"]\n' >toolscout.toml
    serve_http
    lists_read() { api /api/tools | has '"read"'; }
    eventually lists_read
}
check 003 'a server that starts discovers new servers in the background' discovered_on_start
