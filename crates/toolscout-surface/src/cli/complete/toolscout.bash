# Completion of toolscout for bash. Load it with
#     source <(toolscout completion bash)
# or keep it: toolscout completion bash > ~/.local/share/bash-completion/completions/toolscout

_toolscout() {
    local line word
    COMPREPLY=()
    while IFS= read -r line; do
        printf -v word '%q' "${line%%$'\t'*}"
        COMPREPLY+=("$word")
    done < <("${COMP_WORDS[0]}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}

# Where toolscout has nothing to say, bash completes file names.
complete -o default -F _toolscout toolscout
