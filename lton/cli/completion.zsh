_lton() {
    local -a found
    found=(${(f)"$(_LTON_COMPLETE=1 lton "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#found )); then compadd -- $found; else _files; fi
}
compdef _lton lton
