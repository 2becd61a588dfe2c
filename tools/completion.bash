# Completion for bash: the functions. tools/gen-completion.c puts in front of them what commands and options take.
#
# Words are taken from the line, because COMP_WORDS splits at colons, as in sim:h100. Bash replaces only what comes after
# the last character of COMP_WORDBREAKS, so _haul cuts off what lies before it.

_haul_take() { mapfile -t -O ${#COMPREPLY[@]} COMPREPLY; }
_haul_words() { _haul_take < <(compgen -W "$1" -- "$_haul_current"); }
_haul_folders() {
    compopt -o filenames 2>/dev/null
    _haul_take < <(compgen -d -- "$_haul_current")
}
_haul_files() {
    compopt -o filenames 2>/dev/null
    _haul_take < <(compgen -f -- "$_haul_current")
}

# After `--`: the program's name, then files.
_haul_program() {
    [[ ${1-} == first ]] && _haul_take < <(compgen -c -- "$_haul_current")
    _haul_files
}

# Completes the last of the line's words, all of which are in `words`.
_haul_complete() {
    local command=${words[1]} last=$((${#words[@]} - 1)) i
    if ((last == 1)); then
        _haul_words "$_haul_commands --help --version"
        return
    fi
    if [[ $command == help ]]; then
        ((last == 2)) && _haul_words "$_haul_commands"
        return
    fi
    for ((i = 2; i < last; i++)); do
        [[ ${words[i]} == -- ]] && _haul_runs_programs "$command" || continue
        ((i + 1 == last)) && _haul_program first || _haul_program
        return
    done
    if [[ $_haul_current == --*=* ]]; then
        local option=${_haul_current%%=*}
        _haul_current=${_haul_current#*=}
        _haul_argument "$command" "$option"
        _haul_before=$option=
        return
    fi
    _haul_argument "$command" "${words[last - 1]}" && return
    if [[ $_haul_current == -* ]]; then
        _haul_words "$(_haul_options "$command")"
    else
        _haul_operand "$command"
    fi
}

_haul() {
    local line=${COMP_LINE:0:COMP_POINT} words _haul_current= _haul_before= i
    COMPREPLY=()
    read -ra words <<<"$line"
    [[ $line == *[[:blank:]] ]] && words+=('')
    _haul_current=${words[${#words[@]} - 1]}
    local whole=$_haul_current
    _haul_complete
    # what bash does not replace: up to the last character of COMP_WORDBREAKS
    local kept=
    [[ $COMP_WORDBREAKS == *:* && $whole == *:* ]] && kept=${whole%"${whole##*:}"}
    [[ $COMP_WORDBREAKS == *=* && $whole == *=* && ${whole##*=} != *:* ]] && kept=${whole%"${whole##*=}"}
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=$_haul_before${COMPREPLY[i]}
        COMPREPLY[i]=${COMPREPLY[i]#"$kept"}
    done
}
complete -F _haul haul
