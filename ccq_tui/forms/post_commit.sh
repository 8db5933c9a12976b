if (
    # Decides in a few milliseconds whether to ask. Nothing here changes how the commit ends.
    [ -z "${CCQ_IN_HOOK-}" ] && [ -t 2 ] && [ "${TERM:-dumb}" != dumb ] && [ -z "@AGENTS@" ] || exit
    case ${CI:-0} in 0 | no | false) ;; *) exit 1 ;; esac
    case ${TERM_PROGRAM-} in vscode | zed) editor=$TERM_PROGRAM ;; *) editor=@EDITORS@ ;; esac
    [ -z "$editor" ] || [ "$(git config --type=bool ccq.reflectInEditors)" = true ] || exit
    # There is no terminal, or a program that reads every key has it.
    case $({ stty -a </dev/tty; } 2>/dev/null) in '' | *-icanon*) exit 1 ;; esac
    [ "$(git config --type=bool ccq.reflect)" = true ] || exit
    dir=$(git rev-parse --git-dir) || exit
    [ ! -d "$dir/rebase-merge" ] && [ ! -d "$dir/rebase-apply" ] && [ ! -d "$dir/sequencer" ] || exit
    case $(git log -g -1 --no-show-signature --format=%gs) in
        'commit: '* | 'commit (initial): '* | 'commit (merge): '*) ;;
        # Without a reflog: what is amended or picked keeps its author's time.
        '') [ $(git log -1 --no-show-signature --format='%at -eq %ct') ] || exit ;;
        *) exit 1 ;; # amended, picked, reverted, rebased
    esac
    # In the background, an amend, or a commit that another hook makes.
    [ -z "$(ps -A -o pid= -o ppid= -o stat= -o args= 2>/dev/null | awk -v own=$$ '
        { pid = $1; up[pid] = $2; state[pid] = $3; sub(/^ *[0-9]+ +[0-9]+ +[^ ]+ +/, ""); args[pid] = $0 }
        END {
            if (own in state && state[own] !~ /[+]/) print "background"
            for (pid = up[own]; pid > 1 && n++ < 99; pid = up[pid])
                if (git) {
                    if (args[pid] ~ /(^|[ \/=])(pre|post|prepare|commit)-(commit|merge|push|checkout|rewrite|rebase|msg)/)
                        print "hook"
                } else if (args[pid] ~ /^([^ ]*\/)?git /) {
                    git = 1
                    if (args[pid] ~ / --amend( |$)/) print "amend"
                }
        }')" ]
); then
    # The rest of the hook runs first, as a process of its own: it may amend the commit, and end in any way.
    CCQ_IN_HOOK=1 @AGAIN@ "$@" && ccq_status=0 || ccq_status=$?
    (
        set -- @COMMAND@
        [ -x "$1" ] || { found=$(command -v ccq-tui) && set -- "$found"; } || exit 0
        # A job of its own, so that Ctrl+C ends the questions and not the commit.
        exec sh -mc '"$0" "$@"; :' "$@" reflect </dev/tty >/dev/tty 2>&1
    ) || :
    exit "$ccq_status"
fi
