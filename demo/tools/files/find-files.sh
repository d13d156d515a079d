#!/bin/sh
# Run by find-files.tool.toml.
set -eu

cd ../..
case "$TOOL_FOLDER" in
    /*) folder=$TOOL_FOLDER ;;
    # With ./ before it, a folder named like an option is still a folder.
    *) folder=./$TOOL_FOLDER ;;
esac
if [ ! -d "$folder" ]; then
    echo "no such folder: $TOOL_FOLDER" >&2
    exit 1
fi
LC_ALL=C
export LC_ALL
find "$folder" -maxdepth "$TOOL_DEPTH" -type f -name "$TOOL_NAME" | sed 's|^\(\./\)*||' | sort
