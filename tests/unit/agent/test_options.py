"""What a session is started with, and what is loaded for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ccq_tui.agent.claude.options import sdk_options
from ccq_tui.agent.options import QuestionPolicy, SessionOptions


def built(**fields: object) -> object:
    async def never(*_: object) -> dict[str, object]:
        raise AssertionError

    return sdk_options(
        SessionOptions(cwd=Path("/p"), **fields),  # type: ignore[arg-type]
        session_id=None,
        resume=None,
        mode=None,
        before_question=never,  # type: ignore[arg-type]
        after_tool=never,  # type: ignore[arg-type]
        can_use_tool=never,  # type: ignore[arg-type]
        stderr=print,
    )


def test_importing_the_layer_loads_no_sdk_and_no_screen() -> None:
    program = (
        "import sys, ccq_tui.agent, ccq_tui.agent.events; "
        "print([m for m in sys.modules if m.split('.')[0] in ('claude_agent_sdk', 'mcp', 'textual')])"
    )
    output = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert output.stdout.strip() == "[]"


def test_the_environment_has_the_last_word() -> None:
    options = SessionOptions(
        cwd=Path("/p"), environment={"ANTHROPIC_API_KEY": "", "CLAUDE_CODE_QUESTION_EXTENDED": "0"}
    )
    assert options.cli_environment() == {
        "ANTHROPIC_API_KEY": "",
        "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1",
        "CLAUDE_CODE_QUESTION_EXTENDED": "0",
        "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT": "markdown",
    }


def test_questions_are_hooked_with_a_wait_that_the_cli_can_count() -> None:
    options = built()
    (matcher,) = options.hooks["PreToolUse"]  # type: ignore[attr-defined]
    assert matcher.matcher == "AskUserQuestion"
    assert 600 < matcher.timeout < 24 * 24 * 3600
    assert options.max_buffer_size == 64 * 1024 * 1024  # type: ignore[attr-defined]
    assert options.system_prompt == {"type": "preset", "preset": "claude_code"}  # type: ignore[attr-defined]


def test_what_the_project_sets_can_be_left_out() -> None:
    assert built().setting_sources == ["user", "project", "local"]  # type: ignore[attr-defined]
    assert built(project_settings=False).setting_sources == ["user"]  # type: ignore[attr-defined]


def test_assuming_takes_the_tool_away_and_says_so() -> None:
    options = built(
        questions=QuestionPolicy.ASSUME, disallowed_tools=("WebFetch",), append_system_prompt="Rhyme."
    )
    assert set(options.hooks) == {"PostToolUse", "PostToolUseFailure"}  # type: ignore[attr-defined]
    assert options.disallowed_tools == ["WebFetch", "AskUserQuestion"]  # type: ignore[attr-defined]
    assert options.system_prompt["append"].startswith("Rhyme.\n\nThe user does not answer")  # type: ignore[attr-defined]
