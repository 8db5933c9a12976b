(
    # Decides in a few milliseconds whether to ask. Nothing here changes how the commit ends.
    [ -t 2 ] && [ "${TERM:-dumb}" != dumb ] || exit 0
    case ${CI:-0} in 0 | no | false) ;; *) exit 0 ;; esac
    { : </dev/tty; } 2>/dev/null || exit 0
    [ "$(git config --type=bool ccq.reflect)" = true ] || exit 0
    dir=$(git rev-parse --git-dir) || exit 0
    [ ! -d "$dir/rebase-merge" ] && [ ! -d "$dir/rebase-apply" ] && [ ! -d "$dir/sequencer" ] || exit 0
    case $(git log -g -1 --no-show-signature --format=%gs) in
        '' | 'commit: '* | 'commit (initial): '* | 'commit (merge): '*) ;;
        *) exit 0 ;; # amended, picked, reverted, rebased
    esac
    case $(ps -o stat= -p $$ 2>/dev/null) in '' | *+*) ;; *) exit 0 ;; esac # in the background
    set -- @COMMAND@
    [ -x "$1" ] || { found=$(command -v ccq-tui) && set -- "$found"; } || exit 0
    # A job of its own, so that Ctrl+C ends the questions and not the commit.
    exec sh -mc '"$0" "$@"; :' "$@" reflect </dev/tty >/dev/tty 2>&1
) || :
