"""The parts around the rows of a question panel: the asker, the tabs, the label of the text field."""

from __future__ import annotations

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from ccq_tui.questions.limits import allowed_words
from ccq_tui.questions.merge_partial import GOOD_NEWS
from ccq_tui.questions.model import CLAUDE, Question
from ccq_tui.questions.state import TEXT_FOCUSES, Focus, PanelState
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.lines import indented, wrapped
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.panel.measures import notice_lines

DISCUSS_CAPTION = "Discuss: your text goes to {} instead of answers"
NOTE_CAPTION = "Note beside the answer"
OTHER_CAPTION = "Other, in your own words"
TAB_META = "question_tab"
LONGEST_HEADER = 24
LONGEST_TITLE = 60
LONGEST_ASKER = 40
REVIEW = "Review your answers"
LOW_HEADER = 12
"""Most characters of a header beside the keys of a screen too low for a title."""
LOW_KEYS = 38
"""Cells of the first of those keys."""
WIDE_ENOUGH = 60
"""Width in cells from which such a screen says in words that a set is arriving."""


def coming(state: PanelState) -> str:
    """Return a few words on why a set cannot be confirmed yet, or ""."""
    if state.arriving is None:
        return ""
    return "about to be asked" if state.arriving.whole else "arriving …"


def asked_line(
    state: PanelState, width: int, place: tuple[int, int], palette: Palette, countdown: str = ""
) -> Text:
    """Return the question as one line, for a screen too low for a title: it stays while the list scrolls."""
    waiting = f"{place[0]} of {place[1]} · " if place[1] > 1 else ""
    asked = REVIEW if state.in_review else one_line(state.page.question.text, width)
    waiting += coming_low(state, width)
    line = Text.assemble(" ", (waiting, palette.muted), (asked, palette.strong), no_wrap=True)
    if countdown:
        line = Text.assemble(" ", (countdown, palette.warning), no_wrap=True)
    line.truncate(width, overflow="ellipsis")
    return line


def coming_low(state: PanelState, width: int) -> str:
    """Return the words before the question on a screen too low for a title: `coming`, or its sign."""
    if state.arriving is None:
        return ""
    return f"{coming(state)} · " if width >= WIDE_ENOUGH else "⋯ "


def asked_whole(question: Question, width: int, place: tuple[int, int]) -> bool:
    """Return whether `asked_line` shows all of a question."""
    room = width - 1 - (len(f"{place[0]} of {place[1]} · ") if place[1] > 1 else 0)
    return cell_len(question.text) <= room and one_line(question.text, max(1, room)) == question.text


def cut_from_head(state: PanelState, question: Question, width: int, *, titled: bool) -> list[str]:
    """Return the texts that the head does not show whole, for the page to show."""
    title, header, who = state.questions.title, question.header, who_asks(state)
    texts = []
    if state.questions.intro and question is state.pages[0].question:
        texts.append(state.questions.intro)
    if title and (not titled or not who.endswith(title) or cell_len(who) > width - 20):
        texts.append(title)
    if state.needs_review:
        shown = one_line(header, LONGEST_HEADER)
    elif titled:
        shown = one_line(header, max(1, min(LONGEST_HEADER, width - 30)))
    else:
        shown = low_header(header, width)
    if shown != header:
        texts.append(header)
    return texts


def low_header(header: str, width: int) -> str:
    """Return a header for the line of keys of a screen too low for a title, or "" where it does not fit."""
    room = min(LOW_HEADER, width - LOW_KEYS)
    return one_line(header, room) if cell_len(header) <= room else ""


def tabs(state: PanelState, palette: Palette) -> list[Text]:
    """Return the tabs of the head: the questions, more that may come, and the review."""
    found = [_tab(state, index, palette) for index in range(len(state.pages) + state.needs_review)]
    if state.arriving is not None and not state.arriving.whole:
        found.insert(len(state.pages), Text("⋯", palette.muted))
    return found


def who_asks(state: PanelState) -> str:
    """Return who asks, in the head."""
    title = one_line(state.questions.title, LONGEST_TITLE)
    if not title:
        return f"{_asker(state)} asks"
    return title if state.asker == CLAUDE else f"{_asker(state)}: {title}"


def _asker(state: PanelState) -> str:
    return one_line(state.asker, LONGEST_ASKER)


def _tab(state: PanelState, index: int, palette: Palette) -> Text:
    here = index == state.tab
    if index == len(state.pages):
        mark, label, on = "✔", "Review", not state.gaps
    else:
        page = state.pages[index]
        on = page.answered
        mark = "☒" if on else "☐"
        label = one_line(page.question.header, LONGEST_HEADER) or f"Question {index + 1}"
    style = palette.accent if here else palette.plain if on else palette.muted
    tab = Text.assemble(("◆" if here else mark, style), " ", (label, style))
    tab.stylize(Style(meta={TAB_META: index}))
    return tab


LONGEST_PLACEHOLDER = 400
LABELS = {
    Focus.OTHER: OTHER_CAPTION,
    Focus.NOTE: NOTE_CAPTION,
    Focus.FILTER: "Filter the options",
}
DISCUSSES_ALL = "Discuss: your text goes to {} with your draft, not as answers"


def label_lines(state: PanelState, width: int, palette: Palette, *, low: bool) -> list[Text]:
    """Return the lines above the text field or the keys: a label, a question or a notice; or none."""
    aside = _aside(state.aside, width, palette)
    if state.focus is Focus.DECLINE:
        return [*notice_lines(_decline_question(state, short=low), width, palette), *aside]
    if state.focus not in TEXT_FOCUSES:
        return aside
    label = field_label(state) if not low else _range(state)
    lines = [*(wrapped(Text(label, palette.muted), width - 6) if label else []), *aside]
    if state.notice:
        lines += notice_lines(safe(state.notice), width, palette)
    return lines


def _aside(text: str, width: int, palette: Palette) -> list[Text]:
    """Return the lines of a remark about the set as a whole."""
    if text in GOOD_NEWS:
        return indented(wrapped(Text(text, palette.on), width - 8), Text("✔ ", palette.on), 2)
    return notice_lines(text, width, palette) if text else []


def _range(state: PanelState) -> str:
    """Return what the open field accepts, or ""."""
    if state.focus is not Focus.FIELD:
        return ""
    return safe(allowed_words(state.page.question), keep_newlines=False, limit=LONGEST_PLACEHOLDER)


def field_label(state: PanelState) -> str:
    """Return the label of the open text field."""
    if state.focus is Focus.FIELD:
        unit = one_line(state.page.question.unit, 20)
        return f"Your answer in {unit}" if unit else "Your answer"
    if state.focus is Focus.DISCUSS:
        return (DISCUSSES_ALL if state.discussed.answers else DISCUSS_CAPTION).format(_asker(state))
    return LABELS.get(state.focus, "")


def field_hint(state: PanelState) -> str:
    """Return the placeholder of the open text field."""
    hint = state.page.question.placeholder if state.focus is Focus.FIELD else ""
    return safe(hint or field_label(state), keep_newlines=False, limit=LONGEST_PLACEHOLDER)


def _decline_question(state: PanelState, *, short: bool) -> str:
    if state.questions.is_form:
        lost = " Nothing you selected or typed is sent." if state.has_draft and not short else ""
        return f"Decline the form, or cancel it without a decision?{lost}"
    count = len(state.pages)
    what = "the question" if count == 1 else f"all {count} questions"
    if short:
        return f"Decline {what}?"
    lost = " Nothing you selected or typed is sent." if state.has_draft else ""
    if state.questions.is_prompt:
        return f"Decline {what}? {_asker(state)} still waits at its terminal.{lost}"
    return f"Decline {what}? {_asker(state)} learns that you do not want to answer.{lost}"
