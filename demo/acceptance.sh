#!/usr/bin/env bash
# Checks the success criteria of the five designs that toolscout is made of, with the real program. Prints one line for
# each: `ok`, `FAILED` with the output of its commands, or `skipped` if a program such as node is missing.
#
#   demo/acceptance.sh [PROGRAM]
#
# PROGRAM is a built toolscout; without it, cargo builds one. With TOOLSCOUT_TESTS=all, as in CI, nothing is skipped.
# The exit code is 1 if a criterion failed.
set -uo pipefail

demo=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# -gt 0 ]; then
    program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
else
    cargo build --quiet --manifest-path "$demo/../Cargo.toml" -p toolscout || exit 1
    program=${CARGO_TARGET_DIR:-$demo/../target}/debug/toolscout
fi
[ -x "$program" ] || { echo "error: $program is not a program; build it with \`cargo build\`" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# Prints the result of one criterion. The function runs in an empty, trusted project with its own state, and fails with
# its first failing command.
check() { # DESIGN TEXT FUNCTION
    local folder status
    folder=$(mktemp -d "$work/XXXXXX")
    mkdir "$folder/project" "$folder/home"
    echo '{}' >"$folder/project/package.json"
    # Not as a condition, because bash then ignores `set -e`.
    (
        set -e
        cd "$folder/project"
        # Settings of the user must not change the output.
        unset AI_AGENT ${!TOOLSCOUT_@} ${!OTEL_@}
        export TOOLSCOUT_LANG=en TOOLSCOUT_SANDBOX=off HOME=$folder/home TOOLSCOUT_STATE_DIR=$folder/state TOOLSCOUT_CONFIG_DIR=$folder/config
        export TOOLSCOUT_TRUST=1 TOOLSCOUT_NO_JOURNAL=1
        "$3"
    ) >"$folder/log" 2>&1 </dev/null
    status=$?
    if [ $status = 0 ]; then
        passed=$((passed + 1))
        echo "ok       $1  $2"
    elif [ $status = 77 ] && [ "${TOOLSCOUT_TESTS:-}" != all ]; then
        skipped=$((skipped + 1))
        echo "skipped: $(tail -n 1 "$folder/log")  $1  $2"
    else
        failed=$((failed + 1))
        echo "FAILED   $1  $2"
        sed 's/^/         | /' "$folder/log"
    fi
}

. "$demo/acceptance/helpers.sh"
for design in "$demo"/acceptance/00*.sh; do
    . "$design"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
