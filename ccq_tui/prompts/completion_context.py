"""Finds the piece of a prompt that is completed at the caret, and completes it."""

import re
from dataclasses import dataclass
from enum import StrEnum


class CompletionKind(StrEnum):
    """The content of a list above the prompt."""

    COMMANDS = "commands"
    FILES = "files"
    HISTORY = "history"


@dataclass(frozen=True, slots=True)
class WantedCompletion:
    """A piece of the prompt that can be completed.

    Attributes:
        kind: The kind of its completions.
        query: The part that is typed.
        start: The index in the text at which the piece begins.
        end: The index at which it ends.
    """

    kind: CompletionKind
    query: str
    start: int = 0
    end: int = 0


# A file's name begins after a blank or an opening sign; in double quotes it may have blanks.
_FILE = re.compile(r'(?:^|(?<=[\s(\[{<,;:"\']))@(?:"([^"\n]*)|([^\s"]*))$')
# A prompt may begin with a path, too; within it a second slash makes a path.
_COMMAND = re.compile(r"(?:\A/(\S*)|(?<=\s)/([^\s/]*))\Z")
_LONGEST = 300


def wanted_at(text: str, caret: int) -> WantedCompletion | None:
    """Return the piece at the caret that can be completed, or None."""
    before = text[:caret]
    recent, offset = before[-_LONGEST:], max(0, caret - _LONGEST)
    patterns = ((CompletionKind.COMMANDS, _COMMAND), (CompletionKind.FILES, _FILE))
    for kind, found in ((kind, pattern.search(recent)) for kind, pattern in patterns):
        if found is not None:
            quoted = kind is CompletionKind.FILES and found[1] is not None
            rest = re.match(r'[^"\n]*"' if quoted else r"\S*", text[caret:])
            end = caret + (rest.end() if rest else 0)
            return WantedCompletion(kind, found[1] or found[2] or "", offset + found.start(), end)
    return None


def completed(text: str, wanted: WantedCompletion, value: str) -> tuple[str, int]:
    """Put a chosen value into the prompt; return the new text and the caret's place in it."""
    if wanted.kind is CompletionKind.HISTORY:
        return value, len(value)
    piece = f"/{value}" if wanted.kind is CompletionKind.COMMANDS else mention(value)
    rest = text[wanted.end :]
    # A directory is completed further; after anything else comes the next word.
    if not (piece.endswith("/") and wanted.kind is CompletionKind.FILES) and not rest.startswith((" ", "\n")):
        piece += " "
        caret = wanted.start + len(piece)
    else:
        caret = wanted.start + len(piece) + (1 if rest.startswith(" ") and not piece.endswith("/") else 0)
    return text[: wanted.start] + piece + rest, caret


def mention(path: str) -> str:
    """Return a path as the CLI reads it in a prompt: in double quotes when it has blanks."""
    return f'@"{path}"' if re.search(r"\s", path) else f"@{path}"
