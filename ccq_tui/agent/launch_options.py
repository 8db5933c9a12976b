"""Turns what the program was launched with into what a session is started with."""

from __future__ import annotations

from ccq_tui.agent.options import QuestionPolicy, SessionOptions
from ccq_tui.config import Launch


def session_options(launch: Launch) -> SessionOptions:
    """Return the options of the session that a launch asks for."""
    settings = launch.settings
    return SessionOptions(
        cwd=settings.directory,
        model=settings.model,
        permission_mode=settings.permission_mode,
        effort=settings.effort,
        add_dirs=settings.add_dirs,
        allowed_tools=settings.allowed_tools,
        disallowed_tools=settings.disallowed_tools,
        mcp_config=settings.mcp_argument,
        settings=settings.settings,
        append_system_prompt=settings.append_system_prompt or "",
        max_turns=settings.max_turns,
        max_budget_usd=settings.max_budget_usd,
        questions=QuestionPolicy(settings.questions),
        max_question_rounds=settings.max_question_rounds,
        claude=settings.claude,
        name=launch.name,
        cli_path=settings.cli_path,
        project_settings=launch.project_settings,
        resume=launch.resume or None,
        session_id=launch.session_id or launch.chosen_id or None,
        continue_conversation=launch.continue_last,
        fork=launch.fork,
        environment=launch.environment,
        question_previews=settings.question_previews,
        extended_questions=settings.extended_questions,
        repair_records=settings.repair_records,
    )
