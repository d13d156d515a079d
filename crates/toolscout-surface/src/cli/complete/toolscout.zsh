#compdef toolscout
# Completion of toolscout for zsh. Load it with
#     source <(toolscout completion zsh)
# or keep it as a file named _toolscout in a folder of $fpath.

_toolscout() {
    local line
    local -a lines found
    lines=("${(@f)$("${words[1]}" __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    for line in $lines; do
        # _describe takes "value:help", so colons in the value are escaped.
        found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    if (( $#found )); then
        _describe -t toolscout toolscout found
    else
        _files
    fi
}

# Read as a file of $fpath this is the body of the function; sourced, it registers it.
if [[ "${funcstack[1]}" == _toolscout ]]; then
    _toolscout "$@"
else
    compdef _toolscout toolscout
fi
