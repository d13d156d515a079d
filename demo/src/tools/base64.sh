#!/bin/sh
# Run by base64.tool.toml.
set -eu

if [ "${TOOL_DECODE-false}" = true ]; then
    printf '%s' "$TOOL_TEXT" | base64 -d
else
    # Long output is wrapped by some base64 programs and not by others; here it never is.
    printf '%s' "$TOOL_TEXT" | base64 | tr -d '\n'
    echo
fi
