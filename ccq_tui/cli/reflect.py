"""Commands for reflections on commits: asked, by a git hook too, and read."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

import click

from ccq_tui import DOCS
from ccq_tui.cli.ask import REFUSED, fill, has_terminal, question_form, show
from ccq_tui.cli.edits import changed, note_directory, yes_flag
from ccq_tui.cli.exits import ENDED, Refused, refusing
from ccq_tui.cli.options import flag, with_flags
from ccq_tui.cli.store import since_flag
from ccq_tui.config.paths import expanded
from ccq_tui.forms import post_commit, reflections
from ccq_tui.forms.commits import REFLECTION, commit_context, records_of
from ccq_tui.forms.reading import FormFileError, find_form
from ccq_tui.output import echo
from ccq_tui.questions.model import Asked
from ccq_tui.text import one_line
from ccq_tui.words import listed
from ccq_tui.worktrees.git import GitError

ASK = "commit"
ERRORS = (GitError, post_commit.HookError, OSError)
"""What may be wrong with a repository or a file, in words for a person."""


class RevisionGroup(click.Group):
    """A command group in which anything but the name of a command is a commit to reflect on."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Ask about a commit unless a command or the help is named."""
        named = args and (args[0] in self.commands or args[0] in self.get_help_option_names(ctx))
        return super().parse_args(ctx, args if named else [ASK, *args])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click calls it so)
        """Say in the usage line that both a commit and a command may follow."""
        return ["[REV | COMMAND] [OPTIONS]"]


@click.group(
    cls=RevisionGroup,
    epilog="""\b
  ccq-tui reflect                  on the newest commit
  ccq-tui reflect HEAD~1           on another one
  ccq-tui reflect install          after each commit from now on

"""
    f"More: {DOCS}/reflect.md",
)
def reflect() -> None:
    """Reflect on a commit: ten questions, whose answers become a line of a file.

    REV is a commit in any of git's notations. ccq-tui reflect commit --help lists the options.
    """


@reflect.command(ASK)
@click.argument("revision", metavar="[REV]", default="HEAD")
@click.option("--output", metavar="FILE|-", help="The record's file. [default: .commit-reflections.jsonl]")
@click.option("--plain", is_flag=True, help="Ask line by line.")
def commit(revision: str, output: str | None, plain: bool) -> int:
    """Reflect on a commit: what “ccq-tui reflect [REV]” does."""
    with refusing(*ERRORS):
        context = commit_context(Path.cwd(), revision)
        file = output or str(records_of(Path.cwd()))
        earlier = reflections.of_commit(file, context)
    if earlier:
        if not has_terminal():
            raise Refused(f"{earlier[-1].notice}; name another commit, or another --output.")
        again = question_form(f"{earlier[-1].notice}. Replace it?", "confirm", {"default": False})
        if code := fill(again, {}, "", plain=plain, shown=partial(show, confirms=True)):
            if code == REFUSED:
                echo("Nothing was recorded.", err=True)
            return code
    code = fill(_form(), context, file, plain=plain, replaces=[one.record.get("id") for one in earlier])
    if code == ENDED and file != "-":
        echo(f"Recorded in {one_line(file, 300)}.", err=True)
    return code


@reflect.command()
@yes_flag
def install(yes: bool) -> None:
    """Ask after each commit made at a terminal.

    It does so in this repository and its worktrees. The change is shown first. The rest of the
    hook stays, and a copy of it is kept next to it.
    """
    with refusing(*ERRORS):
        change = post_commit.installing(Path.cwd())
        if not changed(change.edits, yes=yes, same="The hook is installed already", more=change.more):
            return
        change.finish()
    note_directory(change.top)
    echo(f"Installed: {one_line(change.where, 300)}. ccq-tui reflect asks after your next commit.")
    if Path(change.where).parent.name == "_":
        echo("Husky replaces this file at each installation: install it again then.")
    _print_limits()


@reflect.command()
@yes_flag
def uninstall(yes: bool) -> None:
    """Stop asking after commits. Other hooks stay as they were."""
    with refusing(*ERRORS):
        change = post_commit.uninstalling(Path.cwd())
        if changed(change.edits, yes=yes, same="The hook is not installed", more=change.more):
            change.finish()
            echo("Uninstalled: ccq-tui reflect asks no longer.")


@reflect.command()
def status() -> None:
    """Show where the hook is installed, and whether it works."""
    with refusing(*ERRORS):
        where, problem = post_commit.status(Path.cwd())
    echo(f"installed: {_places(where)}" if where else "not installed")
    if problem:
        echo(f"Nothing is asked after a commit: {problem}. To repair: ccq-tui reflect install.")
    elif where:
        _print_limits()


def _print_limits() -> None:
    """Say where an installed hook does not ask."""
    with refusing(*ERRORS):
        trees, variable = post_commit.without(Path.cwd()), post_commit.quiet_in(Path.cwd())
    if trees:
        echo(f"These worktrees have other hooks; install it there, too: {_places(trees)}.")
    if variable in post_commit.AGENTS:
        echo(f"It does not ask in this terminal, which is an agent's: {variable} is set.")
    elif variable:
        more = f"To be asked: git config {post_commit.IN_EDITORS} true."
        echo(f"It does not ask in this terminal, which is an editor's: {variable} is set. {more}")


def _places(paths: Sequence[str]) -> str:
    return listed([one_line(path, 300) for path in paths], reflections.MOST_NAMED)


# -- what was recorded ----------------------------------------------------------------------------------


_reading = with_flags(flag("--file", "FILE", "Another file than .commit-reflections.jsonl."), since_flag)


@reflect.command("list")
@_reading
def list_(file: str | None, start: datetime | None) -> None:
    """List the reflections, the newest last."""
    found = _read(file, start)
    echo("\n".join(reflections.list_lines(found)) if found else "No reflections.")


@reflect.command()
@_reading
@click.option("-n", "--last", type=click.IntRange(1), default=10, show_default=True, help="At most so many.")
def feedback(file: str | None, start: datetime | None, last: int) -> None:
    """Print the last feedback for the agent, for a CLAUDE.md."""
    if text := reflections.feedback(_read(file, start), last):
        echo(text)
    else:
        echo("No feedback yet.", err=True)


def _read(file: str | None, start: datetime | None) -> list[reflections.Reflection]:
    with refusing(*ERRORS):
        path = file or str(records_of(Path.cwd()))
        if file and not expanded(file).exists():
            raise Refused(f"{one_line(file, 300)} does not exist; --file takes a file of reflections.")
        found, rest = reflections.read_reflections(path, start)
    if rest:
        echo(f"Left out of {one_line(path, 300)}: {rest}.", err=True)
    return found


def _form() -> Asked:
    try:
        return find_form(REFLECTION)
    except FormFileError as error:
        raise Refused(str(error)) from error
