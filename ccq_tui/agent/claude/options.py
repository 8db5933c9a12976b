"""Translates the launch of a session to the SDK's own options."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import claude_agent_sdk as sdk
from claude_agent_sdk.types import HookEvent, SystemPromptPreset, ToolsPreset

from ccq_tui.agent.claude.spawn import PROGRAM
from ccq_tui.claude_lines import QUESTION_TOOL
from ccq_tui.config.launch import Launch

if TYPE_CHECKING:
    from ccq_tui.agent.claude.gate import Gate

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""Most bytes of one CLI message; the SDK's default of 1 MiB ends the session at a large file or answer."""

QUESTION_WAIT_SECONDS = 2_000_000
"""Seconds that a question may wait: 23 days. The CLI's timers hold 24.8 days; its default is 600 s."""


ASSUME_PROMPT = (
    "The user does not answer questions in this session. Where something is unclear, make the most "
    "reasonable assumption, go on, and list the assumptions you made at the end of your answer."
)
ADAPTIVE_PROMPT = (
    "Whenever a choice is the user's to make and you cannot tell from the request or the project what they "
    "want, ask them with the AskUserQuestion tool before you go on, at most {rounds} times in this session. "
    "Choices that are yours to make, make yourself."
)


def sdk_options(
    launch: Launch,
    gate: "Gate",
    stderr: Callable[[str], None],
    *,
    session_id: str | None,
    resume: str | None,
    mode: str | None,
) -> sdk.ClaudeAgentOptions:
    """Translate the launch of a session, whose requests to a person go to a gate.

    Claude Code's own system prompt, tools and settings apply, as in its terminal program, with partial
    messages and the echo of prompts. ``session_id`` is that of a new session or a fork; None keeps the
    id in ``resume``. ``mode`` is the permission mode to start in; None leaves that to the CLI.
    """
    given = launch.settings
    asks = given.questions != "assume"
    # An answer carries no remark, and the CLI would wait for the hook to say so.
    after = sdk.HookMatcher(matcher=f"^(?!{QUESTION_TOOL}$)", hooks=[gate.after_tool])
    hooks: dict[HookEvent, list[sdk.HookMatcher]] = {"PostToolUse": [after], "PostToolUseFailure": [after]}
    if asks:
        before = sdk.HookMatcher(
            matcher=QUESTION_TOOL, hooks=[gate.before_question], timeout=QUESTION_WAIT_SECONDS
        )
        hooks["PreToolUse"] = [before]
    return sdk.ClaudeAgentOptions(
        cwd=launch.settings.directory,
        model=given.model,
        permission_mode=cast("sdk.PermissionMode | None", mode),
        effort=given.effort,
        add_dirs=list(given.add_dirs),
        allowed_tools=list(given.allowed_tools),
        disallowed_tools=[*given.disallowed_tools, *([] if asks else [QUESTION_TOOL])],
        mcp_servers=given.mcp_argument or {},
        settings=given.settings,
        system_prompt=_system_prompt(launch),
        tools=_tools(given.tools),
        setting_sources=_setting_sources(launch),
        fallback_model=given.fallback_model,
        betas=cast("list[sdk.SdkBeta]", list(given.betas)),
        strict_mcp_config=given.strict_mcp_config,
        plugins=[{"type": "local", "path": str(path)} for path in given.plugin_dirs],
        max_turns=given.max_turns,
        max_budget_usd=given.max_budget_usd,
        cli_path=given.cli_path,
        session_id=session_id,
        resume=resume,
        fork_session=resume is not None and launch.fork,
        env=cli_environment(launch) | {PROGRAM: str(os.getpid())},
        can_use_tool=gate.can_use_tool,
        hooks=hooks,
        stderr=stderr,
        include_partial_messages=True,
        # Lets files that the agent's tools wrote be restored to an earlier prompt.
        enable_file_checkpointing=True,
        forward_subagent_text=True,
        max_buffer_size=MAX_MESSAGE_BYTES,
        extra_args=_extra_arguments(launch, new=resume is None or launch.fork),
    )


def _tools(names: tuple[str, ...] | None) -> list[str] | ToolsPreset:
    if names is None or names == ("default",):
        return {"type": "preset", "preset": "claude_code"}
    return list(names)


def _setting_sources(launch: Launch) -> list[sdk.SettingSource]:
    """Return the settings sources to read; never those of an untrusted directory."""
    given = launch.settings.setting_sources
    wanted: tuple[sdk.SettingSource, ...] = ("user", "project", "local") if given is None else given
    return [source for source in wanted if launch.trusted.project_settings or source == "user"]


def _extra_arguments(launch: Launch, *, new: bool) -> dict[str, str | None]:
    arguments = {"replay-user-messages": None, **launch.settings.arguments()}
    if launch.name and new:
        arguments["name"] = launch.name
    if launch.settings.system_prompt is not None and (appended := _appended(launch)):
        arguments["append-system-prompt"] = appended
    return arguments


def _system_prompt(launch: Launch) -> str | SystemPromptPreset:
    if launch.settings.system_prompt is not None:
        return launch.settings.system_prompt
    preset: SystemPromptPreset = {"type": "preset", "preset": "claude_code"}
    return {**preset, "append": appended} if (appended := _appended(launch)) else preset


def _appended(launch: Launch) -> str:
    """Return the text to append to the system prompt, Claude Code's own or another."""
    parts = [launch.settings.append_system_prompt]
    match launch.settings.questions:
        case "assume":
            parts.append(ASSUME_PROMPT)
        case "adaptive":
            parts.append(ADAPTIVE_PROMPT.format(rounds=launch.settings.max_question_rounds))
    return "\n\n".join(part for part in parts if part)


def cli_environment(launch: Launch) -> dict[str, str]:
    """Return the CLI's variables over those of this process; the program's own have the last word."""
    previews = "" if launch.settings.question_previews == "off" else "markdown"
    ours = {
        # Without it the CLI does not report when a turn runs, waits and ends.
        "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1",
        "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT": previews,
        "CLAUDE_CODE_QUESTION_EXTENDED": "1" if launch.settings.extended_questions else "",
    }
    return ours | dict(launch.program.environment)
