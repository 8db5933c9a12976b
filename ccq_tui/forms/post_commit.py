"""The post-commit hook that asks for reflections: put into a repository, taken out, and examined.

It is a marked block at the top of the hook, which leaves the rest of it and its exit status alone. The block
does nothing unless a repository's own configuration turns it on, so that it may be in a hook of several
repositories. Runs git: for threads.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ccq_tui.bounded import JSON_BYTES, UnfitFileError, read_bytes
from ccq_tui.edited_file import Edit, EditedFile
from ccq_tui.forms.commits import repo_git, top_of
from ccq_tui.processes import own_command
from ccq_tui.stored import write_whole
from ccq_tui.worktrees.git import GitError

SWITCH = "ccq.reflect"
SECTION = "hook.ccq-reflect"
"""A hook in git's own configuration, where an earlier version put it."""
BEGIN = "# >>> ccq-tui reflect: asks about a commit; written by ccq-tui reflect install >>>\n"
END = "# <<< ccq-tui reflect <<<\n"
SHELL = "#!/bin/sh\n"
_SCRIPT = Path(__file__).with_suffix(".sh")
_BLOCK = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
_SHELLS = re.compile(r"#!.*\b(?:ba|da|k|z|a)?sh\b")


class HookError(Exception):
    """The hook cannot be changed; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class HookChange:
    """What installs or uninstalls the hook in a repository.

    Attributes:
        top: The top of its working tree.
        edits: The changes of hooks.
        where: The file that has the hook afterwards, or "".
        is_set: Whether git's own configuration is as it will be.
        makes: Whether that file is a new one.
    """

    top: Path
    edits: list[Edit]
    where: str = ""
    is_set: bool = True
    makes: bool = False

    @property
    def more(self) -> list[str]:
        """What changes beside files, in words."""
        return [] if self.is_set else [f"git config --local {SWITCH} {'true' if self.where else '--unset'}"]

    def finish(self) -> None:
        """Turn it on or off, once the files are changed; raises `GitError`."""
        if _setting(self.top, f"{SECTION}.command"):
            repo_git(self.top, "config", "--local", "--remove-section", SECTION)
        if self.where:
            repo_git(self.top, "config", "--local", SWITCH, "true")
        elif _setting(self.top, SWITCH):
            repo_git(self.top, "config", "--local", "--unset-all", SWITCH)
        for edit in self.edits:
            file = edit.file.path
            if not file.exists():
                _exclude(self.top, file, out=True)
            elif self.makes and str(file) == self.where:
                _exclude(self.top, file)


def installing(directory: Path) -> HookChange:
    """Return what puts the hook into the repository of a directory, in place of an earlier one of ours.

    Raises:
        GitError: No repository is there, or git fails.
        HookError: It would change a file that git tracks, or one that cannot be changed.
    """
    top = top_of(directory)
    edits = _removals(top)
    tracked = [file for file in _blocks(top) if _is_tracked(top, file)]
    makes = False
    if not tracked:
        file = _place(top)
        makes = not file.exists()
        edits = [edit for edit in edits if edit.file.path != file]
        edits.append(Edit(_edited(file), _with_block, _without_block))
        tracked = [file]
    is_set = _setting(top, SWITCH) == "true" and not _setting(top, f"{SECTION}.command")
    return HookChange(top, edits, str(tracked[0]), is_set, makes)


def uninstalling(directory: Path) -> HookChange:
    """Return what takes the hook out, and turns off what is in files that git tracks; raises `GitError`."""
    top = top_of(directory)
    is_set = not (_setting(top, SWITCH) or _setting(top, f"{SECTION}.command"))
    return HookChange(top, _removals(top), is_set=is_set)


def status(directory: Path) -> tuple[list[str], str]:
    """Return where the hook is, and why it does not ask although it was installed, or "".

    Raises `GitError`.
    """
    top = top_of(directory)
    files = list(map(str, _blocks(top)))
    if _setting(top, SWITCH) != "true":
        return files, "it is turned off here" if files else ""
    return files, "" if files else "another program has replaced the hook"


def _place(top: Path) -> Path:
    """Return the hook that takes the block; raises `HookError`."""
    file = next((one for one in _files(top) if not _is_tracked(top, one)), None)
    if file is None:
        raise HookError(
            f"git tracks {_files(top)[0]}, which others share: add “ccq-tui reflect” to it yourself"
        )
    if (file.is_symlink() or file.exists()) and not _is_shell_script(file):
        raise HookError(f"{file} is no shell script that git runs: add “ccq-tui reflect” to it yourself")
    return file


def _edited(file: Path) -> EditedFile:
    return EditedFile(file, file.parent, 0o755)


def _with_block(text: str) -> str:
    rest = _without_block(text) or SHELL
    first = rest.find("\n") + 1 if rest.startswith("#!") else 0
    return rest[:first] + BEGIN + _script(own_command()) + END + rest[first:]


def _without_block(text: str) -> str:
    return _BLOCK.sub("", text)


def _removals(top: Path) -> list[Edit]:
    common = top / repo_git(top, "rev-parse", "--git-common-dir").rstrip("\n")
    files = _blocks(top, common.resolve() / "hooks" / "post-commit")
    return [
        Edit(_edited(file), _without_block, _without_block) for file in files if not _is_tracked(top, file)
    ]


def _files(top: Path) -> list[Path]:
    """Return the post-commit hooks that git runs here, the best place first."""
    hooks = _git_path(top, "hooks")
    # Husky writes its directory "_" again with each installation, and runs the files beside it.
    places = [hooks.parent, hooks] if hooks.name == "_" else [hooks]
    return [place.resolve() / "post-commit" for place in places]


def _blocks(top: Path, *more: Path) -> list[Path]:
    """Return the files that hold the block; pre-commit moves a hook that it finds, and runs it there."""
    files = dict.fromkeys((*_files(top), *more))
    every = [one for file in files for one in (file, file.with_name("post-commit.legacy"))]
    return [file for file in every if _BLOCK.search(_text(file))]


def _git_path(top: Path, name: str) -> Path:
    return top / repo_git(top, "rev-parse", "--git-path", name).rstrip("\n")


def _is_tracked(top: Path, file: Path) -> bool:
    try:
        return bool(repo_git(top, "ls-files", "--error-unmatch", "--", str(file)))
    except GitError:
        return False


def _exclude(top: Path, file: Path, *, out: bool = False) -> None:
    """Keep a new hook beside tracked files out of ``git add``, in this repository alone."""
    if not file.is_relative_to(top) or file.is_relative_to(top / ".git"):
        return
    excluded = _git_path(top, "info/exclude")
    line = os.fsencode(f"/{file.relative_to(top).as_posix()}")
    lines = excluded.read_bytes().splitlines() if excluded.exists() else []
    kept = [one for one in lines if one != line] + ([] if out else [line])
    if kept != lines:
        write_whole(excluded, b"".join(one + b"\n" for one in kept), 0o644)


def _text(file: Path) -> str:
    """Return the text of a small file; that of any other is ""."""
    with suppress(OSError, UnfitFileError, UnicodeDecodeError):
        return read_bytes(file, JSON_BYTES).decode()
    return ""


def _is_shell_script(file: Path) -> bool:
    """Whether a file is a hook to which a block can be added."""
    text = _text(file)
    # Husky and git run a hook that names no interpreter with the shell.
    is_shell = not text.startswith("#!") or _SHELLS.match(text)
    if not text or not is_shell or file.is_symlink():
        return False
    return bool(file.stat().st_mode & 0o100) or (file.parent / "_").is_dir()


def _setting(top: Path, name: str) -> str:
    return repo_git(top, "config", "--local", "--get", "--default=", name).strip()


def _script(command: Sequence[str]) -> str:
    return _SCRIPT.read_text(encoding="utf-8").replace("@COMMAND@", shlex.join(command))
