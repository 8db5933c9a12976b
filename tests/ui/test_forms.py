"""Forms of MCP servers in the question panel: pictures of their states, and problems said at their fields."""

from __future__ import annotations

from ccq_tui.inbox.requests import ElicitationRequest
from ccq_tui.questions import Answer, Answered, Dismissed
from ccq_tui.questions.state import opened
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.question import QuestionPanel
from tests.ui.asked import NAME
from tests.ui.forms import BROKEN, LINK, asked
from tests.ui.host import PanelHost, press_later
from tests.ui.pictures import Pictures

FORM = asked()
STATES: dict[str, tuple[ElicitationRequest, tuple[str, ...]]] = {
    "text": (FORM, ()),
    "text_wrong": (FORM, ("A", "enter")),
    "number": (FORM, ("tab", "tab")),
    "boolean": (FORM, ("tab", "tab", "tab")),
    "list_wrong": (FORM, (*("tab",) * 5, "1", "2", "3", "enter")),
    "review_lacking": (FORM, (*("tab",) * 6,)),
    "decline_asked": (FORM, ("A", "ctrl+d")),
    "link": (LINK, ()),
    "broken": (BROKEN, ()),
}
LOW = ("text_wrong", "review_lacking", "decline_asked", "link", "broken")


class FormHost(PanelHost):
    """Shows the panel of a form."""

    async def ask(self, request: ElicitationRequest) -> None:
        """Put the panel of a request in the place of the one that is there."""
        state = opened(request.questions)
        await self._replace(QuestionPanel(state, session="api", place=(1, 1), clock=self.clock))


async def keep(pictures: Pictures, size: tuple[int, int], names: tuple[str, ...]) -> None:
    app = FormHost(NAME)
    async with app.run_test(size=size) as pilot:
        for name in names:
            request, keys = STATES[name]
            await app.ask(request)
            await pilot.pause()
            for key in keys:
                await pilot.press(key)
            app.panel.query_one(HintBar).wake()
            await pilot.pause()
            pictures.compare(app.export_screenshot(simplify=True), name)


async def test_at_80x24(pictures: Pictures) -> None:
    await keep(pictures, (80, 24), tuple(STATES))


async def test_at_40x12(pictures: Pictures) -> None:
    await keep(pictures, (40, 12), LOW)


async def test_a_form_is_filled_in_by_keys() -> None:
    async with FormHost(NAME).shown() as (app, pilot):
        await app.ask(FORM)
        await pilot.pause()
        assert "deploy asks" in app.panel_text
        assert "Please give deployment details" in app.panel_text
        await pilot.press("A", "enter")
        assert "⚠ too short · at least 2 characters, not 1" in app.panel_text
        await pilot.press("d", "a", "enter", *"ada@", "tab")
        await pilot.press("shift+tab")
        assert "not an email address, such as ada@example.com" in app.panel_text
        await pilot.press(*"example.com", "enter")
        assert app.state.tab == 4, "what has a default waits in the review"
        await pilot.press("down", "enter")
        await pilot.press("1", "3", "enter")
        assert "Submit the form" in app.panel_text
        await pilot.press("enter")
        (ended,) = app.all_posted(QuestionPanel.Ended)
        assert ended.outcome == Answered(
            (
                Answer(other="Ada"),
                Answer(other="ada@example.com"),
                Answer(other="3"),
                Answer(selected=("No",)),
                Answer(selected=("Development",)),
                Answer(selected=("x", "z")),
            )
        )
        await app.ask(BROKEN)
        await pilot.pause()
        assert "contradicts itself: its minLength is above its maxLength" in " ".join(app.panel_text.split())
        await pilot.press("enter", "x")
        assert not app.all_posted(QuestionPanel.Ended), "not in the moment in which it is asked"
        await press_later(pilot, "x")
        (ended,) = app.all_posted(QuestionPanel.Ended)
        assert ended.outcome == Dismissed()
