"""What a lasting permission means, in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox.suggestions import PLACES, Rule, Suggestion, what, where


def rules(*covered: Rule, behavior: str = "allow", kind: str = "addRules") -> Suggestion:
    return Suggestion(kind, "session", covered, behavior)


@pytest.mark.parametrize(
    ("suggestion", "words"),
    [
        (rules(Rule("Bash", "npm test *")), "Always allow commands that begin with `npm test`"),
        (rules(Rule("Bash", "npm run:*")), "Always allow commands that begin with `npm run`"),
        (rules(Rule("Bash", "touch /tmp/a")), "Always allow the command `touch /tmp/a`"),
        (
            rules(Rule("Bash", "cd src"), Rule("Bash", "make *")),
            "Always allow the command `cd src` and commands that begin with `make`",
        ),
        (rules(Rule("WebFetch", "domain:a.example")), "Always allow fetching from a.example"),
        (rules(Rule("WebSearch")), "Always allow every use of WebSearch"),
        (rules(Rule("mcp__db__query")), "Always allow every use of mcp__db__query"),
        (rules(Rule("Read", "//etc/**")), "Always allow reading everything in /etc"),
        (rules(Rule("Read", "~/.ssh/config")), "Always allow reading ~/.ssh/config"),
        (rules(Rule("Edit", "src/**")), "Always allow editing everything in src"),
        (rules(Rule("Task", "x")), "Always allow Task of `x`"),
        (
            rules(Rule("Bash", "rm *"), behavior="ask"),
            "Always ask before commands that begin with `rm`",
        ),
        (rules(Rule("Bash"), kind="removeRules"), "No longer allow every use of Bash"),
        (rules(Rule("Bash"), kind="replaceRules"), "From now on allow only every use of Bash"),
        (
            Suggestion("setMode", mode="acceptEdits"),
            "Accept all file edits (accept edits mode)",
        ),
        (Suggestion("setMode", mode="new"), "Go to new mode"),
        (
            Suggestion("addDirectories", directories=("/a", "/b")),
            "Let Claude work in /a and /b",
        ),
        (Suggestion("removeDirectories", directories=("/b",)), "No longer let Claude work in /b"),
    ],
)
def test_what_it_grants(suggestion: Suggestion, words: str) -> None:
    assert what(suggestion) == words


@pytest.mark.parametrize("destination", PLACES)
def test_where_it_is_kept(destination: str) -> None:
    assert where(Suggestion("setMode", destination)) == PLACES[destination]


def test_an_unknown_place_is_named() -> None:
    assert where(Suggestion("setMode", "cli\x1bArg")) == "kept in cli␛Arg"


@given(st.text(max_size=50), st.text(max_size=50), st.sampled_from(["addRules", "setMode", "addDirectories"]))
def test_words_are_one_harmless_line(tool: str, content: str, kind: str) -> None:
    said = what(Suggestion(kind, "session", (Rule(tool, content),), "allow", tool, (content,)))
    assert "\n" not in said
    assert "\x1b" not in said
    assert len(said) < 2_000
