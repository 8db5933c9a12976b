"""Paths of images as terminals paste a file that was dropped on them."""

import re
import shlex
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ccq_tui.bounded import begin
from ccq_tui.prompts.images import HEADER_BYTES, header
from ccq_tui.words import bytes_counted

MOST_CHARACTERS = 20_000
"""Most characters of a paste that can be paths, and of a prompt that is searched for mentions."""
ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")
"""Endings of the paths that are checked; the bytes of the file tell its type."""
_QUOTES = "'\""
# As the CLI reads them: after a blank or an opening sign, in double quotes with blanks.
_MENTION = re.compile(r"""(?:^|(?<=[\s(\[{<,;:"']))@(?:"([^"\n]+)"|([^\s"]+))""")


def paths_in(paste: str) -> list[tuple[str, ...]]:
    """Return the ways in which a paste can be read as paths of images; none for anything else.

    It can be one path with blanks, or several in the words of a shell. A bare file name is no path: nobody
    drops that.
    """
    text = paste.strip()
    if len(text) > MOST_CHARACTERS or not _is_path(text.strip(_QUOTES)):  # before the slower checks
        return []
    readings: list[tuple[str, ...]] = [(text.strip(_QUOTES),)] if "\n" not in text else []
    with suppress(ValueError):  # a quote that nothing ends
        readings.append(tuple(shlex.split(text)))
    if "\n" in text:
        readings.append(tuple(line.strip().strip(_QUOTES) for line in text.splitlines() if line.strip()))
    found = [tuple(map(_plain, words)) for words in readings if words and all(map(_is_path, words))]
    return list(dict.fromkeys(found))


def existing(readings: list[tuple[str, ...]], directory: Path) -> tuple[Path, ...]:
    """Return the files of the first reading that are all there, if any. For a thread."""
    for words in readings:
        try:
            paths = tuple(directory / Path(word).expanduser() for word in words)
            if all(path.is_file() for path in paths):
                return paths
        except (OSError, ValueError, RuntimeError):  # too long, with a null byte, of an unknown home
            continue
    return ()


def _is_path(word: str) -> bool:
    return re.match(r"/|~/|\.{1,2}/|file://", word) is not None and word.lower().endswith(ENDINGS)


def _plain(word: str) -> str:
    if not word.startswith("file://"):
        return word
    try:
        address = urlsplit(word)
    except ValueError:
        return word
    return unquote(address.path) if address.netloc in ("", "localhost") else word


def mentioned(text: str) -> list[str]:
    """Return the paths that a prompt mentions by ``@`` and that end as images do, each once."""
    if "@" not in text or len(text) > MOST_CHARACTERS:
        return []
    paths = (found[1] or found[2] for found in _MENTION.finditer(text))
    # So many are more than one prompt can have.
    return list(dict.fromkeys(path for path in paths if path.lower().endswith(ENDINGS)))[:20]


def file_facts(path: Path) -> str:
    """Return the size of an image's file, such as ``640×480, 34 kB``; "" if it is none. For a thread."""
    if not path.name.lower().endswith(ENDINGS):
        return ""
    try:
        found = header(begin(path, HEADER_BYTES))
        size = path.stat().st_size
    except (OSError, ValueError):
        return ""
    return f"{found[1]}×{found[2]}, {bytes_counted(size)}" if found else ""
