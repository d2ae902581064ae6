// SPDX-License-Identifier: Apache-2.0

extension Completion {
    /// The scripts of the shells, by the shells' names.
    static let scripts = ["bash": bash, "zsh": zsh, "fish": fish]

    private static let bash = #"""
        # Completion of linkcond for bash: the program itself knows what may follow.
        _linkcond() {
            local reply index=1
            COMPREPLY=()
            mapfile -t reply < <("${1/#\~/$HOME}" complete bash "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
            case ${reply[0]-} in
            files) compopt -o default ;;
            directories) compopt -o dirnames ;;
            names)
                COMPREPLY=("${reply[@]:1}")
                ((${#COMPREPLY[@]})) || compopt -o default
                ;;
            command)
                while [[ ${COMP_WORDS[index]} != -- ]]; do ((index++)); done
                ((index++))
                if declare -F _command_offset >/dev/null; then
                    _command_offset "$index"
                elif ((COMP_CWORD == index)) && [[ $2 != */* ]]; then
                    mapfile -t COMPREPLY < <(compgen -c -- "$2" | sort -u)
                else
                    compopt -o default
                fi
                ;;
            *)
                COMPREPLY=("${reply[@]:1}")
                # More follows a value that is not whole, such as "wifi0=".
                [[ ${COMPREPLY[*]} != *[=/:] ]] || compopt -o nospace
                ;;
            esac
        }
        complete -F _linkcond linkcond
        """#

    private static let zsh = #"""
        #compdef linkcond
        # Completion of linkcond for zsh: the program itself knows what may follow.
        _linkcond() {
            local line kind index
            local -a reply names shown list
            reply=("${(@f)$(${(Q)words[1]} complete zsh "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
            kind=$reply[1]
            for line in "${(@)reply[2,-1]}"; do
                names+=("${line%%$'\t'*}")
                shown+=("${line/$'\t'/  -- }")
                [[ $line != *$'\t'* ]] || list=(-l)
            done
            case $kind in
            command)
                index=${words[(i)--]}
                words=("${(@)words[index + 1,-1]}")
                ((CURRENT -= index))
                _normal
                ;;
            files | directories)
                [[ $PREFIX != --*=* ]] || compset -P '*='
                if [[ $kind == files ]]; then _files; else _files -/; fi
                ;;
            names) compadd $list -d shown -a names || _files ;;
            *) compadd $list -d shown -a names ;;
            esac
        }
        if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _linkcond "$@"; else compdef _linkcond linkcond; fi
        """#

    private static let fish = #"""
        # Completion of linkcond for fish: the program itself knows what may follow.
        function __linkcond_complete
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            set -l program $words[1]
            set -e words[1]
            set -l reply (command $program complete fish $words "$current" 2>/dev/null)
            set -l kind $reply[1]
            set -e reply[1]
            switch "$kind"
                case files
                    __fish_complete_path $current
                case directories
                    __fish_complete_directories $current
                case command
                    set -l index (contains -i -- -- $words)
                    set -e words[1..$index]
                    complete -C (string join ' ' -- (string escape -- $words) "$current")
                case names
                    printf '%s\n' $reply
                    if not string match -q -- "$current*" $reply
                        __fish_complete_path $current
                    end
                case '*'
                    printf '%s\n' $reply
            end
        end
        complete -c linkcond -f -a '(__linkcond_complete)'
        """#
}
