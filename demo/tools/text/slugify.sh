#!/bin/sh
# Run by slugify.tool.toml.
set -eu

while [ $# -ge 2 ]; do
    case "$1" in
        --title) title=$2 ;;
        --separator) separator=$2 ;;
        --max-length) max=$2 ;;
    esac
    shift 2
done

# LC_ALL=C: bytes outside ASCII are not letters here, on any machine.
export LC_ALL=C
slug=$(printf '%s' "$title" | tr '[:upper:]' '[:lower:]' | tr -cs 'a-z0-9' '-' | cut -c "1-$max" | sed 's/^-*//; s/-*$//')
if [ -z "$slug" ]; then
    echo "nothing of this title can stand in a URL" >&2
    exit 1
fi
printf '%s\n' "$slug" | tr '-' "$separator"
