"""Whether the program goes line by line."""

from collections.abc import Mapping

from ccq_tui.output import not_terminals

VARIABLES = ("CCQ_PLAIN", "ACCESSIBLE", "CLAUDE_AX_SCREEN_READER")
OFF = frozenset({"", "0", "false", "no"})


def plain_reason(environ: Mapping[str, str], *, flag: bool = False, is_terminal: bool | None = None) -> str:
    """Return why the program goes line by line, or "" for a screen.

    Args:
        environ: The environment.
        flag: Whether ``--plain`` was given.
        is_terminal: Whether there is a terminal to draw on; None to ask standard output.
    """
    if flag:
        return "--plain"
    if name := next((one for one in VARIABLES if environ.get(one, "").strip().lower() not in OFF), ""):
        return f"{name} is set"
    if environ.get("TERM") == "dumb":
        return "TERM is dumb"
    if is_terminal is None:
        is_terminal = "output" not in not_terminals()
    return "" if is_terminal else "the output is no terminal"
