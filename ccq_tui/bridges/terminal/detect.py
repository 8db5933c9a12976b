"""Rules applied to a screen to find the prompt at which a program waits. No prompt beats a false one."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from ccq_tui.bridges.terminal.rules import PromptRule, Shape
from ccq_tui.bridges.terminal.screen import ScreenPicture

SECRET = re.compile(
    r"pass[ -]?(?:word|phrase|code)|\bpasswd\b|\bsecrets?\b|\bpin\b|\bcredentials?\b|\btokens?\b"
    r"|\b(?:api|access|private|licen[cs]e|activation|encryption|recovery)[ _-]?keys?\b"
    r"|\b(?:verification|security|login|authentication|authenticator|recovery|backup|access)[ -]codes?\b"
    r"|\bone[- ]time\b|\botp\b|\b2fa\b|\bmfa\b|\bauthenticator\b|\b(?:seed|recovery) phrase\b|\bmnemonic\b"
    r"|\bcard number\b|\bcv[cv]2?\b|\bssn\b|\bsocial security\b"
    r"|kennwort|passwort|mot de passe|contraseña",
    re.IGNORECASE,
)
"""A text that asks for a secret."""
SECRET_VALUE = re.compile(
    r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)"  # name and password in a URL
    r"|\b(?:sk|pk|rk|gh[opusr]|github_pat|glpat|xox[abprs]|npm|pypi|hf)[-_][\w-]{12,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*"
    r"|(?<=password=)\S+|(?<=token=)\S+|(?<=secret=)\S+|(?<=api_key=)\S+",
    re.IGNORECASE,
)
"""A password or token in a text."""

_WORD = re.compile(r"\w")
_FULL_WIDTH = str.maketrans("：？（）［］／，", ":?()[]/,")
ENTER_ALONE = "Enter alone"
MOST_ROWS = 100
LONGEST_LINE = 600
"""Most characters of a prompt's line: the work of a pattern may grow with their cube."""
LONGEST = 2000
"""Most characters of a text that a pattern is tried on."""


@dataclass(frozen=True, slots=True)
class Reads:
    """A program's way of reading from its terminal.

    Attributes:
        echo: Whether the terminal shows typed text.
        lines: Whether the terminal gives it whole lines.
    """

    echo: bool = True
    lines: bool = True


@dataclass(frozen=True, slots=True)
class PromptRow:
    """A row of a list, or a numbered line.

    Attributes:
        label: Its text.
        y: Its line on the screen.
        marked: Whether the mark is on it.
        checked: Whether its box is checked; None without a box.
        detail: The text that explains it, or "".
        number: Its number, or "".
        disabled: Whether the mark may be on it, but it cannot be chosen.
    """

    label: str
    y: int
    marked: bool = False
    checked: bool | None = None
    detail: str = ""
    number: str = ""
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class FoundPrompt:
    """A prompt on the screen.

    Attributes:
        rule: The rule that found it.
        question: Its question.
        at: The line on which it begins, counted from the first that the terminal ever had.
        rows: The rows of a list, or the numbered lines.
        words: The labels of the options of a yes-no or letters prompt, each with the text to type for it.
        typed: The text already in its field.
        lead: The text of the cursor's line before that.
        default: The text or the label of what an empty answer means, or "".
    """

    rule: PromptRule
    question: str
    at: int
    rows: tuple[PromptRow, ...] = ()
    words: tuple[tuple[str, str], ...] = ()
    typed: str = ""
    lead: str = ""
    default: str = ""

    @property
    def marked(self) -> int:
        """The index of the marked row, or -1."""
        return next((index for index, row in enumerate(self.rows) if row.marked), -1)

    @property
    def choices(self) -> list[PromptRow]:
        """The rows that can be chosen."""
        return [row for row in self.rows if not row.disabled]


def masked(text: str) -> str:
    """Return a text without the passwords and tokens in it."""
    return SECRET_VALUE.sub("•••", text)


class NoPromptError(Exception):
    """A rule does not fit."""


def find(picture: ScreenPicture, reads: Reads, rules: Sequence[PromptRule]) -> FoundPrompt | None:
    """Return the prompt at which a program waits, or None.

    Args:
        picture: The screen, once it rests.
        reads: The program's way of reading.
        rules: The rules; the first that fits wins.
    """
    if reads.lines and not reads.echo:  # the terminal shows nothing of what is typed: a password, perhaps
        return None
    for rule in rules:
        with suppress(NoPromptError):
            _check_reading(rule, picture, reads)
            prompt = _list(rule, picture) if rule.shape.is_list else _line(rule, picture)
            secret = SECRET.search(prompt.question) or SECRET_VALUE.search(prompt.typed)
            return None if secret else prompt
    return None


def _check_reading(rule: PromptRule, picture: ScreenPicture, reads: Reads) -> None:
    if rule.reading == "keys" and reads.lines:
        raise NoPromptError("the program reads lines, not keys")
    if rule.reading == "lines" and not reads.lines:
        raise NoPromptError("the program reads keys, not lines")
    if rule.shape is Shape.TEXT and picture.hidden:
        raise NoPromptError("the cursor is hidden, so no text is typed there")


# -- prompts that take a line -------------------------------------------------------------------------------


def _line(rule: PromptRule, picture: ScreenPicture) -> FoundPrompt:
    y = picture.cursor[1]
    begin = picture.begin_of(y)
    above = _line_above(picture, begin) if rule.paragraph else ""
    text = above + picture.typed
    match = rule.prompt.fullmatch(text.translate(_FULL_WIDTH)) if len(text) <= LONGEST_LINE else None
    if match is None:
        raise NoPromptError("the text up to the cursor does not match")
    if picture.after:
        raise NoPromptError("something stands after the cursor")
    _check_below(rule, picture, range(y + 1, picture.end))
    rows = _numbered(rule, picture, begin) if rule.shape is Shape.NUMBER else ()
    groups = match.groupdict()
    asked = text[slice(*match.span("question"))]
    heading = _heading(picture, rows[0].y) if rows else ""
    return FoundPrompt(
        rule,
        " ".join(f"{heading} {asked}".split()) or "Which one?",
        picture.scrolled + begin,
        rows=rows,
        words=_words(rule, groups),
        typed=groups.get("typed") or "",
        lead=_lead(match, text, len(above)),
        default=_default(rule, groups, rows),
    )


def _line_above(picture: ScreenPicture, y: int) -> str:
    """Return the text of the next line above that is not blank, at most two up, with a blank behind it."""
    last = next((line for line in (y - 1, y - 2) if line >= 0 and picture.lines[line]), -1)
    return f"{picture.joined(picture.begin_of(last), last + 1)} " if last >= 0 else ""


def _lead(match: re.Match[str], text: str, begin: int) -> str:
    """Return the part of a prompt's line, which begins there, that stays the same whatever a person types."""
    end = match.start("typed") if "typed" in match.re.groupindex else match.end("question")
    return text[begin:end] if end > begin and match["question"] else text[begin:].rstrip()


def _check_below(rule: PromptRule, picture: ScreenPicture, left: Iterable[int]) -> None:
    for line in (picture.lines[y] for y in left):
        if line and not rule.below.fullmatch(line[:LONGEST]):
            raise NoPromptError("the screen continues below it")


def _words(rule: PromptRule, groups: Mapping[str, str | None]) -> tuple[tuple[str, str], ...]:
    """Return the answers that a prompt names, each with the text to type for it."""
    if rule.shape is Shape.YES_NO:
        return tuple(
            (word.capitalize(), (groups.get(word) or getattr(rule, word)).lower()) for word in ("yes", "no")
        )
    if rule.shape is not Shape.LETTERS:
        return ((ENTER_ALONE, ""),) if rule.shape is Shape.ENTER else ()
    text = groups["letters"] or ""
    parts = text.split(next((one for one in ",|/" if one in text), None))
    return tuple((part, part) for part in dict.fromkeys(part.strip() for part in parts) if part)


def _default(rule: PromptRule, groups: Mapping[str, str | None], rows: Sequence[PromptRow]) -> str:
    """Return the text or the label of what an empty answer means, or ""."""
    default = (groups.get("default") or "").strip()
    if rule.shape is Shape.YES_NO:
        capitals = [word for word in ("yes", "no") if (groups.get(word) or "")[:1].isupper()]
        default = default or ("" if len(capitals) > 1 else "".join(capitals))
        return {"y": "Yes", "n": "No"}.get(default[:1].lower(), "")
    if rule.shape is Shape.NUMBER:
        return next((row.label for row in rows if default in (row.number, row.label)), "")
    return default


def _numbered(rule: PromptRule, picture: ScreenPicture, below: int) -> tuple[PromptRow, ...]:
    """Return the numbered lines above a prompt, which count from 1 (or 0) on."""
    rows: list[PromptRow] = []
    others, y = 0, below
    while y > 0 and others <= 2:
        y = picture.begin_of(last := y - 1)
        line = picture.joined(y, last + 1)[:LONGEST]
        if found := list(rule.row.finditer(line)):
            rows[:0] = [PromptRow(one["label"].strip(), y, number=one["number"]) for one in found]
        elif rows or _WORD.search(line):
            break
        else:
            others += 1
    rows.sort(key=lambda row: int(row.number))  # columns may go down first
    numbers = [int(row.number) for row in rows]
    # A list may leave out numbers, as gpg's does.
    if len(set(numbers)) < max(2, len(numbers)) or numbers[0] not in (0, 1):
        raise NoPromptError("no numbered lines above it")
    return tuple(rows[:MOST_ROWS])


def _heading(picture: ScreenPicture, y: int) -> str:
    """Return the text above a numbered list, perhaps with a blank line or a rule between, or ""."""
    for last in range(y - 1, max(-1, y - 3), -1):
        if _WORD.search(picture.lines[last]):
            text = picture.joined(picture.begin_of(last), last + 1).strip()
            return text[:LONGEST_LINE] if text.translate(_FULL_WIDTH).endswith(("?", ":")) else ""
    return ""


# -- lists --------------------------------------------------------------------------------------------------


def _list(rule: PromptRule, picture: ScreenPicture) -> FoundPrompt:
    rows, first, last = _block(rule, picture)
    if sum(row.marked for row in rows) != 1:
        raise NoPromptError("not exactly one row is marked")
    if sum(not row.disabled for row in rows) < (1 if rule.shape is Shape.CHECKS else 2):
        raise NoPromptError("there are too few rows")
    if len({row.label for row in rows}) < len(rows):
        raise NoPromptError("two rows say the same")
    question, begin, with_hint = _question(rule, picture, first)
    end = _end(rule, picture, last + 1, with_hint)
    if not picture.hidden and not begin <= picture.cursor[1] <= end:
        raise NoPromptError("the cursor stands elsewhere")
    return FoundPrompt(rule, question, picture.scrolled + begin, rows=rows)


def _block(rule: PromptRule, picture: ScreenPicture) -> tuple[tuple[PromptRow, ...], int, int]:
    """Return the rows around the lowest marked one, and the first and last line of their list."""
    rows = {y: row for y in range(picture.end) if (row := _row(rule, picture, y)) is not None}
    first = last = max((y for y, row in rows.items() if row.marked), default=-1)
    if first < 0:
        raise NoPromptError("no row is marked")
    details = {
        y: text
        for y in range(picture.end)
        if y not in rows and (text := _detail(rule, picture, y)) is not None
    }
    while first - 1 in rows or first - 1 in details:
        first -= 1
    while last + 1 in rows or last + 1 in details:
        last += 1
    while details.get(first):  # what explains no row
        first += 1
    found: list[PromptRow] = []
    for y in range(first, last + 1):
        if y in rows:
            found.append(rows[y])
        elif found and details[y]:
            found[-1] = replace(found[-1], detail=f"{found[-1].detail} {details[y]}".strip())
    return tuple(found[:MOST_ROWS]), first, last


def _detail(rule: PromptRule, picture: ScreenPicture, y: int) -> str | None:
    """Return the text of a line between rows that explains the one above it, "" if it is none, or None."""
    line = picture.lines[y]
    if rule.skip.fullmatch(line[:LONGEST]):
        return ""
    if rule.detail.fullmatch(line[:LONGEST]) or (rule.gray and line and not picture.solid[y]):
        return line.strip() if _WORD.search(line) else ""
    return None


def _row(rule: PromptRule, picture: ScreenPicture, y: int) -> PromptRow | None:
    line = picture.lines[y][:LONGEST]
    skipped = rule.skip.fullmatch(line)
    match = skipped or rule.row.fullmatch(line)
    if match is None or not (groups := match.groupdict()).get("label"):
        return None
    box = groups.get("box")
    mark = (groups.get("mark") or "").strip()
    marked = mark in rule.marked if rule.marked else bool(mark)
    row = PromptRow(
        groups["label"].strip(),
        y,
        marked=y in picture.underlined if rule.underlined else marked,
        checked=box in rule.checked if box is not None else None,
        number=groups.get("number") or "",
        disabled=skipped is not None or y in picture.struck,
    )
    if not rule.gray or row.disabled:
        return row
    if (solid := rule.row.fullmatch(picture.solid[y])) is None:
        return replace(row, disabled=True) if row.marked else None  # gray as a whole: off, or a description
    return replace(row, label=solid["label"].strip(), detail=line[solid.end() :].strip(" -"))


def _question(rule: PromptRule, picture: ScreenPicture, first: int) -> tuple[str, int, bool]:
    """Return the question above a list, the line on which it begins, and whether it has the hint."""
    bottom = first
    while bottom > 0 and bottom > first - 2 and not picture.lines[bottom - 1]:
        bottom -= 1
    for begin in range(bottom - 1, max(-1, bottom - 11), -1):  # a question has ten lines at most
        if not picture.lines[begin]:
            if rule.blanks:
                continue
            break
        text = picture.joined(begin, bottom)
        match = rule.question.fullmatch(text[:LONGEST])
        if match is not None:
            hinted = bool(rule.hint and rule.hint.search(text))
            return " ".join(match["question"].split()), begin, hinted
    raise NoPromptError("the lines above the list do not match")


def _end(rule: PromptRule, picture: ScreenPicture, first: int, hinted: bool) -> int:
    """Return the line on which a list ends, including its hint and the lines that may follow."""
    left = [y for y in range(first, picture.end) if picture.lines[y]]
    if rule.hint is not None and not hinted:
        below = next((y for y in left if rule.hint.search(picture.lines[y][:LONGEST])), None)
        # So many lines below a list may be no row.
        if below is not None and len([y for y in left if y < below]) <= 10:
            first, left = below + 1, [y for y in left if y > below]
        elif rule.needs_hint:
            raise NoPromptError("the hint is missing")
    _check_below(rule, picture, left)
    return max([first, *(y + 1 for y in left)])
