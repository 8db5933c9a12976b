"""The post-commit hook that asks for reflections: put into a repository, taken out, and examined.

It is a marked block at the top of the hook, which runs the rest of it first, and ends with its status. It
asks nothing unless a repository's own configuration turns it on, so that it may be in a hook of several
repositories. Runs git: for threads.
"""

import os
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ccq_tui.bounded import JSON_BYTES, UnfitFileError, read_bytes
from ccq_tui.edited_file import Edit, EditedFile
from ccq_tui.forms.commits import repo_git, top_of
from ccq_tui.processes import own_command
from ccq_tui.stored import write_whole
from ccq_tui.worktrees.git import GitError

AGENTS = (
    *("AGENT", "AI_AGENT", "AUGMENT_AGENT", "CLAUDECODE", "CLINE_ACTIVE", "CODEX_CI", "CODEX_SANDBOX"),
    *("CODEX_THREAD_ID", "CURSOR_AGENT", "GEMINI_CLI", "OPENCODE", "QWEN_CODE", "REPL_ID"),
)
"""The variables in the terminals of agents, where nothing is asked."""
EDITORS = ("INSIDE_EMACS", "NVIM", "TERMINAL_EMULATOR", "VIMRUNTIME", "VIM_TERMINAL", "ZED_TERM")
"""Those in the terminals of editors, where it is asked only if `IN_EDITORS` is true."""
IN_EDITORS = "ccq.reflectInEditors"
SWITCH = "ccq.reflect"
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
        more: What changes apart from files, in words.
        makes: Whether that file is a new one.
    """

    top: Path
    edits: list[Edit]
    where: str = ""
    more: tuple[str, ...] = ()
    makes: bool = False

    def finish(self) -> None:
        """Turn it on or off, once the files are changed; raises `GitError`."""
        if self.where:
            repo_git(self.top, "config", "--local", SWITCH, "true")
        elif _setting(self.top, SWITCH):
            repo_git(self.top, "config", "--local", "--unset-all", SWITCH)
        for edit in self.edits:
            file = edit.file.path
            if not file.exists():
                with suppress(GitError):  # it was in no working tree
                    _exclude(top_of(file.parent), file, out=True)
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
        adding = partial(_with_block, again='sh -e "$0"' if _is_huskys(file) else '"$0"')
        edits.append(Edit(_edited(file), adding, _without_block))
        tracked = [file]
    more = (f"git config --local {SWITCH} true",) * (_setting(top, SWITCH) != "true")
    return HookChange(top, edits, str(tracked[0]), more, makes)


def uninstalling(directory: Path) -> HookChange:
    """Return what takes the hook out, and turns off what is in files that git tracks; raises `GitError`."""
    top = top_of(directory)
    edits = [edit for tree in (top, *_others(top)) for edit in _removals(tree)]
    edits = list({edit.file.path: edit for edit in edits}.values())
    return HookChange(
        top, edits, more=(f"git config --local {SWITCH} --unset",) * bool(_setting(top, SWITCH))
    )


def status(directory: Path) -> tuple[list[str], str]:
    """Return where the hook is, and why it does not ask although it was installed, or "".

    Raises `GitError`.
    """
    top = top_of(directory)
    files = list(map(str, _blocks(top)))
    if _setting(top, SWITCH) != "true":
        return files, "it is turned off here" if files else ""
    return files, "" if files else "git runs no hook here that asks"


def without(directory: Path) -> list[str]:
    """Return the other worktrees of the repository in which git runs no hook that asks; raises `GitError`."""
    return [str(tree) for tree in _others(top_of(directory)) if not _blocks(tree)]


def quiet_in(directory: Path) -> str:
    """Return the variable of this terminal for which nothing is asked in a repository, or "".

    Raises `GitError`.
    """
    editor = "TERM_PROGRAM" if os.environ.get("TERM_PROGRAM") in ("vscode", "zed") else ""
    editors = () if _setting(top_of(directory), IN_EDITORS) == "true" else EDITORS
    found = next((name for name in (*AGENTS, *editors) if os.environ.get(name)), "")
    return found or (editor if editors else "")


def _others(top: Path) -> list[Path]:
    """Return the worktrees of a repository that are there, without one."""
    lines = repo_git(top, "worktree", "list", "--porcelain").split("\n")
    places = [Path(line.removeprefix("worktree ")) for line in lines if line.startswith("worktree ")]
    return [place for place in places if place != top and (place / ".git").exists()]


def _place(top: Path) -> Path:
    """Return the hook that takes the block; raises `HookError`."""
    file = next((one for one in _files(top) if not _is_tracked(top, one)), None)
    if file is None:
        raise HookError(
            f"git tracks {_files(top)[0]}, which others share: add “ccq-tui reflect” to it yourself"
        )
    if file.is_symlink() or file.exists():
        _check_script(file)
    return file


def _edited(file: Path) -> EditedFile:
    return EditedFile(file, file.parent, 0o755)


def _with_block(text: str, again: str) -> str:
    rest = _without_block(text) or SHELL
    first = rest.find("\n") + 1 if rest.startswith("#!") else 0
    return rest[:first] + BEGIN + _script(own_command(), again) + END + rest[first:]


def _without_block(text: str) -> str:
    return _BLOCK.sub("", text)


def _removals(top: Path) -> list[Edit]:
    common = top / repo_git(top, "rev-parse", "--git-common-dir").rstrip("\n")
    hooks = _git_path(top, "hooks").resolve()
    unused = (place / "post-commit" for place in (hooks, hooks.parent, common.resolve() / "hooks"))
    return [
        Edit(_edited(file), _without_block, _without_block)
        for file in _blocks(top, *unused)
        if not _is_tracked(top, file)
    ]


def _files(top: Path) -> list[Path]:
    """Return the post-commit hooks that git runs here, the best place first."""
    file = _git_path(top, "hooks").resolve() / "post-commit"
    # Husky writes its directory "_" again with each installation, and runs the files next to it.
    own = file.parents[1] / file.name
    return [own, file] if file.exists() and _is_huskys(own) else [file]


def _is_huskys(file: Path) -> bool:
    """Whether husky runs a hook, by the shell whatever its mode and first line are."""
    return (file.parent / "_" / "h").is_file()


def _blocks(top: Path, *unused: Path) -> list[Path]:
    """Return the files that git runs, and those of some unused ones, that hold the block.

    Pre-commit moves a hook that it finds, and runs it there.
    """
    files = [one for file in _files(top) for one in (file, file.with_name("post-commit.legacy"))]
    runs = [file for file in files if _is_huskys(file) or os.access(file, os.X_OK)]
    return [file for file in dict.fromkeys((*runs, *unused)) if _BLOCK.search(_text(file))]


def _git_path(top: Path, name: str) -> Path:
    return top / repo_git(top, "rev-parse", "--git-path", name).rstrip("\n")


def _is_tracked(top: Path, file: Path) -> bool:
    try:
        return bool(repo_git(top, "ls-files", "--error-unmatch", "--", str(file)))
    except GitError:
        return False


def _exclude(top: Path, file: Path, *, out: bool = False) -> None:
    """Keep a new hook among tracked files out of ``git add``, in this repository alone."""
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


def _check_script(file: Path) -> None:
    """Raise `HookError` unless a file is a hook to which a block can be added."""
    text = _text(file)
    if "\r\n" in text:
        raise HookError(f"{file} has the line ends of Windows, with which no shell runs it: convert it first")
    # Husky and git run a hook that names no interpreter with the shell.
    is_shell = not text.startswith("#!") or _SHELLS.match(text)
    runs = _is_huskys(file) or os.access(file, os.X_OK)
    if not (text and is_shell and runs) or file.is_symlink():
        raise HookError(f"{file} is no shell script that git runs: add “ccq-tui reflect” to it yourself")


def _setting(top: Path, name: str) -> str:
    return repo_git(top, "config", "--local", "--get", "--default=", name).strip()


def _script(command: Sequence[str], again: str) -> str:
    made = {
        "@AGAIN@": again,
        "@AGENTS@": _any_of(AGENTS),
        "@EDITORS@": _any_of(EDITORS),
        "@COMMAND@": shlex.join(command),
    }
    return re.sub("@[A-Z]+@", lambda found: made[found[0]], _SCRIPT.read_text(encoding="utf-8"))


def _any_of(names: Sequence[str]) -> str:
    return "".join(f"${{{name}-}}" for name in names)
