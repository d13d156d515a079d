# Completion of toolscout for fish. Load it with
#     toolscout completion fish | source
# or keep it: toolscout completion fish > ~/.config/fish/completions/toolscout.fish

function __toolscout_complete
    set -l before (commandline --current-process --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor)
    set -l program $before[1]
    set -e before[1]
    set -l found ($program __complete -- $before "$current" 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path "$current"
    end
end

complete --command toolscout --no-files --keep-order --arguments '(__toolscout_complete)'
