_lton() {
    local IFS=$'\n'
    COMPREPLY=($(_LTON_COMPLETE=1 lton "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _lton lton
