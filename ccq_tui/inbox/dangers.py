"""What a call may do that is hard to undo, recognized by its words: a hint for a person, no protection."""

import os.path
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import PurePath

from ccq_tui.inbox.file_changes import EDITING
from ccq_tui.inbox.requests import PermissionRequest

DANGERS = (
    ("deletes whole directories", (r"(/\S*/)?rm", r"-(?=\w*[rR])\w+|--recursive")),
    ("forces a push", (r"(/\S*/)?git", "push", r"-(?=\w*f)\w+|--force\S*|\+\S+")),
    ("overrides a safeguard", ("--force",)),
    ("runs what it downloads", (r"(/\S*/)?(curl|wget)", r"(/\S*/)?((ba|da|z)?sh|eval|source|python3?)")),
    ("may change your permissions", (r"(\S*/)?\.claude/settings(\.local)?\.json",)),
)
"""What a pipeline may do, in words, and the patterns of words that are all in it."""
PIPELINES, WORDS = re.compile(r"[;&\n]+|\|\|"), re.compile(r"[^\s|\"'`$()<>]+")


def placed(request: PermissionRequest, directory: str) -> PermissionRequest:
    """Return a request as its session's directory shows it: with its danger, without what grants nothing."""
    granted = [
        one
        for one in request.suggestions
        if one.kind == "addDirectories" and all(is_inside(path, directory) for path in one.directories)
    ]
    return replace(
        request,
        suggestions=tuple(one for one in request.suggestions if one not in granted),
        blocked_path="" if is_inside(request.blocked_path, directory) else request.blocked_path,
        danger=", ".join(dict.fromkeys(_dangers(request, directory))),
    )


def is_inside(path: str, directory: str) -> bool:
    """Whether a path is in a directory, by its words alone; links are not followed."""
    whole = os.path.normpath(PurePath(directory, path))
    return not path.startswith("~") and PurePath(whole).is_relative_to(directory)


def _dangers(request: PermissionRequest, directory: str) -> Iterator[str]:
    """Yield what a call may do; the CLI offers to read what a command only reads."""
    edited = request.input.get("notebook_path", request.input.get("file_path"))
    path = str(edited) if request.tool in EDITING and edited else request.blocked_path
    # Most characters of a command that are looked at.
    pipelines = PIPELINES.split(request.command[:10_000].replace("\\\n", " "))
    for words in ([str(PurePath(directory, path))], *(WORDS.findall(one) for one in pipelines)):
        found = (
            danger
            for danger, patterns in DANGERS
            if all(any(re.fullmatch(one, word) for word in words) for one in patterns)
        )
        yield from islice(found, 1)
    reads = any(rule.tool == "Read" for one in request.suggestions for rule in one.rules)
    if path and not reads and not is_inside(path, directory):
        yield "writes outside the project"
