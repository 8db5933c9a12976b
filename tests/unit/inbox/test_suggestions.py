"""What a lasting permission means, in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox.suggestions import PLACES, Rule, Suggestion, kept, lasting, what


def rules(*covered: Rule, behavior: str = "allow", kind: str = "addRules") -> Suggestion:
    return Suggestion(kind, "session", covered, behavior)


@pytest.mark.parametrize(
    ("suggestion", "words"),
    [
        (rules(Rule("Bash", "npm test *")), "commands that begin with `npm test`"),
        (rules(Rule("Bash", "npm run:*")), "commands that begin with `npm run`"),
        (rules(Rule("Bash", "touch /tmp/a")), "the command `touch /tmp/a`"),
        (
            rules(Rule("Bash", "cd src"), Rule("Bash", "make *")),
            "the command `cd src` and commands that begin with `make`",
        ),
        (rules(Rule("WebFetch", "domain:a.example")), "fetching from a.example"),
        (rules(Rule("WebSearch")), "every use of WebSearch"),
        (rules(Rule("mcp__db__query")), "every use of db query"),
        (rules(Rule("Read", "//etc/**")), "reading everything in /etc"),
        (rules(Rule("Read", "~/.ssh/config")), "reading ~/.ssh/config"),
        (rules(Rule("Edit", "src/**")), "editing everything in src"),
        (rules(Rule("Task", "x")), "Task of `x`"),
        (rules(Rule("Bash", "rm *"), behavior="ask"), "ask before commands that begin with `rm`"),
        (rules(Rule("Bash"), kind="removeRules"), "no longer allow every use of Bash"),
        (rules(Rule("Bash"), kind="replaceRules"), "only every use of Bash"),
        (Suggestion("setMode", mode="acceptEdits"), "accept every file edit"),
        (Suggestion("setMode", mode="new"), "go to new mode"),
        (Suggestion("addDirectories", directories=("/a", "/b")), "work in /a and /b"),
        (Suggestion("removeDirectories", directories=("/b",)), "no longer work in /b"),
    ],
)
def test_what_it_grants(suggestion: Suggestion, words: str) -> None:
    assert what(suggestion) == words


@pytest.mark.parametrize("destination", PLACES)
def test_how_long_it_lasts_stands_first_and_where_it_is_kept_last(destination: str) -> None:
    always = Suggestion("addRules", destination, (Rule("Bash", "make *"),), "allow")
    how_long, place = PLACES[destination]
    assert lasting(always) == f"{how_long}: commands that begin with `make`"
    assert kept(always) == place
    mode = Suggestion("setMode", destination, mode="acceptEdits")
    assert kept(mode) == (f"accept edits mode · {place}" if place else "accept edits mode")


def test_an_unknown_place_is_named() -> None:
    assert lasting(Suggestion("setMode", "cli\x1bArg", mode="plan")).startswith("In cli␛Arg: plan")


@given(st.text(max_size=50), st.text(max_size=50), st.sampled_from(["addRules", "setMode", "addDirectories"]))
def test_words_are_one_harmless_line(tool: str, content: str, kind: str) -> None:
    said = what(Suggestion(kind, "session", (Rule(tool, content),), "allow", tool, (content,)))
    assert "\n" not in said
    assert "\x1b" not in said
    assert len(said) < 2_000
