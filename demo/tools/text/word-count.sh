#!/bin/sh
# tool: word-count
# description: Count the lines, words or bytes of a text
# keywords: text, count, length, statistics
# param text string required - The text to look at
# param unit string default=words enum=lines|words|bytes - What to count
# input: env

case "$TOOL_UNIT" in
    lines) flag=-l ;;
    bytes) flag=-c ;;
    *) flag=-w ;;
esac

# A text that ends in the middle of a line still has that line, which `wc -l` alone would not count.
if [ "$TOOL_UNIT" = lines ] && [ -n "$TOOL_TEXT" ]; then
    printf '%s\n' "$TOOL_TEXT" | wc "$flag" | tr -d ' '
else
    printf '%s' "$TOOL_TEXT" | wc "$flag" | tr -d ' '
fi
