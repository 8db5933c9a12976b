"""Which scenario answers which request, what of it is news, and the clean environment of a session."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.testing import Exchange, Scenario, clean_environment
from ccq_tui.testing.incoming import Incoming, Role
from ccq_tui.testing.play import Director
from tests.agent.killed.news import Kill, Mentions, mentions
from tests.tables import each_row
from tests.unit.testing.talk import CLI, TOOLS, Talk, text_of

INTERRUPTED = {"type": "text", "text": "[Request interrupted by user for tool use]"}
TITLE_FORMAT = {
    "format": {
        "type": "json_schema",
        "schema": {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]},
    }
}
NOTICE = (
    "<system-reminder>[SYSTEM NOTIFICATION - NOT USER INPUT]"
    "<task-notification><result>done</result></task-notification></system-reminder>"
)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@each_row(
    ({"tools": TOOLS}, CLI, Role.MAIN),
    ({"tools": [], "context_management": {}}, CLI, Role.MAIN),
    ({"tools": []}, {}, Role.MAIN),
    ({"tools": []}, CLI, Role.SIDE),
    ({"tools": TOOLS, "output_config": TITLE_FORMAT}, CLI, Role.SIDE),
    ({"tools": TOOLS, "max_tokens": 1}, CLI, Role.SIDE),
    (
        {
            "tools": TOOLS,
            "messages": [
                {"role": "user", "content": "… create a detailed summary of the conversation so far …"}
            ],
        },
        CLI,
        Role.SIDE,
    ),
    ({"tools": TOOLS}, CLI | {"x-claude-code-agent-id": "a1"}, Role.SUBAGENT),
    ({"tools": TOOLS, "system": [text("cc_is_subagent=true;")]}, CLI, Role.SUBAGENT),
)
def test_who_sent_a_request(body: dict[str, Any], headers: dict[str, str], role: Role) -> None:
    assert Incoming(body, headers).role is role


def test_side_requests_use_up_nothing() -> None:
    talk = Talk(Scenario("x", title="My title").says("one").ends_turn().says("two"))
    talk.user(text("hello"))
    for _ in range(3):
        answer, name = talk.director.reply(talk.incoming(output_config=TITLE_FORMAT))
        assert json.loads(text_of(answer)) == {"title": "My title"}
        assert name == ""
    assert text_of(talk.next()) == "one"
    assert talk.says("more") == "two"


def test_each_session_plays_from_the_start_with_ids_of_its_own() -> None:
    director = Director(Scenario("x").runs("Bash", command="ls").says(lambda a: a.result(1)))
    first, second = Talk(director), Talk(director, x_claude_code_session_id="s2")
    first.says("go")
    second.says("go")
    assert (first.calls[0][0], second.calls[0][0]) == ("toolu_x_1", "toolu_x-2_1")
    assert (first.result("one"), second.result("two")) == ("one", "two")


def test_a_fork_goes_on_where_its_origin_stands() -> None:
    director = Director(
        Scenario("x").runs("Bash", command="ls").says("one").ends_turn().says(lambda a: a.result(1))
    )
    origin = Talk(director)
    origin.says("go")
    origin.result("listing")
    fork = Talk(director, x_claude_code_session_id="s2")
    fork.messages = list(origin.messages)
    assert fork.says("more") == "listing"
    assert origin.says("more") == "listing"


def test_an_interrupted_turn_is_skipped_when_there_is_a_next_one() -> None:
    talk = Talk(Scenario("x").runs("Bash", command="ls").says("rest of one").ends_turn().says("two"))
    talk.says("go")
    stopped = {"type": "tool_result", "tool_use_id": "toolu_x_1", "content": "STOP", "is_error": True}
    talk.user(stopped, INTERRUPTED, text("something else"))
    assert text_of(talk.next()) == "two"


def test_an_interrupted_last_turn_is_played_on() -> None:
    talk = Talk(Scenario("x").runs("Bash", command="ls").says("rest"))
    talk.says("go")
    talk.user(INTERRUPTED, text("go on"))
    assert text_of(talk.next()) == "rest"


def test_what_belongs_to_the_next_prompt_waits_for_it() -> None:
    talk = Talk(Scenario("x").runs("Bash", command="ls").ends_turn().says("two").afterwards("nothing"))
    talk.says("go")
    assert talk.result("listing") == "nothing"
    assert talk.says("more") == "two"
    assert talk.says("more") == "nothing"


def test_a_notice_of_a_finished_task_waits_for_no_prompt() -> None:
    talk = Talk(Scenario("x").says("one").ends_turn().says("two").noted("noted"))
    assert talk.says("go") == "one"
    assert talk.says(NOTICE) == "noted"
    assert talk.says("more") == "two"


def test_a_repeating_script_starts_again_and_counts_on() -> None:
    talk = Talk(Scenario("x").runs("Bash", command="ls").says(lambda a: a.result(1)).repeats())
    talk.says("go")
    assert talk.result("first") == "first"
    talk.says("again")
    assert talk.calls[-1][0] == "toolu_x_2"
    assert talk.result("second") == "second"


def test_a_subagent_is_recognised_by_its_prompt() -> None:
    look, look_deeper = Scenario("look").says("looked"), Scenario("deeper").says("dug")
    main = Talk(Scenario("x").agent("Look", look).agent("Look deeper", look_deeper).says("end"))
    main.says("go")
    main.result("report")
    deeper = Talk(main.director, x_claude_code_agent_id="a2")
    first = Talk(main.director, x_claude_code_agent_id="a1")
    assert deeper.says("<system-reminder>x</system-reminder>\nLook deeper") == "dug"
    assert first.says("Look") == "looked"
    assert Talk(main.director, x_claude_code_agent_id="a3").says("unknown") == "I have nothing to report."
    assert main.result("report") == "end"


def test_a_failing_callable_leaves_the_play_where_it_stood() -> None:
    broken = [True]

    def words(_: object) -> str:
        if broken:
            raise LookupError("boom")
        return "fine"

    talk = Talk(Scenario("x").says(words).runs("Bash", command="ls"))
    talk.user(text("go"))
    with pytest.raises(LookupError):
        talk.next()
    broken.clear()
    assert text_of(talk.next()) == "fine"
    assert talk.calls[0][0] == "toolu_x_1"


def test_the_play_knows_when_it_is_finished() -> None:
    talk = Talk(Scenario("x").says("one").ends_turn())
    talk.says("go")
    assert talk.director.plays[0].finished


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
    assert mentions(YES, log, NO_KILLS) == Mentions(news=1, repeated=0, most=1)
    assert mentions(YES, log, NO_KILLS).once


def test_two_processes_that_tell_it_are_seen_although_each_tells_it_once() -> None:
    log = [request(2, "Go", "What?", YES), request(2.1, "Go", "What?", YES)]
    assert not mentions(YES, log, NO_KILLS).once
    before = Kill(1.0, "both")
    assert not mentions(YES, log, [before]).once


def test_a_request_repeated_after_a_kill_is_no_second_answer() -> None:
    log = [request(2, "Go", "What?", YES), request(4, "Go", "What?", YES)]
    assert mentions(YES, log, [Kill(3.0, "cli")]) == Mentions(news=2, repeated=1, most=1)
    assert mentions(YES, log, [Kill(3.0, "cli")]).once


def test_a_second_copy_in_one_conversation_is_no_repetition() -> None:
    log = [request(2, "Go", "What?", YES), request(4, "Go", "What?", YES, "Fine", YES)]
    assert not mentions(YES, log, [Kill(3.0, "cli")]).once


def test_what_the_cli_put_words_of_its_own_behind_is_news_all_the_same() -> None:
    log = [request(2, "Go", "What?", YES, "No response requested.", "Go on.")]
    assert mentions(YES, log, NO_KILLS).once
    assert not mentions("something else", log, NO_KILLS).once


def test_the_first_request_of_a_copy_carries_what_its_original_was_told() -> None:
    own, copy = request(1, "Go", "What?", YES, session="a"), request(2, "Go", "What?", YES, session="b")
    assert mentions(YES, [own, copy], NO_KILLS, "a").once
    assert not mentions(YES, [own, copy], NO_KILLS).once
    assert not mentions(YES, [own, copy], NO_KILLS, "b").once
    begun = request(0, "Go", session="b")
    assert not mentions(YES, [begun, own, copy], NO_KILLS, "a").once


def test_nothing_of_the_caller_reaches_the_cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "mine")
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "mine")
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("HTTPS_PROXY", "http://mine")
    monkeypatch.setenv("KEPT", "yes")
    made = clean_environment("http://127.0.0.1:1", root=tmp_path, extra={"MORE": "1"})
    assert "mine" not in "".join(made.env.values())
    assert "CLAUDECODE" not in made.env
    assert (made.env["KEPT"], made.env["MORE"]) == ("yes", "1")
    assert made.env["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:1"
    merged = {**os.environ, **made.overrides()}
    assert merged["ANTHROPIC_AUTH_TOKEN"] == merged["CLAUDE_CODE_OAUTH_TOKEN"] == merged["CLAUDECODE"] == ""


def test_everything_is_below_the_root(tmp_path: Path, home: Path) -> None:
    made = clean_environment("http://127.0.0.1:1", root=tmp_path)
    for name in ("HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        assert Path(made.env[name]).is_relative_to(tmp_path)
    answered = json.loads((made.config / ".claude.json").read_text(encoding="utf-8"))
    assert answered["hasCompletedOnboarding"] is True
    assert not list(home.iterdir())


def test_a_temporary_home_is_removed() -> None:
    with clean_environment("http://127.0.0.1:1") as made:
        assert made.project.is_dir()
    assert not made.root.exists()


@each_row("ccq_tui.testing", "ccq_tui.testing.pytest_plugin", "ccq_tui.testing.scenarios")
def test_importing_loads_nothing_heavy(module: str) -> None:
    heavy = ("uvicorn", "starlette", "hypothesis", "textual", "claude_agent_sdk")
    code = f"import sys, {module}; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
