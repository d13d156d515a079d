#!/bin/sh
# Run by notes.tool.toml with TOOL_TAG and TOOL_LAST.
set -eu

notes=${DEMO_NOTES:-../../notes.jsonl}
if [ ! -s "$notes" ]; then
    echo "no notes yet"
    exit 0
fi
# A tag is one quoted word between the brackets of `tags`.
if [ -n "${TOOL_TAG-}" ]; then
    grep -F "\"$TOOL_TAG\"" "$notes" | tail -n "$TOOL_LAST"
else
    tail -n "$TOOL_LAST" "$notes"
fi
