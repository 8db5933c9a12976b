"""What controllers of a session's screen compute, without a screen."""

import re
import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent.controls import FilesToRewind
from ccq_tui.agent.events import SessionLost, TurnEnded
from ccq_tui.choices import Notify
from ccq_tui.commands.command import PickRow, called
from ccq_tui.commands.models import CYCLE, MEANINGS, mode_words, next_mode, offered_modes
from ccq_tui.commands.workspace import choices, what_changes
from ccq_tui.runtime.view import BYPASS
from ccq_tui.screens.picker import choosing
from ccq_tui.screens.session.notifications import LOST, news_of, notification_of
from ccq_tui.screens.session.screen import SLASH_COMMANDS
from ccq_tui.screens.session.status import git_branch
from ccq_tui.screens.terminal import Bar, has_progress, notification, progress, wanted_protocol
from tests.tables import each_row, table

TABLES = table(__file__, "controllers.json")


def git(directory: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(
        ["git", *identity, *words], cwd=directory, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_repository_a_directory_in_it_a_worktree_and_a_commit(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (root / "deep" / "er").mkdir(parents=True)
    git(root, "init", "-q", "-b", "feature/x")
    assert git_branch(root / "deep" / "er") == "feature/x"
    git(root, "commit", "-q", "--allow-empty", "-m", "One")
    git(root, "worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    assert git_branch(tmp_path / "tree") == "other"
    git(root, "checkout", "-q", "--detach")
    assert git_branch(root) == git(root, "rev-parse", "HEAD")[:7]


def test_no_repository_and_files_that_are_not_gits(tmp_path: Path) -> None:
    assert git_branch(tmp_path) == ""
    (tmp_path / ".git").write_bytes(b"gitdir: nowhere\xff\0")
    assert git_branch(tmp_path) == ""


def cycled(start: str, offered: tuple[str, ...], times: int) -> list[str]:
    seen = [start]
    for _ in range(times):
        seen.append(next_mode(seen[-1], offered))
    return seen[1:]


def test_only_what_is_offered_is_gone_through() -> None:
    assert cycled("default", offered_modes(auto=False, bypass=False), 3) == ["acceptEdits", "plan", "default"]
    everything = offered_modes(auto=True, bypass=True)
    assert cycled("plan", everything, 3) == ["auto", BYPASS, "default"]
    assert offered_modes(auto=True, bypass=True, refused={"auto", "default"}) == (
        "default",
        "acceptEdits",
        "plan",
        BYPASS,
    )


def test_a_mode_outside_is_left_for_the_first() -> None:
    assert next_mode("dontAsk", offered_modes(auto=True, bypass=False)) == "default"
    assert next_mode("", offered_modes(auto=False, bypass=False)) == "default"


@given(st.booleans(), st.sets(st.sampled_from(CYCLE)))
def test_without_having_started_so_nothing_is_bypassed(auto: bool, refused: set[str]) -> None:
    offered = offered_modes(auto=auto, bypass=False, refused=refused)
    assert BYPASS not in cycled("default", offered, 10)
    assert set(cycled("default", offered, len(offered))) == set(offered)
    assert all(MEANINGS[mode] in mode_words(mode) for mode in offered)


@each_row(*TABLES["terminals"])
def test_a_terminal_is_sent_what_it_understands(
    environment: dict[str, str], protocol: str, bar: bool
) -> None:
    assert wanted_protocol("auto", environment) == protocol
    assert has_progress("auto", environment) is bar


def test_what_is_set_wins() -> None:
    assert wanted_protocol("off", {"TERM": "xterm-kitty"}) == "off"
    assert wanted_protocol("osc9", {}) == "osc9"
    assert has_progress("on", {})
    assert not has_progress("off", {"WT_SESSION": "x"})


@each_row(*TABLES["sequences"])
def test_sequences(protocol: Notify, sequence: str) -> None:
    assert notification(protocol, "a;b", "c;d", {}) == sequence


def test_tmux_is_asked_to_hand_it_on() -> None:
    assert progress(Bar.WORKING, {"TMUX": "x"}) == "\x1bPtmux;\x1b\x1b]9;4;3;0\x1b\x1b\\\x1b\\"
    assert progress(Bar.NONE, {}) == "\x1b]9;4;0;0\x1b\\"


@given(st.sampled_from(["osc9", "osc777", "osc99"]), st.text(max_size=400), st.text(max_size=400))
def test_no_text_ends_a_sequence_or_makes_one_long(protocol: Notify, title: str, body: str) -> None:
    sequence = notification(protocol, title, body, {})
    inner = re.findall("\x1b\\](.*?)\x1b\\\\", sequence, re.DOTALL)
    assert sum(len(part) for part in inner) + 4 * len(inner) == len(sequence), "nothing between or after them"
    assert not re.search("[\x00-\x1f\x7f-\x9f]", "".join(inner))
    assert len(sequence) < 400


def test_what_is_news() -> None:
    assert news_of(TurnEnded("completed", False, 65.0, None, 1, 1), 20.0) == "Done after 1m 05s"
    assert news_of(TurnEnded("max_turns", True, 65.0, None, 1, 1), 20.0) == "Stopped after 1m 05s"
    assert news_of(TurnEnded("completed", False, 19.0, None, 1, 1), 20.0) == ""
    assert news_of(SessionLost("killed"), 20.0) == LOST
    assert news_of(SessionLost("closed", expected=True), 20.0) == ""
    assert notification_of("api", ["One", "Two", "Three"]) == ("ccq-tui · api", "One · and 2 more")


@each_row(*TABLES["commands"])
def test_a_prompt_is_a_command_only_when_it_is_nothing_else(text: str, command: list[str] | None) -> None:
    found = called(text, SLASH_COMMANDS)
    assert (found and [found[0].name, found[1]]) == command


def test_each_own_command_has_one_name_and_says_what_it_does() -> None:
    names = [command.name for command in SLASH_COMMANDS]
    assert len(set(names)) == len(names)
    assert all(command.help for command in SLASH_COMMANDS)


def test_what_a_rewind_changes_is_said_before_it() -> None:
    files = FilesToRewind(tuple(f"/work/f{n}.py" for n in range(10)), 3, 12)
    text = what_changes(files, Path("/work"))
    assert "Restores 10 files: +3 −12 lines." in text
    assert "f0.py, f1.py" in text
    assert text.endswith("f7.py and 2 more")
    assert [row.value for row in choices(files)] == ["both", "conversation", "files"]
    for nothing in (FilesToRewind(), FilesToRewind(refusal="no checkpoint")):
        assert [row.value for row in choices(nothing)] == ["conversation"]
    assert "no checkpoint" in what_changes(FilesToRewind(refusal="no checkpoint"), Path("/work"))


def test_a_list_finds_by_every_word_and_puts_beginnings_first() -> None:
    state = choosing(
        (PickRow("1", "remodel"), PickRow("2", "/model", current=True), PickRow("3", "x", "a model"))
    )
    assert state.under == PickRow("2", "/model", current=True)
    assert [row.value for row in state.filtered("model").shown] == ["2", "1", "3"]
    assert [row.value for row in state.filtered("a MOD").shown] == ["3"]
    assert state.filtered("zzz").moved(1).under is None
    assert state.filtered("zzz").filtered("").under == state.under
