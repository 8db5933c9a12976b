"""Forms in the question panel: pictures of their states, and problems said at their fields."""

from ccq_tui.inbox.requests import ElicitationRequest, FormRequest
from ccq_tui.questions import QuestionSet
from ccq_tui.questions.keys import enter_words
from ccq_tui.questions.state import opened
from tests.ui.asked import NAME
from tests.ui.forms import BROKEN, LINK, asked
from tests.ui.host import PanelHost
from tests.ui.pictures import Pictures
from tests.unit.questions.drive import RELEASE, field

FORM = asked()
RELEASED = FormRequest("form_1", "f", QuestionSet("release", RELEASE, "Release notes", is_form=True))
_FELT = tuple(field(f"How did part {number} of the work feel?") for number in range(1, 9))
_MOST = (field("What did it take?", "Time", "Luck", multi_select=True), *_FELT, *RELEASE)
LONG = FormRequest("form_2", "f", QuestionSet("work", _MOST, "How the work went", is_form=True))
STATES: dict[str, tuple[ElicitationRequest | FormRequest, tuple[str, ...]]] = {
    "text": (FORM, ()),
    "text_wrong": (FORM, ("A", "enter")),
    "number": (FORM, ("tab", "tab")),
    "boolean": (FORM, ("tab", "tab", "tab")),
    "list_wrong": (FORM, (*("tab",) * 5, "1", "2", "3", "enter")),
    "review_lacking": (FORM, (*("tab",) * 6,)),
    "decline_asked": (FORM, ("A", "ctrl+d")),
    "link": (LINK, ()),
    "broken": (BROKEN, ()),
    "place": (LONG, ("enter", "enter", "-", "enter")),
    "nothing_chosen": (LONG, ()),
    "hidden": (RELEASED, ("2", "enter", "-")),
    "review_skipped": (RELEASED, ("1", "enter", "enter", "o", "k", "enter", "n", "/", "a", "enter")),
}
LOW = ("place", "review_skipped", "text_wrong", "review_lacking", "decline_asked", "link", "broken")


async def keep(pictures: Pictures, size: tuple[int, int], names: tuple[str, ...]) -> None:
    async with PanelHost(NAME).shown(size=size) as (app, pilot):
        for name in names:
            request, keys = STATES[name]
            await pilot.put(opened(request.questions), session="api")
            for key in keys:
                await pilot.press(key)
            await pilot.pause()
            pictures.compare(app.export_screenshot(simplify=True), name)


async def test_at_80x24(pictures: Pictures) -> None:
    await keep(pictures, (80, 24), tuple(STATES))


async def test_at_40x12(pictures: Pictures) -> None:
    await keep(pictures, (40, 12), LOW)


async def test_a_link_that_is_cut_is_asked_again_unless_it_was_read() -> None:
    url = f"https://login.example.com/start?{'x=1&' * 400}end=1"
    async with PanelHost(NAME).shown(size=(80, 24)) as (app, pilot):
        for keys, words in (
            (["p", "escape"], "ask again, 7 lines unseen"),
            (["enter"], "send Open the link, and accept"),
            (["p", "pagedown", "escape"], "send Open the link, and accept"),
        ):
            form = asked(mode="url", message="Sign in", url=url)
            await pilot.put(opened(form.questions), session="api")
            for key in keys:
                app.clock.skip_grace()
                await pilot.press(key)
            assert (enter_words(app.panel.state), app.outcomes) == (words, []), keys
            app.clock.skip_grace()
            await pilot.press("enter")
            assert len(app.outcomes) == words.startswith("send"), keys
