function __lton_complete
    set -l words (commandline -opc) "$(commandline -ct)"
    set -l found (_LTON_COMPLETE=1 lton $words[2..] 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c lton -f -a '(__lton_complete)'
