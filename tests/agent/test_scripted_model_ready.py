"""Each ready scenario, played to its end by the real SDK and the real CLI."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from ccq_tui.testing.scenarios import READY
from ccq_tui.testing.scenarios.hostile import LONG_LABEL
from ccq_tui.testing.scenarios.working import CHANGELOG, PLAN
from tests.agent.scripted_session import QUESTION_ENV, Session, session

GO_ON = ". You can now continue with these answers in mind."
READ = (
    ". Read the answers carefully — they may request clarification, changes, or that you not proceed"
    " — and follow what they actually say."
)


def answered(**answers: str) -> str:
    return "Your questions have been answered: " + pairs(answers) + GO_ON


def pairs(answers: Mapping[str, str]) -> str:
    return ", ".join(f'"{question}"="{answer}"' for question, answer in answers.items())


DESIGN = answered(
    **{
        "How should long lists be paged?": "Cursor (Recommended)",
        "Which extras should the first version have?": "Full-text search, Tags",
        "How do clients sign in?": "Personal tokens (Recommended)",
        "What should an error look like?": "Problem JSON",
    }
)
REJECTED = {"toolu_arriving_2"}
"""Calls that the CLI does not accept."""
LISTING = re.compile(r"total \d+\n.*", re.DOTALL)
PLAN_ENTERED = re.compile(r"Entered plan mode\. .*", re.DOTALL)
PLAN_WRITTEN = re.compile(r"File created successfully at: /\S+/home/\.claude/plans/\S+\.md .*", re.DOTALL)


def approved(plan: str) -> re.Pattern[str]:
    start = r"User has approved your plan\. .*\n\n## Approved Plan:\n"
    return re.compile(start + re.escape(plan.strip()) + r".*", re.DOTALL)


EXPECTED: Mapping[str, Mapping[str, str | re.Pattern[str]]] = {
    "no_questions": {},
    "single": {
        "toolu_single_1": answered(
            **{"Which database should the bookmark service use?": "SQLite (Recommended)"}
        )
    },
    "multi": {
        "toolu_multi_1": answered(**{"Which checks should run before every merge?": "Unit tests, Type check"})
    },
    "mixed_four": {"toolu_mixed_four_1": DESIGN},
    "text_and_number": {
        "toolu_text_and_number_1": "The user answered: "
        + pairs(
            {
                "What should the package be called?": "tidy-bookmarks",
                "For how many days are deleted bookmarks kept?": "30",
                "Under which licence is it published?": "MIT",
            }
        )
        + READ
    },
    "multi_round": {
        "toolu_multi_round_1": answered(**{"Where should the bookmarks be stored?": "SQLite"}),
        "toolu_multi_round_2": answered(**{"Where does the SQLite file live?": "Local disk"}),
        "toolu_multi_round_3": answered(**{"How often is it backed up?": "Every hour"}),
        "toolu_multi_round_4": answered(
            **{"With the backup as decided (every hour), what may be lost in the worst case?": "Nothing"}
        ),
        "toolu_multi_round_5": answered(
            **{"Shall I write this down as a decision record?": "Yes, in docs/decisions"}
        ),
    },
    "arriving": {
        "toolu_arriving_1": answered(
            **{
                "Where should the bookmarks be kept?": "One database file (Recommended)",
                "What should the first version be able to do?": "Import, Full-text search",
                "Who will use it at first?": "Only me",
            }
        ),
        "toolu_arriving_2": re.compile("<tool_use_error>InputValidationError: .*", re.DOTALL),
        "toolu_arriving_3": answered(
            **{"Who will use it at first?": "Only me", "How often is it backed up?": "Every night"}
        ),
    },
    "two_at_once": {
        "toolu_two_at_once_1": answered(**{"Where should the service run?": "One virtual machine"}),
        "toolu_two_at_once_2": answered(
            **{"Who is told when it is down?": "E-mail to the team, Chat channel"}
        ),
    },
    "with_permission": {
        "toolu_with_permission_1": "1.4.0",
        "toolu_with_permission_2": re.compile(
            r"File created successfully at: /\S+/project/CHANGELOG\.md .*", re.DOTALL
        ),
    },
    "with_plan": {
        "toolu_with_plan_1": PLAN_ENTERED,
        "toolu_with_plan_2": PLAN_WRITTEN,
        "toolu_with_plan_3": approved(PLAN),
    },
    "subagent": {
        "toolu_scout_1": LISTING,
        "toolu_subagent_1": re.compile(
            r".*\[Subagent hand-back\].*The project is empty so far: no README.*", re.DOTALL
        ),
    },
    "long_answer": {},
    "unicode": {
        "toolu_unicode_1": answered(
            **{
                "どの挨拶を最初の画面に表示しますか？ (Which greeting?)": "こんにちは、世界",
                "אילו שפות לתמוך? Which languages?": "日本語, 한국어",
            }
        )
    },
    "hostile_text": {
        "toolu_hostile_text_1": "\x1b[31;7777mred\x1b[0m \x1b]0;owned7777\x07 \x1b]52;c;7777b3duZWQ=\x07"
        " \x1b[2;7777J [@click=app.quit]quit[/] [bold]bold[/bold]",
        # The CLI keeps a result of this size in a file and shows the model its beginning.
        "toolu_hostile_text_2": re.compile(r"<persisted-output>\nOutput too large .*", re.DOTALL),
    },
    "api_errors": {},
    "tour": {
        "toolu_tour_1": LISTING,
        "toolu_tour_2": answered(
            **{"Which database should the bookmark service use?": "SQLite (Recommended)"}
        ),
        "toolu_tour_3": answered(
            **{
                "How should the code be laid out?": "Flat",
                "Which parts should the first version have?": "Command line, Web page",
            }
        ),
        "toolu_tour_4": DESIGN,
        "toolu_tour_5": "The user answered: "
        + pairs(
            {
                "What should the package be called?": "tidy-bookmarks",
                "For how many days are deleted bookmarks kept?": "30",
            }
        )
        + READ,
        "toolu_tour_6": "0.1.0",
        "toolu_tour_7": PLAN_ENTERED,
        "toolu_tour_8": PLAN_WRITTEN,
        "toolu_tour_9": re.compile(r"User has approved your plan\. .*", re.DOTALL),
    },
}


def the_long_label_came_whole(client: Session, _: CleanHome) -> None:
    (given,) = [given for tool, given in client.asked if tool == "AskUserQuestion"]
    assert given["questions"][1]["options"][0]["label"] == LONG_LABEL


def the_file_was_written_with_permission(client: Session, home: CleanHome) -> None:
    assert [tool for tool, _ in client.asked] == ["Bash", "Write"]
    assert (home.project / "CHANGELOG.md").read_text(encoding="utf-8") == CHANGELOG


FURTHER: Mapping[str, Callable[[Session, CleanHome], None]] = {
    "hostile_text": the_long_label_came_whole,
    "with_permission": the_file_was_written_with_permission,
}


async def test_each_ready_scenario_plays_to_its_end(
    scripted_model: Callable[..., ScriptedModel], claude_env: Callable[..., CleanHome]
) -> None:
    assert set(EXPECTED) == set(READY)
    model = scripted_model(Scenario())
    home = claude_env(model, **QUESTION_ENV)
    async with session(home) as client:
        for name in READY:
            async with client.scene(name, model, READY[name].scenario):
                await plays_to_its_end(name, model, client)
        async with client.scene("a denied permission", model, READY["with_permission"].scenario):
            await a_denied_permission_is_told_to_the_model(model, client)
        async with client.scene("a declined question", model, READY["multi_round"].scenario):
            await a_declined_question_ends_the_rounds(model, client)


async def plays_to_its_end(name: str, model: ScriptedModel, client: Session) -> None:
    result = await client.prompt(READY[name].prompt)
    assert not result.is_error
    for _ in range(3):
        if model.finished:
            break
        result = await client.prompt("more")
    assert model.finished
    assert not result.is_error
    received = {found.tool_use_id: found for found in model.tool_results()}
    assert list(received) == list(EXPECTED[name])
    for tool_use_id, expected in EXPECTED[name].items():
        found = received[tool_use_id]
        assert found.is_error == (tool_use_id in REJECTED)
        if isinstance(expected, str):
            assert found.text == expected
        else:
            assert expected.fullmatch(found.text)
    if name in FURTHER:
        FURTHER[name](client, client.home)


async def a_denied_permission_is_told_to_the_model(model: ScriptedModel, client: Session) -> None:
    client.denied["Bash"] = "Not on my disk"
    await client.prompt("go")
    found = model.result("toolu_with_permission_1")
    assert (found.text, found.is_error) == ("Not on my disk", True)
    assert "Not on my disk" in client.said[1]


async def a_declined_question_ends_the_rounds(model: ScriptedModel, client: Session) -> None:
    client.denied["AskUserQuestion"] = "Not now"
    await client.prompt("go")
    assert [found.text for found in model.tool_results()] == ["Not now"]
    assert "Not now" in client.said[-1]
    assert model.finished
