"""Makes text of a model, a tool or a file harmless to draw.

Characters that could move the cursor, reorder what is read, or hide in plain sight become visible signs: ESC
is drawn as ``␛``, a right-to-left override as ``‹U+202E›``. Emoji sequences, Persian and Indic joiners, and
accents stay as they are.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

TAB_SIZE = 4
"""Columns between tab stops."""

MASK = "\ufffd"
"""Replacement for one hidden character where a text must keep its length."""

MAX_MARKS = 4
"""Combining marks kept on one character; living scripts need fewer."""

# Characters that are not drawn, or that change how their neighbours are drawn.
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiner, marks, fillers
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\U00013430-\U0001343f"  # hieroglyph format controls
)
_ASCII_SUSPECT = re.compile("[\x00-\x08\x09\x0b-\x1f\x7f]")

# Anything but the common harmless characters: Latin, Greek, Cyrillic, punctuation, signs, kana, Han, Hangul.
_UNUSUAL = re.compile(
    "[^\n -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u0590\u2010-\u2027\u2030-\u205e\u20a0-\u20cf"
    "\u2100-\u2cff\u3001-\u3029\u3041-\u3096\u309b-\u3130\u3400-\u9fff\uac00-\ud7a3]"
)

_EMOJI = "\u00a9\u00ae\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
_EMOJI_END = _EMOJI + "\ufe0f\U0001f3fb-\U0001f3ff"
_TAKES_VARIATION = (
    _EMOJI + "0-9#*\u203c\u2049\u2100-\u214f\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u1000-\u109f\U0001f3fb-\U0001f3ff"
)
# Arabic, Syriac, N'Ko, Indic, Tibetan, Myanmar, Khmer and their like: scripts whose letters join.
_JOINING = (
    "\u0620-\u06d5\u06e5-\u07ff\u0840-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u17ff\u1900-\u1bff"
    "\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff\U0001e900-\U0001e95f"
)
_FLAG_TAGS = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in name) + "\U000e007f"
    for name in ("gbeng", "gbsct", "gbwls")
)
_LEGITIMATE = (
    "|".join(_FLAG_TAGS),
    f"(?<=[{_EMOJI_END}])\u200d(?=[{_EMOJI}])",
    f"(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])",
    f"(?<=[{_TAKES_VARIATION}])[\ufe0e\ufe0f]",
    "(?<=[\u2200-\u22ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\ufe00-\ufe0d\U000e0100-\U000e01ef]",
)
_MARK_RANGES = (
    *((0x300, 0x3100), (0xA600, 0xAC00), (0xFB1E, 0xFB1F), (0xFE20, 0xFE30), (0x10100, 0x12000)),
    *((0x13430, 0x13460), (0x16AF0, 0x16FF0), (0x1BC9D, 0x1BC9F), (0x1CF00, 0x1E950)),
)


class _Patterns(NamedTuple):
    """Patterns for suspect pieces of text beyond ASCII."""

    hidden: re.Pattern[str]
    mark: re.Pattern[str]
    marks: re.Pattern[str]
    pieces: re.Pattern[str]


@lru_cache(maxsize=1)
def _patterns() -> _Patterns:
    """Compile the patterns for text beyond ASCII, at first use: many sessions meet none for a while."""
    hidden = re.compile(f"[\t{_HIDDEN}]")
    mark = _mark_class(hidden)
    marks = f"(?P<lone>(?:\\A|(?<=\n))(?={mark}))|(?P<run>(?<={mark * MAX_MARKS}){mark}+)"
    pieces = f"(?P<ok>{'|'.join(_LEGITIMATE)})|[{_HIDDEN}]"
    return _Patterns(hidden, re.compile(mark), re.compile(marks), re.compile(pieces))


def _mark_class(hidden: re.Pattern[str]) -> str:
    """Return the combining marks as one character class, in ranges: a long list compiles slowly."""
    ranges: list[list[int]] = []
    for code in (code for start, end in _MARK_RANGES for code in range(start, end)):
        character = chr(code)
        if unicodedata.category(character) not in {"Mn", "Me"} or hidden.match(character):
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges) + "]"


def _replacement(match: re.Match[str]) -> str:
    """Return the replacement for one suspect piece."""
    if match.lastgroup == "ok":
        return match[0]
    if match.lastgroup == "lone":
        return "\u25cc"
    if match.lastgroup == "run":
        return f"‹+{len(match[0])} marks›"
    return placeholder(match[0])


def placeholder(character: str) -> str:
    """Return the visible sign that stands for one character, such as ``␛`` or ``‹U+202E›``."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"‹U+{code:04X}›"


def safe(text: str, *, keep_newlines: bool = True, limit: int | None = None) -> str:
    r"""Make text harmless to draw; text without anything suspect is returned as it is.

    Args:
        text: Text from anywhere, lone surrogates included.
        keep_newlines: False turns line breaks into spaces.
        limit: Most characters to keep, or None for all; the rest is counted at the end.

    Returns:
        Text whose only control character is ``\n``. Applying the function again changes nothing, unless a
        limit cut it.
    """
    left_out = 0
    if limit is not None and len(text) > limit:
        left_out = len(text) - limit
        text = text[:limit].rstrip("\u200c\u200d\ufe0e\ufe0f")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if not keep_newlines and "\n" in text:
        text = text.replace("\n", " ")
    text = _cleaned(text)
    return f"{text}… {left_out:,} more characters" if left_out else text


def _cleaned(text: str) -> str:
    """Replace suspect pieces until none is left."""
    if text.isascii():
        if not _ASCII_SUSPECT.search(text):
            return text
        return _ASCII_SUSPECT.sub(lambda match: _tab_or_sign(match[0]), text).expandtabs(TAB_SIZE)
    if not _UNUSUAL.search(text):
        return text
    patterns = _patterns()
    # A replacement can remove what made its neighbour legitimate: repeat until nothing changes.
    while True:
        cleaned = patterns.pieces.sub(_replacement, text) if patterns.hidden.search(text) else text
        if patterns.mark.search(cleaned):
            cleaned = patterns.marks.sub(_replacement, cleaned)
        if cleaned == text:
            return text.expandtabs(TAB_SIZE) if "\t" in text else text
        text = cleaned


def masked(line: str) -> str:
    """Replace each character that is hidden or hides others by a sign of one cell; the length stays."""
    if line.isascii() or not _UNUSUAL.search(line):
        return line
    patterns = _patterns()
    # A replacement can remove what made its neighbour legitimate, as in `safe`.
    while (
        signed := patterns.pieces.sub(lambda match: match[0] if match.lastgroup == "ok" else MASK, line)
    ) != line:
        line = signed
    return line


def _tab_or_sign(character: str) -> str:
    return character if character == "\t" else placeholder(character)


def reason(error: BaseException) -> str:
    """Return why something failed, for a person: a system error by its words and file, not its number."""
    if isinstance(error, OSError) and error.strerror:
        place = f": {error.filename}" if error.filename else ""
        return f"{error.strerror}{place}"
    return str(error)


def one_line(text: str, limit: int) -> str:
    """Make text harmless and put it on one line of at most ``limit`` characters; a cut ends in "…"."""
    # Anything far beyond the limit cannot be seen: do not read all of a huge text.
    line = " ".join(safe(text[: limit * 4 + 1000]).split())
    if len(line) <= limit:
        return line
    return line[: max(0, limit - 1)].rstrip("\u200c\u200d\ufe0e\ufe0f ") + "…"


def last_sentence(markdown: str) -> str:
    """Return the last sentence of prose in Markdown, without its signs: no code, no row of a table."""
    last, in_code = "", False
    for line in markdown.splitlines():
        words = line.strip()
        in_code ^= words.startswith(("```", "~~~"))
        if not in_code and words.strip("`~-=*_ ") and not words.startswith(("|", "```", "~~~")):
            last = words
    return re.split(r"(?<=[.!?])\s+", re.sub(r"^(?:[#>*+-]+|\d+\.)\s+|\*\*|`", "", last))[-1]


def common_start(one: Sequence[object], other: Sequence[object]) -> int:
    """Return the number of characters, or lines, that two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def fenced(text: str) -> str:
    """Put text into a fence longer than any in it."""
    fence = "`" * (max((len(run) for run in re.findall(r"`{3,}", text)), default=2) + 1)
    return f"{fence}\n{text}\n{fence}"
