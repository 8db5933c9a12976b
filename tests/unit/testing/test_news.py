"""Counting what the model was told, in a log that is written by hand."""

from __future__ import annotations

from ccq_tui.testing import Exchange
from tests.agent.killed.news import Kill, Told, told

YES = "answer 1 to it"
NO_KILLS: tuple[Kill, ...] = ()


def request(at: float, *words: str, session: str = "") -> Exchange:
    """Return a request whose messages take turns, the person's first."""
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(words)]
    headers = {"x-claude-code-session-id": session}
    return Exchange("POST", "/v1/messages", headers, {"messages": messages}, received=at, role="main")


def test_what_stays_in_the_conversation_is_news_once() -> None:
    log = [request(1, "Go"), request(2, "Go", "What?", YES), request(3, "Go", "What?", YES, "Fine", "More")]
    assert told(YES, log, NO_KILLS) == Told(news=1, repeated=0, most=1)
    assert told(YES, log, NO_KILLS).once


def test_two_processes_that_tell_it_are_seen_although_each_tells_it_once() -> None:
    log = [request(2, "Go", "What?", YES), request(2.1, "Go", "What?", YES)]
    assert not told(YES, log, NO_KILLS).once
    before = Kill(1.0, "both")
    assert not told(YES, log, [before]).once


def test_a_request_repeated_after_a_kill_is_no_second_answer() -> None:
    log = [request(2, "Go", "What?", YES), request(4, "Go", "What?", YES)]
    assert told(YES, log, [Kill(3.0, "cli")]) == Told(news=2, repeated=1, most=1)
    assert told(YES, log, [Kill(3.0, "cli")]).once


def test_a_second_copy_in_one_conversation_is_no_repetition() -> None:
    log = [request(2, "Go", "What?", YES), request(4, "Go", "What?", YES, "Fine", YES)]
    assert not told(YES, log, [Kill(3.0, "cli")]).once


def test_what_the_cli_put_words_of_its_own_behind_is_news_all_the_same() -> None:
    log = [request(2, "Go", "What?", YES, "No response requested.", "Go on.")]
    assert told(YES, log, NO_KILLS).once
    assert not told("something else", log, NO_KILLS).once


def test_the_first_request_of_a_copy_carries_what_its_original_was_told() -> None:
    own, copy = request(1, "Go", "What?", YES, session="a"), request(2, "Go", "What?", YES, session="b")
    assert told(YES, [own, copy], NO_KILLS, "a").once
    assert not told(YES, [own, copy], NO_KILLS).once
    assert not told(YES, [own, copy], NO_KILLS, "b").once
    begun = request(0, "Go", session="b")
    assert not told(YES, [begun, own, copy], NO_KILLS, "a").once
