# Commands that the criteria share.

toolscout() { "$program" "$@"; }

# Ends the criterion as skipped, unless this program is installed.
needs() {
    command -v "$1" >/dev/null || { echo "needs $1"; exit 77; }
}

# Expects that a command fails. (`set -e` ignores `! command`.)
fails() {
    if "$@"; then
        echo "expected to fail: $*"
        return 1
    fi
}

# Expects two equal texts.
equal() {
    [ "$1" = "$2" ] || { printf 'expected: %s\nactual:   %s\n' "$2" "$1"; return 1; }
}

# Expects that standard input contains this text.
has() {
    local text
    text=$(cat)
    case $text in *"$1"*) ;; *) printf '%s\nexpected to contain: %s\n' "$text" "$1"; return 1 ;; esac
}

# Expects that standard input does not contain this text.
lacks() {
    local text
    text=$(cat)
    case $text in *"$1"*) printf '%s\nexpected not to contain: %s\n' "$text" "$1"; return 1 ;; esac
}

# The names of the tools, in order, on one line.
names() {
    toolscout "$@" tools --json | sed -n 's/^    "name": "\(.*\)",*$/\1/p' | tr '\n' ' '
}

# Writes a tool file whose tool prints its arguments: FOLDER NAME [MORE LINES]
tool() {
    mkdir -p "$1"
    printf 'name = "%s"\n%s\n[run]\ncommand = ["cat"]\n' "$2" "${3:-}" >"$1/$2.tool.toml"
}

# Writes an MCP server, as a shell script: FILE TOOLS. It appends a line to FILE.starts whenever it starts.
server() {
    printf '%s' "$2" >"$1.tools"
    cat >"$1" <<'SERVER'
echo "$$" >>"$0.starts"
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  case $line in
  *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
  *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"demo","version":"1"}}}\n' "$id" ;;
  *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}\n' "$id" "$(cat "$0.tools")" ;;
  *'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"called"}]}}\n' "$id" ;;
  esac
done
SERVER
}

# A tool of such a server: NAME DESCRIPTION
listed() {
    printf '{"name":"%s","description":"%s","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}' "$1" "$2"
}

# How often a server was started.
starts() {
    if [ -e "$1.starts" ]; then wc -l <"$1.starts" | tr -d ' '; else echo 0; fi
}

# Sends these MCP messages to `toolscout serve` after the handshake, and prints the responses.
agent() { # [OPTION…] -- MESSAGE…
    local options=()
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    local hello='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"acceptance","version":"1"}}}'
    printf '%s\n' "$hello" '{"jsonrpc":"2.0","method":"notifications/initialized"}' "$@" |
        toolscout ${options[@]+"${options[@]}"} serve
}

# An MCP request that calls a tool: ID NAME ARGUMENTS
call() {
    printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}' "$1" "$2" "$3"
}

# Starts `toolscout serve --http` and sets `url`. It ends with the criterion.
serve_http() {
    local line
    mkfifo served
    "$program" serve --http 127.0.0.1:0 "$@" >served 2>&1 &
    trap "kill $!" EXIT
    exec 6<served
    while IFS= read -r line <&6; do
        echo "$line"
        case $line in *'listening on http://'*) break ;; esac
    done
    url=${line#*listening on }
    url=${url%%/mcp*}
    # Drains the output, so that the program never blocks on a full pipe.
    cat <&6 >/dev/null &
}

# Repeats a command until it succeeds, for at most 20 seconds.
eventually() {
    local tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || return 1
        sleep 0.2
    done
}

# Requests a path of the API as an operator: PATH [CURL OPTIONS…]
api() {
    local path=$1
    shift
    curl --silent --show-error -H "Authorization: Bearer $(cat "$TOOLSCOUT_STATE_DIR/operator.token")" "$@" "$url$path"
}
