#!/bin/sh
# tool: {{name}}
# description: {{description}}
# param text string required - The text to print
# param times int default=1 - How often to print it
# param loud boolean - Print it in capitals
# input: env
#
# These lines are read without running the file; `toolscout {{name}} --help` shows them. More
# lines: `keywords: a, b`, `timeout: 2m`, `env: TOKEN` (a variable to pass on).
#
# The arguments are variables. What is printed is the result; an exit code other than 0 is a failure.
set -eu

text=$TOOL_TEXT
if [ "${TOOL_LOUD:-false}" = true ]; then
  text=$(printf '%s' "$text" | tr '[:lower:]' '[:upper:]')
fi

count=0
while [ "$count" -lt "${TOOL_TIMES:-1}" ]; do
  printf '%s\n' "$text"
  count=$((count + 1))
done
