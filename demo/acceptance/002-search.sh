# Design 002: agents search a library of hidden tools, and run them through one visible tool.

# A library of searchable tools.
library() {
    tool tools send_email 'description = "Send an email to a recipient"
keywords = ["email", "communication", "smtp"]
parameters = [{ name = "to", type = "string", description = "Recipient email", required = true }]'
    tool tools sql_query 'description = "Execute SQL queries"
keywords = ["database", "sql", "query"]'
    tool tools kubernetes_deploy 'description = "Deploy to Kubernetes"
keywords = ["k8s", "container", "deploy"]'
}

only_meta_tools() {
    library
    agent -- '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' >out
    has '"name":"tool_search"' <out
    has '"name":"execute_tool"' <out
    lacks '"name":"local__send_email"' <out
}
check 002 'agents see tool_search and execute_tool, and nothing of the library' only_meta_tools

search_result() {
    library
    agent -- "$(call 1 tool_search '{"query":"email","max_results":10}')" >out
    has 'send_email' <out
    has 'Send an email to a recipient' <out
    has '\"score\":' <out
    has '\"inputSchema\":' <out
    has 'Recipient email' <out
    agent -- "$(call 1 tool_search '{"query":"","max_results":1}')" | lacks sql_query
    agent -- "$(call 1 tool_search '{"query":"zzz_no_such_thing"}')" |
        has 'No tools found. Try different keywords or a broader search term.'
}
check 002 'tool_search returns names, descriptions, scores and whole input schemas' search_result

execute_hidden() {
    library
    agent -- "$(call 1 execute_tool '{"name":"send_email","arguments":{"to":"user@example.com"}}')" |
        has 'user@example.com'
    agent -- "$(call 1 execute_tool '{"name":"nonexistent","arguments":{}}')" |
        has 'Tool not found: nonexistent. Use tool_search to discover available tools.'
    agent -- "$(call 1 execute_tool '{"name":"send_email","arguments":{}}')" | has '"isError":true'
}
check 002 'execute_tool runs a hidden tool, and explains mistakes' execute_hidden

# Expects the first hit of a query, and its score.
scored() {
    toolscout search --profile ladder --json "$1" >hits
    grep -m 1 '^    "name": ' hits | has "\"$2\""
    grep -m 1 '^    "score": ' hits | has "\"score\": $3,"
}
ladder() {
    library
    scored send_email send_email 1.0
    scored send send_email 0.9
    scored mail send_email 0.8
    scored smtp send_email 0.85
    scored smt send_email 0.7
    scored recipient send_email 0.6
    scored recip send_email 0.5
    scored databse sql_query 0.525
}
check 002 'the profile `ladder` has the eight scores of the design' ladder

request_tools() {
    needs curl
    tool users/alice/tools my_saved_queries 'description = "The saved queries of alice"'
    tool tools greet
    printf '[[request_tools]]\nheader = "X-User-ID"\npattern = "[a-z]+"\nfolder = "users/{value}/tools"\n' >toolscout.toml
    serve_http --auth none
    search() {
        curl --silent "$url/mcp" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
            -H 'Mcp-Method: tools/call' -H 'Mcp-Name: tool_search' -H 'MCP-Protocol-Version: 2026-07-28' "$@" \
            -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_search","arguments":{"query":"saved"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'
    }
    search -H 'X-User-ID: alice' | has 'The saved queries of alice'
    search | lacks 'The saved queries of alice'
}
check 002 'a user has tools that other requests do not see' request_tools

concurrent() {
    library
    local messages=() id
    for id in $(seq 1 100); do
        messages+=("$(call "$id" execute_tool "{\"name\":\"send_email\",\"arguments\":{\"to\":\"user-$id.\"}}")")
    done
    agent -- "${messages[@]}" >out
    for id in $(seq 1 100); do
        grep "\"id\":$id[,}]" out | has "user-$id."
    done
}
check 002 'a hundred calls at once all get their own result' concurrent
