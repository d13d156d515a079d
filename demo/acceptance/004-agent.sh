# Design 004: an agent with servers in `.orion/config.yaml`; the acceptance criteria and the verification list.

orion() {
    server rube.sh "[$(listed github_search 'Search repositories'),$(listed slack_send 'Send message'),$(listed custom_tool 'Custom')]"
    mkdir .orion
    cat >.orion/config.yaml <<'YAML'
mcpServers:
  rube:
    command: sh
    args: [rube.sh]
YAML
}

discovered_by_a_query() {
    orion
    toolscout server list | has rube
    agent -- "$(call 1 execute_tool '{"name":"rube/github_search","arguments":{"q":"x"}}')" | has called
    toolscout tools | has 'github_search - Search repositories'
}
check 004 'a query with configured servers discovers their tools without further commands' discovered_by_a_query

schemas() {
    orion
    toolscout server refresh rube
    toolscout describe github_search --json >out
    has '"description": "Search repositories"' <out
    has '"inputSchema": ' <out
    has '"rube"' <out
}
check 004 'name, description, input schema and server of a tool are available' schemas

context() {
    orion
    equal "$(toolscout context)" 'You have access to external tools via MCP servers. Tools will be discovered when you attempt to use them.'
    toolscout server refresh rube
    toolscout context >out
    has 'You have access to external tools via MCP:' <out
    has '• rube: github_search, slack_send and 1 other tools' <out
    lacks inputSchema <out
    echo 'You are an agent.' >base.txt
    toolscout context --prompt base.txt | has '## Available Tools'
}
check 004 'the context for a prompt is a short summary without schemas' context

many_servers() {
    local id
    for id in $(seq 1 60); do
        printf '[servers.s%s]\ncommand = "sh"\nargs = ["many.sh"]\n' "$id"
    done >toolscout.toml
    server many.sh "[$(listed search_everything Search),$(listed email_send Send),$(listed github_issue Issue)]"
    toolscout server refresh >/dev/null
    toolscout context --json >out
    local tokens
    tokens=$(sed -n 's/^  "tokens": \([0-9]*\).*/\1/p' out)
    [ "$tokens" -gt 0 ] && [ "$tokens" -le 500 ]
}
check 004 'the context stays within 500 tokens, however many servers there are' many_servers

cached() {
    orion
    agent -- "$(call 1 execute_tool '{"name":"rube/slack_send","arguments":{"q":"x"}}')" >/dev/null
    local before
    before=$(starts rube.sh)
    toolscout search message | has slack_send
    toolscout --verbose --log-format json search github 2>log | has github_search
    equal "$(starts rube.sh)" "$before"
    grep tool_cache_hit log | has '"server":"rube"'
    lacks tool_cache_miss <log
}
check 004 'the cache prevents another discovery, and logs hits' cached

cache_miss() {
    orion
    toolscout --verbose --log-format json tools 2>log >/dev/null
    grep tool_cache_miss log | has '"reason":"never"'
    toolscout server refresh rube
    toolscout --verbose --log-format json server refresh rube 2>log >/dev/null
    grep tools.discovery.succeeded log | has '"count":3'
}
check 004 'a missing cache is logged, and a refresh discovers again' cache_miss

new_server() {
    orion
    toolscout server refresh >/dev/null
    server jira.sh "[$(listed jira_create 'Create issue')]"
    printf '  jira:\n    command: sh\n    args: [jira.sh]\n' >>.orion/config.yaml
    agent -- "$(call 1 execute_tool '{"name":"jira/jira_create","arguments":{}}')" | has called
    toolscout search jira | has jira_create
}
check 004 'a server that is added to the configuration is discovered after a restart' new_server

failing_server() {
    orion
    printf '  broken:\n    command: sh\n    args: [missing.sh]\n' >>.orion/config.yaml
    toolscout server refresh >/dev/null 2>&1 || true
    toolscout search github | has github_search
}
check 004 'a server that fails does not affect the others' failing_server

logged() {
    orion
    toolscout --verbose --log-format json server refresh rube 2>log >/dev/null
    grep tools.discovery.succeeded log >done
    has '"server":"rube"' <done
    has '"count":3' <done
    has github_search <done
    has duration_ms <done
    toolscout --verbose --log-format json tools 2>log >/dev/null
    grep '"tools_registered"' log | has rube
    grep '"tool_registry_stats"' log | has '"toolCount":3'
}
check 004 'a discovery is logged with server, number, names and duration' logged

traced() {
    needs python3
    orion
    mkfifo port
    python3 - 3>port <<'PY' &
import http.server, os
class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        open("spans.part", "ab").write(body + b"\n")
        self.send_response(200); self.end_headers(); self.wfile.write(b"{}")
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
os.write(3, b"%d\n" % server.server_port)
server.serve_forever()
PY
    trap 'kill $!' EXIT
    local port
    read -r port <port
    export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:$port
    toolscout server refresh rube
    toolscout search github >/dev/null
    has '"name":"tool-discovery"' <spans.part
    has '"name":"tool-search"' <spans.part
    has 'langfuse.observation.metadata.mcpServers' <spans.part
    has 'langfuse.observation.metadata.toolCount' <spans.part
    has 'langfuse.observation.metadata.cacheHitRatio' <spans.part
}
check 004 'a discovery is traced with server, number, names, duration and cache ratio' traced

observed() {
    local lines='{"type":"text","text":"hi"}
{"type":"tool_use","tool":{"name":"web_fetch"}}
{"type":"tool_use"}'
    equal "$(printf '%s\n' "$lines" | toolscout observe 2>/dev/null)" "$lines"
    toolscout tools --all | has web_fetch
}
check 004 'tools are learned from the messages of an agent, which pass unchanged' observed
