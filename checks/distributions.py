"""The sdist and the wheel of a directory say what they are, and hold what a user needs."""

import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from packaging.metadata import InvalidMetadata, Metadata

from ccq_tui import DOCS

MOST_BYTES = 6_000_000
NEEDED = ("ccq_tui/py.typed", "ccq_tui/cli/main.py", "themes/ccq-dark.toml")


def content_of(file: Path) -> dict[str, bytes]:
    """The files in a distribution, by their paths in it."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(file) as archive:
        members = [one for one in archive.getmembers() if one.isfile()]
        return {one.name.partition("/")[2]: archive.extractfile(one).read() for one in members}  # type: ignore[union-attr]


def faults(file: Path) -> Iterator[str]:
    """What is wrong with a distribution."""
    content = content_of(file)
    text = next(data for name, data in content.items() if name.endswith(("PKG-INFO", ".dist-info/METADATA")))
    try:
        metadata = Metadata.from_email(text, validate=True)
    except ExceptionGroup as group:
        yield from map(str, group.exceptions)
        return
    except InvalidMetadata as error:
        yield str(error)
        return
    if (metadata.project_urls or {}).get("Documentation") != DOCS:
        yield f"its documentation is not at {DOCS}"
    if file.stat().st_size > MOST_BYTES:
        yield f"it is larger than {MOST_BYTES:,} bytes"
    yield from (f"{name} is missing" for name in NEEDED if not any(one.endswith(name) for one in content))
    yield from (f"{name} is for tests alone" for name in content if name.startswith(("tests/", "snapshots/")))


if __name__ == "__main__":
    found = [f"{file.name}: {fault}" for file in Path(sys.argv[1]).iterdir() for fault in faults(file)]
    sys.exit("\n".join(found) or 0)
