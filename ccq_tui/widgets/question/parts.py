"""The texts of a question panel, each as lines for a width: the question, its rows, the review, a preview."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text

from ccq_tui import signs
from ccq_tui.config.keymap import key_of
from ccq_tui.questions import prose
from ccq_tui.questions.flow import unseen_lines
from ccq_tui.questions.limits import allowed_words
from ccq_tui.questions.marks import misleads
from ccq_tui.questions.model import CLAUDE, Option
from ccq_tui.questions.state import Focus, Page, PanelState
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.hints import NARROW, cut, cut_start
from ccq_tui.widgets.lines import flowing, indented, verbatim, wrapped
from ccq_tui.widgets.measures import FIELD_LINES
from ccq_tui.widgets.palette import Palette
from ccq_tui.words import plural

REVIEW = "Review your answers"
TAB_META = "question_tab"
LONGEST_HEADER = 24
LONGEST_TITLE = 60
LONGEST_ASKER = 40
LARGE_TEXT = 600
"""Most characters of a text that the list shows; `p` shows the whole of it."""
DIGITS = 9
PREVIEW_SIGN = "▤"
"""Sign of a preview: on a row whose preview is not on the screen, and before its title."""
MORE = "…"
MARKS = {False: ("○", "●"), True: ("◻", "◼")}
"""(off, on) for single and for multi select."""


def shown(text: str) -> str:
    """Return text harmless and short enough for the list, with a sign where its end is missing."""
    if len(text) <= LARGE_TEXT:
        return safe(text)
    part = text[:LARGE_TEXT]
    return f"{safe(part.rpartition(' ')[0] or part)} {MORE}"


@lru_cache(maxsize=2048)
def wrapped_once(text: str, style: Style, width: int) -> tuple[Text, ...]:
    """Wrap a text that is drawn again and again, once per style and width."""
    return tuple(wrapped(Text(text, style), width))


def cut_lines(lines: Sequence[Text], most: int, width: int) -> Sequence[Text]:
    """Return at most ``most`` lines, the last one filled and with a sign where the rest is missing."""
    if len(lines) <= most:
        return lines
    if most < 1:
        return ()
    rest = " ".join(line.plain for line in lines[most - 1 : most + 2])
    filled = cut(rest, width)
    sign = "" if filled.endswith(MORE) else MORE
    return (*lines[: most - 1], Text(f"{cut(rest, width - 1)}{sign}" if sign else filled, lines[0].style))


def cut_middle(text: str, room: int) -> str:
    """Return a text on one line of at most ``room`` cells, with a sign where its middle is missing."""
    line = one_line(text, LARGE_TEXT)
    if cell_len(line) <= room:
        return line
    head = set_cell_size(line, max(1, (room - 1) // 2)).rstrip()
    return head + cut_start(line[len(head) :], room - cell_len(head))


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a list: every text of an option begins at the same one.

    Attributes:
        width: Cells of the list.
        low: Whether the screen is low.
        beside: Whether a preview is beside the list.
    """

    width: int
    low: bool
    beside: bool = False

    def room(self, at: int) -> int:
        """Return the cells from one to the right edge, the last one left free where there is room."""
        return max(2, self.width - at - (self.width >= NARROW or self.beside))

    @property
    def text(self) -> int:
        """Cells of a text of an option."""
        return self.room(AT_TEXT)


AT_ASIDE, AT_MARK, AT_TEXT = 1, 3, 8
"""Cells at which the question, marks, and the texts of an option begin."""


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option, or one's own words, as they are drawn.

    Attributes:
        label: The label.
        badge: The badge behind it, and the sign of a preview that is not on the screen.
        about: The description, harmless.
        style: Style of the label.
        own: Whether it is the row for one's own words, which are cut at their end.
    """

    label: str
    badge: Text
    about: str
    style: Style
    own: bool = False

    def named(self, width: int) -> list[Text]:
        """Return the whole label with its badge."""
        lines = [line.copy() for line in wrapped_once(self.label, self.style, width)]
        if self.own:
            return [line.copy() for line in cut_lines(lines, FIELD_LINES, width)]
        if lines[-1].cell_len + self.badge.cell_len <= width:
            lines[-1].append_text(self.badge)
        else:
            lines.append(Text(self.badge.plain.lstrip(), self.badge.style))
        return lines

    def brief(self, width: int, *, whole: bool, muted: Style) -> list[Text]:
        """Return the label, ``whole`` or cut to one line, with what fits of the description behind it."""
        lines = self.named(width)
        sign = f" {MORE}" if self.about else ""
        room = width - len(sign)
        if not whole and (len(lines) > 1 or lines[0].cell_len > room):
            if self.own:
                return [Text(cut(self.label, width), self.style)]
            label = cut_middle(self.label, room - self.badge.cell_len)
            return [Text.assemble((label, self.style), self.badge, (sign, muted))]
        left = width - lines[-1].cell_len - 2
        about = one_line(self.about, LARGE_TEXT) if self.about else ""
        # Fewest cells of a description behind a label that say anything.
        if about and (left >= 10 or cell_len(about) <= left):
            lines[-1].append(f"  {cut(about, left)}", muted)
        elif about and left > 0:
            lines[-1].append(sign, muted)
        elif about:
            lines.append(Text(MORE, muted))
        return lines


def option_row(option: Option, *, on: bool, signed: bool, palette: Palette) -> OptionRow:
    """Return an option as a row; ``signed`` says that it has a preview."""
    empty = not option.title.strip()
    style = palette.muted if empty else palette.accent if on else palette.plain
    behind = Text()
    if option.recommended:
        behind.append(" ★", palette.badge)
    if signed and option.preview:
        behind.append(f" {PREVIEW_SIGN}", palette.note)
    label = prose.EMPTY_LABEL if empty else shown(option.title)
    return OptionRow(label, behind, shown(option.description), style)


def own_row(page: Page, *, on: bool, palette: Palette) -> OptionRow:
    """Return the row for one's own words."""
    typed = page.draft.other
    if not typed.strip():
        return OptionRow("Other…", Text(), "", palette.muted, own=True)
    return OptionRow(shown(typed), Text(), "", palette.accent if on else palette.warning, own=True)


def mark(page: Page, place: int, *, on: bool, numbered: bool, palette: Palette) -> Text:
    """Return the mark and the number of a row, up to the cell of its label."""
    numbered = numbered and place < DIGITS and not misleads(page.question)
    number = str(place + 1) if numbered else " "
    sign = MARKS[page.question.multi_select][on]
    return Text.assemble((sign, palette.accent if on else palette.muted), (f" {number}  ", palette.muted))


# -- the question --------------------------------------------------------------------------------------------


def question_lines(
    state: PanelState, page: Page, grid: Grid, palette: Palette, *, titled: bool = True
) -> list[Text]:
    """Return the question with an introduction, a description, and which answers it allows."""
    drawn, width = safe if state.questions.is_agreement else shown, grid.room(AT_ASIDE)
    titled = titled and grid.width < NARROW and state.asker == CLAUDE
    texts = _texts(state, page, palette, state.questions.title * titled)
    return [line for text, style in texts for line in wrapped_once(drawn(text), style, width)]


def _texts(state: PanelState, page: Page, palette: Palette, *titles: str) -> Iterator[tuple[str, Style]]:
    """Yield the texts of a question with the titles above it, but empty ones."""
    question = page.question
    intro = state.questions.intro if question is state.pages[0].question else ""
    above, below = (intro, *titles), (question.description, allowed_words(question))
    yield from ((text, palette.muted) for text in above if text)
    yield question.text, palette.strong
    yield from ((text, palette.muted) for text in below if text)


def folded(lines: Sequence[Text], keep: tuple[int, int], width: int, palette: Palette) -> list[Text]:
    """Return the first and the last lines of a question, with a sign that counts those between them."""
    first, last = keep
    missing = len(lines) - first - last
    if missing < 1:
        return list(lines)
    sign = f" {MORE} {plural(missing, 'line')} {MORE}"
    end = lines[first - 1].copy()
    end.truncate(max(1, width - len(sign)))
    end.append(sign, palette.warning)
    return [*lines[: first - 1], end, *lines[-last:]]


def unseen_words(state: PanelState, *, short: bool = False, counted: bool = False) -> str:
    """Return the warning: the number of unseen lines, how to see them, and the key that decides anyway.

    ``short``: without how to see them, and without the number where another row has ``counted`` them.
    """
    if state.warned is None or not state.questions.is_guarded:
        return ""
    lines, does, key = unseen_lines(state), "allows", "Shift+PgDn" if state.typing else "Space"
    if state.questions.editable:
        does, key = "approves", key_of("page_down")
    elif state.questions.is_agreement:
        does, key = "accepts", key_of("preview")
    one, again = lines == "1 line", f"{state.warned[1]} again {does}"
    if short:
        return again if counted else f"{again} {lines.replace(' line', ' unseen line')}"
    many = f"{lines} {'was' if one else 'were'} never on the screen"
    return f"{many} · {key} shows {'it' if one else 'them'} · {again}"


# -- the head ------------------------------------------------------------------------------------------------


def who_asks(state: PanelState) -> str:
    """Return who asks, in the head."""
    asker, title = one_line(state.asker, LONGEST_ASKER), one_line(state.questions.title, LONGEST_TITLE)
    if not title:
        return state.questions.called if state.questions.is_form else f"{asker} asks"
    return title if state.asker == CLAUDE else f"{asker}: {title}"


def tabs(state: PanelState, palette: Palette) -> list[Text]:
    """Return the tabs of the head: the questions, more that may come, and the review."""
    found = [_tab(state, index, palette) for index in state.all_tabs]
    if state.is_growing:
        found.insert(len(state.pages), Text(MORE, palette.muted))
    return found


def place(state: PanelState, palette: Palette) -> Text:
    """Return the place in a form, in words where its tabs have no room."""
    if state.in_review:
        return _tab(state, state.tab, palette)
    optional = " (optional)" if state.page.question.optional else ""
    number, count = state.asked_tabs.index(state.tab) + 1, len(state.asked_tabs)
    words = f"Question {number} of {count}{optional}"
    return Text.assemble((f"{signs.WAITS} ", palette.warning), (words, palette.accent))


def _tab(state: PanelState, index: int, palette: Palette) -> Text:
    here = index == state.tab
    if index == len(state.pages):
        sign, label, on = "", "Review", not state.open_tabs
    else:
        page = state.pages[index]
        on = page.answered
        sign = f"{signs.DONE} " if on else "☐ "
        label = one_line(page.question.header, LONGEST_HEADER) or f"Question {index + 1}"
    style = palette.accent if here else palette.plain if on else palette.muted
    mark = (f"{signs.WAITS} ", palette.warning) if here else (sign, style)
    tab = Text.assemble(mark, (label, style))
    tab.stylize(Style(meta={TAB_META: index}))
    return tab


# -- the review ----------------------------------------------------------------------------------------------


def review_mark(page: Page | None, index: int, palette: Palette) -> Text:
    """Return the mark of a row of the review; None is its last row, which confirms."""
    if page is None:
        return Text(f"{signs.UNDELIVERED}    ", palette.accent)
    empty_is_fine = page.proposed or (page.question.field and not page.lacking)
    open_style = palette.muted if empty_is_fine else palette.warning
    sign = (signs.DONE, palette.added) if page.answered else ("☐", open_style)
    number = str(index + 1) if index < DIGITS else " "
    return Text.assemble(sign, (f" {number}  ", palette.muted))


def review_row(page: Page, width: int, palette: Palette, *, brief: bool = False) -> list[Text]:
    """Return a question with its answer and its note; in ``brief``, each takes one line."""
    question = wrapped_once(shown(page.question.text), palette.plain, width)
    answer = indented(_answer(page, width - 2, palette), Text("→ ", palette.muted), 2)
    if page.unselected and not page.problem:
        left = wrapped_once(prose.UNSELECTED + shown(page.unselected), palette.warning, width - 2)
        answer += indented(left, Text("  "), 2)
    note = wrapped_once(shown(page.draft.note), palette.note, width - 2) if page.draft.note else ()
    texts = (question, answer, indented(note, Text("✎ ", palette.note), 2))
    return [line for text in texts for line in (cut_lines(text, 1, width) if brief else text)]


def _answer(page: Page, width: int, palette: Palette) -> tuple[Text, ...]:
    if page.problem:
        own = page.question.seen(page.draft.other)
        value = own if page.is_field else ", ".join(prose.answer_parts(page.seen))
        return wrapped_once(f"{shown(value)} · {safe(page.problem)}", palette.warning, width)
    answer = page.seen
    if answer.empty:
        return wrapped_once(prose.NONE_SELECTED, palette.accent, width)
    if not answer.given and page.question.field and not page.lacking:
        empty = prose.SKIPPED if page.question.skippable else prose.LEFT_EMPTY
        return wrapped_once(empty, palette.muted, width)
    if not answer.given:
        return wrapped_once(prose.NO_ANSWER, palette.warning, width)
    parts = prose.answer_parts(answer)
    # In a joined list, commas within a label would read as commas between labels.
    joined = [", ".join(parts)] if not any("," in part or "\n" in part for part in parts) else parts
    if page.proposed:
        joined[-1] += f" · {prose.PROPOSED}"
    return tuple(line for part in joined for line in wrapped_once(shown(part), palette.accent, width))


def submit_row(state: PanelState, width: int, palette: Palette) -> list[Text]:
    """Return the last row of the review, which confirms."""
    form = state.questions.is_form
    empty = sum(page.chose_none for page in state.asked_pages)
    proposed = state.proposed_count
    given = state.answered_count + proposed
    label = Text("Submit the form" if form else f"Submit {plural(given, 'answer')}", palette.strong)
    # An optional field may stay empty.
    missing = sum(page.lacking for page in state.asked_pages) if form else len(state.pages) - given
    lacking = f"{plural(missing, 'required field')} empty" if form else f"{missing} with “{prose.NO_ANSWER}”"
    notes = [*([lacking] if missing else []), *([f"{empty} with “{prose.NONE_SELECTED}”"] if empty else [])]
    notes += [f"{proposed} {prose.PROPOSED}"] if proposed else []
    if notes:
        label.append("  " + " · ".join(notes), palette.warning)
    return wrapped(label, width)


# -- previews ------------------------------------------------------------------------------------------------


def preview_lines(option: Option | None, width: int, palette: Palette) -> Iterator[Text]:
    """Yield the lines of a preview exactly as it came, each made on demand."""
    if option is not None and option.preview:
        for line in option.preview.rstrip("\n").split("\n"):
            yield from verbatim(line, Text(), palette.plain, width, palette.muted)


@lru_cache(maxsize=256)
def preview_height(option: Option, width: int, most: int, palette: Palette) -> int:
    """Return the number of lines of a preview, at most ``most``."""
    return sum(1 for _ in islice(preview_lines(option, width, palette), most))


@lru_cache(maxsize=64)
def preview_width(options: tuple[Option, ...], most: int) -> int:
    """Return the cells of the longest line of the previews, as far as they could be seen."""
    cells = 0
    for option in options:
        for line in (option.preview or "")[: LARGE_TEXT * 20].split("\n"):
            cells = max(cells, cell_len(safe(line[: most + 1])))
            if cells >= most:
                return most
    return cells


def _passage(text: str, style: Style, at: int, grid: Grid) -> Iterator[Text]:
    """Yield a text whole, from a cell on; nothing where it is empty."""
    for line in flowing(safe(text), style, grid.room(at)) if text else ():
        yield Text.assemble(" " * at, line)


def large_lines(state: PanelState, grid: Grid, palette: Palette) -> Iterator[Text]:
    """Yield everything about the row under the cursor, with the question first, each text whole."""
    page, question, muted = state.page, state.page.question, palette.muted
    header = question.header if len(question.header) > LONGEST_HEADER else ""
    for text, style in _texts(state, page, palette, state.questions.title, header):
        yield from _passage(text, style, AT_ASIDE, grid)
    if page.is_field or page.cursor >= page.other_row:
        if page.draft.other:
            yield Text()
            yield from _passage(question.seen(page.draft.other), palette.plain, AT_MARK, grid)
        return
    option, on = question.options[page.cursor], page.cursor in page.draft.selected
    place = page.rows.index(page.cursor) if page.cursor in page.rows else DIGITS
    lead = Text.assemble("   ", mark(page, place, on=on, numbered=True, palette=palette))
    label = safe(prose.shown_label(option.title))
    for line in flowing(label, palette.accent if on else palette.plain, grid.text):
        yield Text.assemble(lead, line)
        lead = Text(" " * AT_TEXT)
    yield from _passage(option.description, muted, AT_TEXT, grid)
    if option.preview:
        yield Text()
        for line in preview_lines(option, grid.room(AT_MARK), palette):
            yield Text.assemble("   ", line)


# -- texts that are typed ------------------------------------------------------------------------------------

PLACEHOLDERS = {
    Focus.OTHER: "in your own words",
    Focus.NOTE: "a note beside the answer",
    Focus.FILTER: "words to look for",
}


def placeholder(state: PanelState) -> str:
    """Return what the open text is for, shown while it is empty."""
    if state.page.question.acts:
        act = state.act
        hint = "what else Claude should know" if act is not None and act.allows else "what to do instead"
    elif state.focus is Focus.FIELD:
        unit = one_line(state.page.question.unit, 20)
        hint = state.page.question.placeholder or (f"your answer in {unit}" if unit else "your answer")
    elif state.focus is Focus.DISCUSS:
        instead = " with your draft, not as answers" if state.discussed.answers else " instead of answers"
        hint = f"goes to {one_line(state.asker, LONGEST_ASKER)}{instead}"
    else:
        hint = PLACEHOLDERS.get(state.focus, "")
    return safe(hint, keep_newlines=False, limit=200)


def decline_words(state: PanelState, *, short: bool) -> str:
    """Return the question whether to decline."""
    lost = " Nothing you selected or typed is sent." if state.has_draft and not short else ""
    if state.questions.is_form:
        return f"Decline the form, or cancel it without a decision?{lost}"
    count, asker = len(state.pages), one_line(state.asker, LONGEST_ASKER)
    waits, learns = " still waits at its terminal.", " learns that you do not want to answer."
    then = "" if short else f" {asker}{waits if state.questions.is_prompt else learns}"
    return f"Decline {'the question' if count == 1 else f'all {count} questions'}?{then}{lost}"
