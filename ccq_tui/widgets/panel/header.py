"""The first line of a panel: who asks, what about, and in which session."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from ccq_tui.text import one_line
from ccq_tui.widgets.palette import Palette

LONGEST_SESSION = 30


def title_line(
    who: str,
    about: str,
    width: int,
    session: str,
    place: tuple[int, int],
    palette: Palette,
    instead: str = "",
) -> Text:
    """Return the line that says who asks, what about, and in which session.

    Args:
        who: Who asks, or what is asked; harmless to draw.
        about: More of it, or ""; harmless to draw.
        width: Cells.
        session: The session's name, from anywhere.
        place: Which of how many waiting requests this is.
        palette: The styles.
        instead: What is said in place of the session, or of who asks where there is no room beside that, such
            as what happens soon if nobody presses a key; or "".
    """
    left = Text.assemble((" ◆ ", palette.accent), (who, palette.strong), no_wrap=True)
    if about:
        left.append(f" · {about}", palette.muted)
    if place[1] > 1:
        left.append(f" · {place[0]} of {place[1]}", palette.muted)
    right = instead or (f"session {one_line(session, LONGEST_SESSION)}" if session else "")
    gap = width - left.cell_len - cell_len(right) - 1
    if instead and gap <= 1:
        # Who asks can be seen from the question; what is about to happen, or out of sight, cannot.
        left = Text.assemble((" ◆ ", palette.accent), (instead, palette.warning), no_wrap=True)
    elif right and gap > 1:
        left.append(" " * gap + right, palette.warning if instead else palette.muted)
    left.truncate(width, overflow="ellipsis")
    return left
