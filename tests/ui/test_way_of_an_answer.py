"""The way of a question from the inbox to its panel, and of its answer from Enter to what the SDK gets."""

import asyncio
import sys
from pathlib import Path
from types import FrameType

from textual import events

from ccq_tui.agent.claude.gate import Gate
from ccq_tui.agent.events import ToolStarted
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from tests.options import launch_of
from tests.ui.session import SESSION_ID, Driven, idle, keys_work, until

SOURCE = {
    "questions": [
        {
            "question": "Which one?",
            "header": "Which",
            "multiSelect": False,
            "options": [{"label": "First", "description": "a"}, {"label": "Second", "description": "b"}],
        }
    ]
}


HANDS_ON = {
    ("screens.session.dock", "add"),
    ("widgets.panel.request_panel", "post_message"),  # of a key
    ("questions", "step"),
    ("inbox.store.worker", "submit"),
    ("inbox.store.database", "note"),
    ("inbox.kinds.sets", "check"),
    ("inbox.open_request", "resolve"),
    ("agent.claude.waits", "_stop_when_over"),
    ("questions", "encode"),
}
"""The functions that hand a question or an answer on: its stations are the modules that have called them."""
KEY = events.Key("enter", None)
MOST = 14
DOCS = Path(__file__).parents[2] / "docs" / "architecture.md"


class Way:
    """Notes the stations of an answer, in every thread that it is set in."""

    def __init__(self) -> None:
        self.stations: list[str] = []
        self.on = False

    def __call__(self, frame: FrameType | None, event: str, _argument: object) -> None:
        if not self.on or event != "call" or frame is None:
            return
        posts_other = not isinstance(frame.f_locals.get("message", KEY), events.Key)
        if (_module(frame), frame.f_code.co_name) in HANDS_ON and not posts_other:
            beside = frame.f_code.co_name == "submit"  # unless it is the answer: other surfaces count again
            passed: list[str] = []
            while frame is not None:
                passed.insert(0, _module(frame))
                beside = beside and frame.f_code.co_name != "answer"
                frame = frame.f_back
            if beside:
                return
            self.stations = [name for name in dict.fromkeys((*self.stations, *passed)) if name]


def _module(frame: FrameType) -> str:
    """Return the module of the program that runs in a frame, or ""; the questions are one."""
    name = str(frame.f_globals.get("__name__", ""))
    if name.startswith("ccq_tui.questions."):
        return "questions"
    return name.removeprefix("ccq_tui.") if name.startswith("ccq_tui.") else ""


async def test_a_question_needs_the_inbox_and_the_dock_and_its_answer_passes_fourteen_modules(
    tmp_path: Path,
) -> None:
    launch = Launch(settings=Settings(cwd=tmp_path), program=ProgramArguments(state=tmp_path))
    async with idle(Driven(launch)) as (run, pilot):
        inbox, way = run.app.runtime.inbox, Way()
        gate = Gate(
            inbox, launch_of(tmp_path), lambda: SESSION_ID, lambda _: None
        )  # no event reaches anybody
        gate.waits.calls.note(ToolStarted("t", "AskUserQuestion", SOURCE))
        way.on = True
        sys.setprofile(way)
        hook = asyncio.ensure_future(gate.before_question({"tool_input": SOURCE}, "t", {}))
        hook.add_done_callback(lambda _: setattr(way, "on", False))
        await until(pilot, lambda: run.screen.dock.panel)
        sys.setprofile(None)
        way.on, up, way.stations = False, way.stations, []
        await keys_work(run, pilot)
        await pilot.press("1")
        await inbox.run(lambda _: sys.setprofile(way))
        sys.setprofile(way)
        try:
            way.on = True
            await pilot.press("enter")
            reply = await hook
            await until(pilot, lambda: run.screen.dock.panel is None)
        finally:
            sys.setprofile(None)
            await inbox.run(lambda _: sys.setprofile(None))
    assert [name for name in up if name.startswith("screens.")] == ["screens.session.dock"]
    assert reply["hookSpecificOutput"]["updatedInput"]["answers"] == {"Which one?": "First"}
    assert len(way.stations) <= MOST, way.stations
    described = DOCS.read_text(encoding="utf-8")
    assert [name for name in way.stations if f"`{name.replace('.', '/')}`" not in described] == []
