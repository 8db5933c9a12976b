"""Files of rules: what is shipped, what a person adds, and what is said of a bad one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccq_tui.bridges.terminal.rules import KNOWN, RuleFileError, Shape, load_rules, read_rules

GOOD = '[[rule]]\nname = "mine"\nshape = "text"\nprompt = "(?P<question>Ask me): "\n'


def test_shipped_rules_are_sound_and_named_once() -> None:
    rules, problems = load_rules(None)
    names = [rule.name for rule in rules]
    assert problems == []
    assert len(names) == len(set(names))
    assert {rule.shape for rule in rules} == set(Shape)
    assert {rule.review[0] for rule in rules if rule.review} <= set(names)


def test_a_persons_rules_come_first_and_replace_those_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(GOOD + GOOD.replace("mine", "yes-no"), encoding="utf-8")
    rules, problems = load_rules(tmp_path)
    assert problems == []
    assert [rule.name for rule in rules[:2]] == ["mine", "yes-no"]
    assert [rule.shape for rule in rules if rule.name == "yes-no"] == [Shape.TEXT]


def test_a_bad_file_leaves_the_others_in_force(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("rule = 1", encoding="utf-8")
    (tmp_path / "b.toml").write_text(GOOD, encoding="utf-8")
    rules, problems = load_rules(tmp_path)
    assert rules[0].name == "mine"
    assert problems == [f"{tmp_path / 'a.toml'}: a file of rules has [[rule]] tables and nothing else"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[rule", "is not TOML"),
        ("[other]", "[[rule]] tables and nothing else"),
        ('[[rule]]\nname = "No Name"', "rule 1: name: must be lower-case words joined by -"),
        ("[[rule]]\nname = 3", "rule 1: name: must be lower-case words joined by -, not 3"),
        (GOOD + 'colour = "red"', "rule mine: colour: Unexpected keyword argument"),
        (
            GOOD.replace('"text"', '"dance"'),
            "shape: Input should be 'yes-no', 'letters', 'number', 'enter', 'text', 'list' or 'checks'",
        ),
        (GOOD + 'reading = "braille"', "reading: Input should be 'lines', 'keys' or 'any', not 'braille'"),
        (GOOD.replace("(?P<question>Ask me)", "((("), "prompt: Input should be a valid regular expression"),
        (GOOD.replace("(?P<question>Ask me)", "Ask"), "prompt: must be a pattern with (?P<question>…)"),
        (GOOD.replace("Ask me", "x" * 2000), "prompt: may have 1000 characters"),
        (GOOD + 'must_read = "so"', "must_read: must be true or false, not 'so'"),
        (GOOD.replace('"text"', '"number"'), "row: must be a pattern, which a rule of shape number needs"),
        (GOOD + 'review = ["one"]', "review.1: Field required"),
        (
            '[[rule]]\nname = "l"\nshape = "list"\nquestion = "(?P<question>.)"\nrow = "(?P<label>.)"',
            "row: must be a pattern with (?P<mark>…), or underlined = true",
        ),
        (
            '[[rule]]\nname = "c"\nshape = "checks"\nquestion = "(?P<question>.)"\n'
            'row = "(?P<mark>.)(?P<box>.)(?P<label>.)"',
            "checked: must be what a checked box holds",
        ),
    ],
)
def test_a_bad_rule_is_refused_with_what_would_be_right(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RuleFileError) as caught:
        read_rules(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")


def test_what_is_no_file_of_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "directory.toml").mkdir()
    (tmp_path / "large.toml").write_text("#" * 200_000, encoding="utf-8")
    _, problems = load_rules(tmp_path)
    assert [problem.partition(".toml: ")[2][:12] for problem in problems] == ["cannot be re", "is larger th"]


def test_each_field_is_explained() -> None:
    text = (Path(__file__).parents[4] / "docs" / "bridges.md").read_text(encoding="utf-8")
    assert [field for field in sorted(KNOWN) if f"`{field}`" not in text] == []
