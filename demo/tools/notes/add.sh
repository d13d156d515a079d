#!/bin/sh
# Run by notes.tool.toml with the arguments as JSON on standard input.
set -eu

notes=${DEMO_NOTES:-../../notes.jsonl}
tr -d '\n' >>"$notes"
echo >>"$notes"
echo "noted; that makes $(wc -l <"$notes" | tr -d ' ')"
