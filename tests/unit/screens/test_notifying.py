"""What the terminal is told when somebody looks elsewhere."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent.events import SessionLost, TurnEnded
from ccq_tui.choices import Notify
from ccq_tui.screens.session.notifications import LOST, news_of, notification_of
from ccq_tui.screens.terminal import Bar, has_progress, notification, progress, wanted_protocol


@pytest.mark.parametrize(
    ("environment", "protocol", "bar"),
    [
        ({"TERM_PROGRAM": "iTerm.app"}, "osc9", False),
        ({"TERM": "xterm-kitty"}, "osc99", False),
        ({"TERM_PROGRAM": "ghostty", "TERM": "xterm-ghostty"}, "osc777", True),
        ({"TERM_PROGRAM": "tmux", "TERM": "tmux-256color", "WEZTERM_PANE": "0"}, "osc777", True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "osc777", False),
        ({"WT_SESSION": "x"}, "off", True),
        ({"TERM": "xterm-256color"}, "off", False),
        ({"TERM": "linux"}, "off", False),
    ],
)
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


@pytest.mark.parametrize(
    ("protocol", "sequence"),
    [
        ("osc9", "\x1b]9;a;b: c;d\x1b\\"),
        ("osc777", "\x1b]777;notify;a,b;c;d\x1b\\"),
        ("osc99", "\x1b]99;i=ccq-tui:d=0:p=title;a;b\x1b\\\x1b]99;i=ccq-tui:d=1:p=body;c;d\x1b\\"),
        ("off", ""),
    ],
)
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
