"""Which prompt stands on a screen, with which answers, by which rules; ordinary output asks nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.bridges.terminal.detect import FoundPrompt, Reads, find
from ccq_tui.bridges.terminal.prompt_request import takes_text
from ccq_tui.bridges.terminal.rules import PromptRule, RuleFileError, Shape, load_rules, read_rules
from ccq_tui.bridges.terminal.screen import LiveScreen, ScreenPicture

RECORDED: dict[str, Any] = json.loads(Path(__file__).with_name("recorded.json").read_text(encoding="ascii"))
RULES, _ = load_rules(None)
LINES, KEYS = Reads(waits=True), Reads(echo=False, lines=False, waits=True)
READS = {"lines": LINES, "keys": KEYS, "secret": Reads(echo=False, waits=True)}
FRAMEWORKS, FEATURES = ["→ Vite", "Next.js", "Remix"], ["→ [ ] Auth", "[ ] Cache", "[ ] Logs"]
YES_NO = ["Yes: y", "No: n"]
EXPECTED: dict[str, tuple[str, str, list[str]] | None] = {
    "bash-dash": ("choices", "Really?", ["Yes: yes", "No: no"]),
    "bash-gitadd": ("choices", "(1/1) Stage this hunk", [f"{one}: {one}" for one in "ynqade?"]),
    "bash-gitclean": (
        "numbered",
        "What now",
        ["clean", "filter by pattern", "select by numbers", "ask each", "quit", "help"],
    ),
    "bash-npminit": ("text-edited", "package name", ["default ni"]),
    "bash-read": ("choices", "Continue?", [*YES_NO, "default No"]),
    "bash-read1": ("text", "Press y", []),
    "bash-reade": ("text-edited", "Name", []),
    "bash-rm": ("overwrite", "rm: remove regular empty file '/home/ada/notes'?", YES_NO),
    "bash-select": ("numbered", "Which one?", ["red", "green", "blue"]),
    "bash-silent": None,
    "clack-confirm": None,
    "clack-multi": None,
    "clack-select": ("clack-list", "Which framework?", FRAMEWORKS),
    "clack-text": None,
    "claude-code-multi": (
        "claude-code-checks",
        "Which features?",
        ["→ [ ] Auth (Login)", "[ ] Cache (Speed)", "[ ] Logs (Trace)", "[ ] Type something", "Submit"],
    ),
    "claude-code-perm": (
        "claude-code-permission",
        "Do you want to proceed?",
        [
            "→ Yes",
            "Yes, and always allow access to /home/ada/a-small-project from this project",
            "Yes, and switch to auto mode · auto mode handles these prompts for you",
            "No",
        ],
    ),
    "claude-code-single": (
        "claude-code-list",
        "Which database should the service use?",
        ["→ PostgreSQL (Recommended) (Relational, mature.)", "SQLite (Single file.)", "Type something."],
    ),
    "click-choice": ("choices", "Flavour", ["sweet: sweet", "sour: sour"]),
    "click-confirm": ("choices", "Overwrite the file?", [*YES_NO, "default Yes"]),
    "click-pass": None,
    "click-prompt": ("text", "Your name", ["default Ada"]),
    "copier-checks": ("questionary-checks", "many", ["→ [ ] a", "[ ] b"]),
    "copier-confirm": ("copier-confirm", "Use CI?", [*YES_NO, "default Yes"]),
    "copier-list": ("questionary-list", "Which kind?", ["→ web", "cli", "lib"]),
    "copier-text": ("copier-text", "What is the name?", ["typed shop"]),
    "getpass": None,
    "input": ("text", "Name", []),
    "inputrl": ("text-edited", "Name", []),
    "inquirer-checkbox": (
        "inquirer-checks",
        "Which features?",
        [f"→ [ ] {FRAMEWORKS[0][2:]}", "[ ] Next.js", "[ ] Remix"],
    ),
    "inquirer-confirm": ("inquirer-confirm", "Proceed?", [*YES_NO, "default Yes"]),
    "inquirer-input": ("inquirer-input", "Project name?", ["default demo"]),
    "inquirer-many": ("inquirer-list", "Which item?", ["→ Item 0", *(f"Item {one}" for one in range(1, 7))]),
    "inquirer-password": None,
    "inquirer-rawlist": None,
    "inquirer-search": ("inquirer-list", "Find", FRAMEWORKS),
    "inquirer-select": ("inquirer-list", "Which framework?", FRAMEWORKS),
    "inquirer8-checkbox": ("inquirer-checks", "Which features?", ["→ [ ] Vite", "[ ] Next.js", "[ ] Remix"]),
    "inquirer8-list": ("inquirer-list", "Which framework?", FRAMEWORKS),
    "inquirer8-many": ("inquirer-list", "Which item?", ["→ Item 0", *(f"Item {one}" for one in range(1, 7))]),
    "inquirer-python-check": (
        "inquirer-python-checks",
        "Which features?",
        ["→ [ ] Vite", "[ ] Next.js", "[ ] Remix"],
    ),
    "inquirer-python-confirm": ("inquirer-python-confirm", "Go on?", [*YES_NO, "default Yes"]),
    "inquirer-python-text": ("inquirer-python-text", "Your name", ["typed Ada"]),
    "inquirer-python-list": ("inquirer-python-list", "Which framework?", FRAMEWORKS),
    "inquirerpy-check": ("inquirer-checks", "Which features?", ["→ [ ] Vite", "[ ] Next.js", "[ ] Remix"]),
    "inquirerpy-select": ("inquirer-list", "Which framework?", FRAMEWORKS),
    "prompts-confirm": ("prompts-confirm", "Proceed?", [*YES_NO, "default Yes"]),
    "prompts-multi": ("prompts-checks", "Which features?", ["→ [ ] Vite", "[ ] Next.js", "[ ] Remix"]),
    "prompts-number": ("prompts-text", "How many?", []),
    "prompts-select": ("prompts-list", "Which framework?", FRAMEWORKS),
    "prompts-text": ("prompts-text", "Project name?", ["default demo"]),
    "prompts-toggle": None,
    "questionary-checkbox": ("questionary-checks", "Which features?", FEATURES),
    "questionary-confirm": ("inquirer-confirm", "Proceed?", [*YES_NO, "default Yes"]),
    "questionary-password": None,
    "questionary-rawselect": ("questionary-numbered", "Which framework?", FRAMEWORKS),
    "questionary-select": ("questionary-list", "Which framework?", FRAMEWORKS),
    "questionary-text": ("questionary-text", "Name?", ["typed demo"]),
}


def picture_of(name: str) -> ScreenPicture:
    recorded = RECORDED[name]
    screen = LiveScreen((recorded["columns"], recorded["lines"]))
    screen.take(recorded["wrote"].encode())
    return screen.picture()


def drawn(text: str, *, hidden: bool = False, size: tuple[int, int] = (80, 24)) -> ScreenPicture:
    screen = LiveScreen(size)
    screen.take(("\x1b[?25l" * hidden + text.replace("\n", "\r\n")).encode())
    return screen.picture()


def said(prompt: FoundPrompt) -> list[str]:
    lines = []
    for row in prompt.rows:
        box = "" if row.checked is None else "[x] " if row.checked else "[ ] "
        lines.append(f"{'→ ' * row.marked}{box}{row.label}{f' ({row.detail})' * bool(row.detail)}")
    lines += [f"{label}: {word}" for label, word in prompt.words]
    lines += [f"typed {prompt.typed}"] * bool(prompt.typed) + [f"default {prompt.default}"] * bool(
        prompt.default
    )
    return lines


def test_every_recording_is_expected() -> None:
    assert set(RECORDED) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_recorded_screens_of_real_programs(name: str) -> None:
    found = find(picture_of(name), READS[RECORDED[name]["reads"]], RULES).prompt
    assert (None if found is None else (found.rule.name, found.question, said(found))) == EXPECTED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_program_that_does_not_wait_or_hides_lines_asks_nothing(name: str) -> None:
    picture = picture_of(name)
    assert find(picture, Reads(waits=False), RULES).prompt is None
    assert find(picture, replace(KEYS, waits=False), RULES).prompt is None
    assert find(picture, Reads(echo=False, lines=True, waits=True), RULES).prompt is None


@pytest.mark.parametrize(
    "question",
    [
        "[sudo] password for ada: ",
        "Enter passphrase for key '/home/ada/.ssh/id_ed25519': ",
        "API key: ",
        "Personal access token: ",
        "PIN: ",
        "Verification code: ",
        "Code from your authenticator app: ",
        "Access Key: ",
        "Recovery phrase: ",
        "Security code (CVC): ",
        "Your card number: ",
        "Vault password (again)? [y/n] ",
        "? Enter your client secret? ",
    ],
)
def test_what_asks_for_a_secret_asks_nobody_although_it_shows_what_is_typed(question: str) -> None:
    for reads in (LINES, KEYS):
        found = find(drawn(question), reads, RULES)
        assert found.prompt is None


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("Continue? [y/N] \nThe end.", LINES),
        ("Continue? [y/N] yes\n", LINES),
        ("Continue? [y/N] yes", LINES),
        ("Listening on http://127.0.0.1:8000", LINES),
        ("Downloading: 43%", LINES),
        (">>> ", KEYS),
        ("ada@host:~$ ", KEYS),
        ("mysql> ", KEYS),
        ("In [1]: ", LINES),
        ("In [12]: ", KEYS),
        ("(gdb) ", LINES),
        ("--More--(42%)", KEYS),
        ("- one\n- two\n- three\n", LINES),
        ("1. one\n2. two\n", LINES),
        ("Steps:\n1. one\n3. three\nNumber: \n", LINES),
        ("> quoted\n> text\n", KEYS),
        ("? Which?\n  One\n  Two\n", KEYS),
        ("? Which?\n❯ One\n❯ Two\n", KEYS),
        ("? Which?\n❯ One\n", KEYS),
        ("\x1b[?1049hname: ", KEYS),
        ("x" * 700 + " Continue? [y/n] ", LINES),
    ],
)
def test_what_is_no_prompt(text: str, reads: Reads) -> None:
    assert find(drawn(text), reads, RULES).prompt is None


@pytest.mark.parametrize(
    ("text", "question", "default"),
    [
        ("Your name [Ada Lovelace]: ", "Your name", "Ada Lovelace"),
        ("Port (8080): ", "Port", "8080"),
        ("Are you sure? (type 'yes' to confirm): ", "Are you sure? (type 'yes' to confirm)", ""),
        ("Do you want to destroy all?\n  Only 'yes' is accepted.\n\n  Enter a value: ", "Enter a value", ""),
    ],
)
def test_a_default_is_proposed_and_a_hint_is_not(text: str, question: str, default: str) -> None:
    found = find(drawn(text), LINES, RULES).prompt
    assert found is not None
    assert (found.question, found.default) == (question, default)


def test_free_text_is_asked_only_where_the_program_is_known_to_read() -> None:
    assert find(drawn("Project name: "), LINES, RULES).prompt is not None
    assert find(drawn("Project name: "), Reads(waits=None), RULES).prompt is None
    # What names its answers is told apart by them.
    assert find(drawn("Continue? [y/N] "), Reads(waits=None), RULES).prompt is not None


CODEX = """
  Would you like to run the following command?

  Reason: it makes the file

  $ touch made

› 1. Yes, proceed (y)
  2. Yes, and don't ask again for commands that start
     with `touch made` (p)
  3. No, and tell Codex what to do differently (esc)

  Press enter to confirm or esc to cancel"""
NATIVE = """\
● Long.
────────────────────────────────────────────────────────────
 ☐ Auth method

│ How should the application handle authentication given the
│ constraints that were discussed?

❯ 1. Local accounts (Recommended)
     Passwords are stored in the local
     database.
  2. Client certificates
  3. Type something.
────────────────────────────────────────────────────────────
  4. Chat about this

Enter to select · ↑/↓ to navigate · Esc to cancel"""


@pytest.mark.parametrize(
    ("text", "question", "rows"),
    [
        ("? Framework? …\n▸ Vite\n  Next\n  Remix\n", "Framework?", ["→ Vite", "Next", "Remix"]),
        # As gum's documentation shows it.
        ("Choose:\n> Vite\n  Next\n\n←↓↑→ navigate • enter submit", "Choose:", ["→ Vite", "Next"]),
        (
            "Choose:\n> • Vite\n  ✓ Next\n\nx toggle • ←↓↑→ navigate • enter submit",
            "Choose:",
            ["→ [ ] Vite", "[x] Next"],
        ),
        (
            CODEX,
            "Would you like to run the following command? Reason: it makes the file $ touch made",
            [
                "→ Yes, proceed (y)",
                "Yes, and don't ask again for commands that start (with `touch made` (p))",
                "No, and tell Codex what to do differently (esc)",
            ],
        ),
        (
            NATIVE,
            "How should the application handle authentication given the constraints that were discussed?",
            [
                "→ Local accounts (Recommended) (Passwords are stored in the local database.)",
                "Client certificates",
                "Type something.",
            ],
        ),
    ],
)
def test_lists_are_read_with_their_whole_question(text: str, question: str, rows: list[str]) -> None:
    found = find(drawn(text, hidden=True, size=(60, 24)), KEYS, RULES).prompt
    assert found is not None
    assert (found.question, said(found)) == (question, rows)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("❯ 1. Local accounts (Recommended)\n", ""),  # it is taller than the screen: the marked row is above
        ("  2. Client certificates\n", "  2. Tabs     ┌────────┐\n"),  # with a preview beside it
        ("Enter to select · ↑/↓ to navigate · Esc to cancel", ""),
        ("  2. Client certificates\n", "  2. Local accounts (Recommended)\n"),  # two rows that say the same
    ],
)
def test_claude_codes_dialog_that_is_not_seen_whole_is_left_to_the_person(before: str, after: str) -> None:
    assert before in NATIVE
    text = NATIVE.replace(before, after)
    assert find(drawn(text, hidden=True, size=(60, 24)), KEYS, RULES).prompt is None


def test_numbered_lines_in_columns_are_read_by_their_numbers() -> None:
    picture = drawn("1) red      3) teal    5) gold\n2) green    4) pink\n#? ")
    prompt = find(picture, LINES, RULES).prompt
    assert prompt is not None
    rows = [f"{row.number} {row.label}" for row in prompt.rows]
    assert rows == ["1 red", "2 green", "3 teal", "4 pink", "5 gold"]


STOCK: dict[str, str] = json.loads(Path(__file__).with_name("ordinary.json").read_text(encoding="ascii"))
PAUSES = 6


def test_stock_is_of_200_outputs() -> None:
    assert len(STOCK) == 200
    assert sum(map(len, STOCK.values())) > 200_000


@pytest.mark.parametrize("part", range(8))
def test_ordinary_output_asks_nothing_wherever_it_pauses(part: int) -> None:
    asked = [
        (name, found.rule.name, found.question)
        for name, text in list(STOCK.items())[part::8]
        for found in asked_by(text)
    ]
    assert asked == []


def asked_by(text: str) -> Iterator[FoundPrompt]:
    """Yield what an output asks where it pauses."""
    data = text.replace("\n", "\r\n").encode()
    screen, step = LiveScreen((100, 30)), len(data) // PAUSES + 1
    for at in range(0, len(data), step):
        screen.take(data[at : at + step])
        picture = screen.picture()
        for reads in (Reads(), Reads(echo=False, lines=False)):
            if (found := find(picture, reads, RULES).prompt) is not None:
                yield found


PROMPTS: list[tuple[str, str, str, list[str], str, str]] = json.loads(
    Path(__file__).with_name("prompts.json").read_text(encoding="utf-8")
)


def kind_of(found: FoundPrompt) -> str:
    if [label for label, _ in found.words] == ["Yes", "No"] and not takes_text(found):
        return "yes-no"
    return {Shape.LETTERS: "choice"}.get(found.rule.shape, str(found.rule.shape))


def answers_of(found: FoundPrompt) -> list[str]:
    return [word for _, word in found.words] or [row.number or row.label for row in found.rows]


def default_of(found: FoundPrompt) -> str:
    typed = dict(found.words) | {row.label: row.number for row in found.rows}
    return found.default if kind_of(found) == "yes-no" else typed.get(found.default, found.default)


def test_the_stock_is_large() -> None:
    assert len(PROMPTS) >= 200


@pytest.mark.parametrize(("program", "text", "kind", "answers", "default", "reads"), PROMPTS)
def test_a_prompt_has_its_kind_answers_and_default(
    program: str, text: str, kind: str, answers: list[str], default: str, reads: str
) -> None:
    lines = reads == "lines"
    picture = drawn(text, hidden=kind == "list")
    found = find(picture, Reads(echo=lines, lines=lines, waits=True), RULES).prompt
    if found is None:
        assert kind == "none", program
        return
    assert (kind_of(found), answers_of(found), default_of(found)) == (kind, answers, default), program


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
        (GOOD + 'reading = "braille"', "reading: must be one of 'lines', 'keys' or 'any', not 'braille'"),
        (GOOD.replace("(?P<question>Ask me)", "((("), "prompt: Input should be a valid regular expression"),
        (GOOD.replace("(?P<question>Ask me)", "Ask"), "prompt: must be a pattern with (?P<question>…)"),
        (GOOD + 'must_read = "so"', "must_read: must be true or false, not 'so'"),
        (GOOD.replace('"text"', '"number"'), "row: must be a pattern, which a rule of shape number needs"),
        (GOOD + 'review = ["one"]', "review.1: is missing"),
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
    known = {field.name for field in fields(PromptRule)} - {"file"}
    text = (Path(__file__).parents[4] / "docs" / "bridges.md").read_text(encoding="utf-8")
    assert [field for field in known if f"`{field}`" not in text] == []
