"""The decision panel: what is asked is seen, each way to decide works by keys, and its manners."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from unittest.mock import patch

from textual.pilot import Pilot
from textual.strip import Strip

from ccq_tui.agent import events as ev
from ccq_tui.agent.events import AgentEvent, RequestAsked, RequestSettled
from ccq_tui.commands.models import MODE_ERROR
from ccq_tui.inbox.dangers import placed
from ccq_tui.inbox.file_changes import change_of
from ccq_tui.inbox.requests import Allowed, Denied, PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.input.gate import WRITING
from ccq_tui.screens.session.dock import IN_PROMPT
from ccq_tui.widgets.field import AnswerField
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import keyboard_of
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.question.parts import unseen_words
from ccq_tui.widgets.status_line import StatusLine
from tests.actors import PANEL
from tests.steps import step
from tests.ui.drawn import screen_text
from tests.ui.host import PanelHost, QuickPilot, press_later, same_picture, type_text
from tests.ui.session import Driven, asked, permission, press, until
from tests.ui.test_question_panel_keys import assert_clean, click_on

PLAN = PlanRequest("toolu_plan", "id-1", "# The plan\n\n1. Begin\n2. End\n")


async def shown(run: Driven, pilot, event: AgentEvent) -> RequestPanel:  # type: ignore[no-untyped-def]
    await run.ask(pilot, event)
    panel = run.dock.panel
    assert isinstance(panel, RequestPanel)
    return panel


def on_screen(run: Driven) -> list[Strip]:
    return run.screen._compositor.render_strips()


def drawn(panel: RequestPanel) -> str:
    return "\n".join(line.text.plain for line in panel.form.body.lines)


async def test_what_is_asked_is_seen_and_hostile_input_is_drawn_as_data() -> None:
    command = "echo \x1b]0;pwned\x07 [@click=app.quit]x[/] \u202e"
    app = PanelHost(PermissionRequest("t", "s", "Bash", {"command": command}))
    async with app.run_test() as pilot:
        text = drawn(app.panel)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "[@click=app.quit]x[/]" in text
        values = {"file_path": "/w/a.py", "content": "x = 1\n"}
        request = PermissionRequest("t", "s", "Write", values, reason="a hook says so", blocked_path="/etc")
        await pilot.put(request)
        for part in ("/w/a.py", "+ x = 1", "a hook says so", "/etc"):
            assert part in drawn(app.panel)


async def test_a_plan_is_approved_as_it_is_or_as_edited_or_not_at_all(run: Driven, pilot: Pilot[int]) -> None:
    panel = await shown(run, pilot, RequestAsked(PLAN))
    panel.put_text("# The plan\n\n1. Begin\n2. Rest\n")
    await until(pilot, lambda: "+ 2. Rest" in drawn(panel))
    assert "- 2. End" in drawn(panel)
    await press(pilot, "1", "enter", then=lambda: run.fake.answers)
    plan = "# The plan\n\n1. Begin\n2. Rest"
    assert run.fake.answers == [("toolu_plan", Allowed(mode="acceptEdits", plan=plan), PANEL)]
    run.fake.tell(RequestSettled("toolu_plan", run.fake.answers[0][1], PANEL))
    await until(pilot, lambda: "Rest" in run.screen.transcript.text())
    assert "approved as edited" in run.screen.transcript.text()
    await until(pilot, lambda: any("2. Rest" in line.text for line in on_screen(run)))
    assert not any("2. End" in line.text for line in on_screen(run)), "nothing old stays drawn"

    panel = await shown(
        run, pilot, RequestAsked(replace(PLAN, tool_use_id="toolu_other", plan="# Another one"))
    )
    assert "Another one" in run.screen.transcript.text(), "it stands in the transcript"
    assert any("The plan is above" in line.text for line in on_screen(run))
    await pilot.press("y")
    await until(pilot, lambda: run.fake.answers[1:] == [("toolu_other", Allowed(mode="default"), PANEL)])

    panel = await shown(run, pilot, RequestAsked(replace(PLAN, tool_use_id="toolu_third")))
    panel.put_text("# Mine")
    await press(pilot, "n", then=lambda: len(run.fake.answers) == 3)
    assert "# Mine" in run.screen.transcript.text()
    await press(pilot, "f8", then=lambda: "Draft copied" in run.dock.notices.text)


LONG = PermissionRequest("t", "s", "Bash", {"command": "\n".join(f"step {n}" for n in range(80))})
SHORT = PlanRequest("p", "s", "# Plan")
SIZES = [(80, 24), (60, 20), (40, 12), (20, 8), (160, 50)]
LOW = [(80, 14), (80, 12), (60, 10), (40, 10), (40, 12), (30, 8)]


async def test_a_click_moves_and_a_click_on_the_cursor_takes() -> None:
    async with PanelHost(permission()).shown() as (app, pilot):
        await click_on(app, pilot, "Deny")
        assert (app.panel.state.page.cursor, app.outcomes) == (1, [])
        assert app.cursor_line.startswith(" ❯ n  Deny")
        await click_on(app, pilot, "make all")
        assert app.outcomes == [], "what is decided on is no choice"
        await click_on(app, pilot, "Deny")
        assert app.outcomes == [Denied()]


async def test_a_click_on_the_cursor_lasts_as_its_row_does() -> None:
    rule = Suggestion("addRules", "session", behavior="allow", rules=(Rule("Bash", "make all"),))
    async with PanelHost(replace(permission(), suggestions=(rule,))).shown() as (app, pilot):
        hands = keyboard_of(app)
        with patch.object(hands, "judge", wraps=hands.judge) as judged:
            await click_on(app, pilot, "For this session")
            await click_on(app, pilot, "For this session")
        assert [call.args[1].lasts for call in judged.call_args_list] == [False, True]


async def test_a_panel_that_was_asked_for_has_no_grace_and_the_focus_stays_inside() -> None:
    async with PanelHost(permission(), asked_for=True).shown() as (app, pilot):
        app.clock.now = 1000.0
        await pilot.press("y")
        assert app.outcomes == [Allowed()]
        await pilot.put(permission())
        for keys in (("tab",), ("shift+tab",), ("e", "tab"), ("shift+tab", "tab")):
            await pilot.press(*keys)
            assert app.focused is app.panel, keys


async def test_what_is_typed_or_pasted_stays_in_order_and_what_is_hidden_in_it_is_drawn_as_a_sign() -> None:
    trick, family = (
        "safe\u202egnp.exe\u200b",
        "\U0001f468\u200d\U0001f469 \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    )
    async with PanelHost(permission()).shown() as (app, pilot):
        app.burst("e", "a", "b", "left", "X", "escape", "up", "down", "enter", "y", "n", "enter")
        await pilot.pause()
        await pilot.press("enter")
        assert app.outcomes == [Denied("aXynb")], "the caret is where it was left"
        await pilot.put(permission())
        app.paste(f"{trick} {family}")
        await pilot.pause()
        assert "safe\ufffdgnp.exe\ufffd" in app.panel_text
        assert "\U0001f468\u200d\U0001f469" in app.panel_text, "what people write with is drawn as it is"
        assert "\u202e" not in app.panel_text
        await pilot.press("enter")
        await press_later(pilot, "enter")
        assert app.outcomes == [Denied(f"{trick} {family}")]


async def test_the_height_and_the_keys() -> None:
    async with PanelHost(SHORT).shown() as (app, pilot):
        for size, asked in product(SIZES, (permission(), LONG, SHORT)):
            await pilot.resize_terminal(*size)
            await pilot.put(asked)
            await the_height_and_the_keys(app, pilot, asked)


async def the_height_and_the_keys(
    app: PanelHost, pilot: QuickPilot, asked: PermissionRequest | PlanRequest
) -> None:
    bottom = app.size.height
    most = -(-bottom * 8 // 10)
    for keys in ((), ("e",), ("enter",), ("x", "ctrl+j") * 8, "word" * 12, ("z",)):
        if isinstance(keys, str):
            app.paste(keys)
        else:
            await pilot.press(*keys)
        assert app.panel.region.height <= most, asked
        assert "Enter" in app.panel_text, f"the keys of {asked} are in sight after {keys}"
        assert app.panel.query_one(HintBar).region.bottom == bottom, asked
        if "e" in keys:
            assert app.panel.state.typing
    field = app.panel.query_one(AnswerField)
    assert "z" in app.panel_text, f"the caret is in sight: {asked}"
    assert field.region.bottom <= app.panel.query_one(HintBar).region.y, asked
    await pilot.press("escape")
    assert "❯" in app.panel_text, f"the choice under the cursor is in sight: {asked}"


async def test_the_session_is_drawn_as_data_and_stays_at_the_edge() -> None:
    app = PanelHost(permission())
    app.session = "会議\x1b[2J\u202e"
    async with app.run_test():
        assert app.panel_lines[0].endswith("─ 会議␛[2J‹U+202E› ─")
        assert_clean(app)


Compare = Callable[..., bool]
HERE = "/work/shop"
REQUEST = PermissionRequest(
    "t",
    "s",
    "Bash",
    {"command": "touch ../notes/todo.txt"},
    description="Make a list of what is left",
    blocked_path="/work/notes/todo.txt",
    agent_id="a1",
    agent="Release scout",
    suggestions=(
        Suggestion("addRules", "localSettings", (Rule("Bash", "touch ../notes/todo.txt"),), "allow"),
        Suggestion("addDirectories", directories=("/work/notes",)),
        Suggestion("setMode", mode="acceptEdits"),
    ),
)
IMPORT = "# Import bookmarks\n\n1. Parse the export\n2. Accept 5 MB at most\n3. Test with each browser"


async def test_lasting_permissions(snap_compare: Compare) -> None:
    app = PanelHost(placed(REQUEST, HERE))
    async with app.run_test(size=(80, 24)):
        assert same_picture(snap_compare, app)


async def test_a_text_on_a_low_screen(snap_compare: Compare) -> None:
    command = "make test\n" + "\n".join(f"echo {number}" for number in range(40))
    app = PanelHost(PermissionRequest("t", "s", "Bash", {"command": command}))
    async with app.run_test(size=(60, 11)) as pilot:
        await pilot.press("e")
        await type_text(pilot, "only the unit tests")
        assert same_picture(snap_compare, app)


async def test_a_plan_that_was_edited(snap_compare: Compare) -> None:
    async with PanelHost(PlanRequest("p", "s", IMPORT)).shown() as (app, pilot):
        app.panel.put_text(IMPORT.replace("5 MB", "6 MB"))
        await pilot.pause()
        assert same_picture(snap_compare, app)


def modes(run: Driven) -> list[object]:
    return [value for name, value in run.fake.set if name == "mode"]


async def test_the_key_goes_round_and_the_status_follows(run: Driven, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: run.screen.view.mode == "default")
    await pilot.press("h", "shift+tab")
    assert "edits files unasked" in run.dock.notices.text
    await pilot.press("shift+tab")
    assert modes(run) == ["acceptEdits", "plan"], "the CLI's yes is not waited for"
    run.fake.tell(ev.ModeChanged("acceptEdits"), ev.ModeChanged("plan"))
    await until(pilot, lambda: "plan mode" in str(run.screen.query_one(StatusLine).render()))
    await pilot.press("shift+tab", "i")
    assert modes(run)[2:] == ["default"]
    assert run.prompt.text == "hi"
    run.prompt.put("")
    await run.tell(pilot, asked(), then=lambda: run.dock.panel and run.dock.panel.has_focus)
    await pilot.press("shift+tab")
    assert modes(run)[3:] == [], "in a panel the key is the panel's"
    await pilot.press("f2", "shift+tab")
    assert modes(run)[3:] == ["acceptEdits"]
    run.fake.tell(ev.ModelsListed((ev.ModelChoice("m", "M", "", auto_mode=True),)))
    run.fake.tell(ev.ModeChanged("acceptEdits"), ev.ErrorReported(MODE_ERROR, "no"))
    await until(pilot, lambda: "Mode" in run.screen.transcript.text() or not run.screen._arrived)
    await pilot.press("shift+tab")
    assert modes(run)[4:] == ["plan"]
    await pilot.press("shift+tab")
    assert modes(run)[5:] == ["auto"], "offered since now"


def plan_of(name: str, steps: int) -> ev.RequestAsked:
    listed = "\n".join(f"{n}. {name} step {n}" for n in range(1, steps + 1))
    return ev.RequestAsked(PlanRequest(name, "id-1", f"# Plan {name}\n\n{listed}\n"))


async def test_a_second_plan_opens_with_its_own_head_in_view_and_the_end_is_followed_afterwards(
    run: Driven, pilot: Pilot[int]
) -> None:
    await run.ask(pilot, plan_of("first", 60))
    await until(pilot, lambda: "Plan first" in screen_text(run.app))
    await press(pilot, "n", then=lambda: run.fake.answers)
    run.fake.tell(ev.RequestSettled("first", Denied(), PANEL))
    await until(pilot, lambda: run.dock.panel is None and run.screen.transcript.viewport.following)
    run.screen.transcript.show(0)
    await until(pilot, lambda: "Plan first" in screen_text(run.app))
    await run.ask(pilot, plan_of("second", 60))
    await until(pilot, lambda: "Plan second" in screen_text(run.app))
    assert "Plan first" not in screen_text(run.app)


async def test_a_plan_is_approved_at_once_or_by_a_second_press_where_it_was_never_on_the_screen(
    run: Driven, pilot: Pilot[int]
) -> None:
    await run.ask(pilot, plan_of("short", 3))
    await until(pilot, lambda: "Plan short" in screen_text(run.app))
    assert run.screen.transcript.viewport.following
    await press(pilot, "y", then=lambda: run.fake.answers == [("short", Allowed(mode="default"), PANEL)])
    run.fake.tell(RequestSettled("short", run.fake.answers.pop()[1], PANEL))
    await until(pilot, lambda: run.dock.panel is None)
    await run.ask(pilot, plan_of("long", 60))
    await until(pilot, lambda: "Plan long" in screen_text(run.app))
    panel = run.dock.panel
    assert isinstance(panel, RequestPanel)
    await press(pilot, "y", then=lambda: "PgDn shows them · y again approves" in unseen_words(panel.state))
    assert run.fake.answers == []
    transcript = run.screen.transcript

    async def read_on() -> bool:
        top = transcript.scroll_y
        await pilot.press("pagedown")
        await pilot.pause()
        return transcript.scroll_y != top

    while await read_on():
        pass
    await until(pilot, lambda: not unseen_words(panel.state))
    await press_later(pilot, "y", seconds=WRITING)
    await until(pilot, lambda: run.fake.answers == [("long", Allowed(mode="default"), PANEL)])


async def test_words_that_a_decision_was_made_without_are_in_the_prompt_and_that_is_said(
    run: Driven, pilot: Pilot[int]
) -> None:
    await run.ask(pilot, ev.RequestAsked(permission("p")))
    await press(pilot, "e", *"later", "escape", "home", "enter", then=lambda: run.prompt.text == "later")
    assert run.fake.answers[0][1] == Allowed()
    assert run.dock.notices.text == IN_PROMPT


SCREENS = Path(__file__).parent / "decision_screens"
ACCEPT = Suggestion("setMode", mode="acceptEdits")
MODULE = (
    "LIMIT = 10\n\n\ndef first():\n    if LIMIT:\n        pass\n    return 1\n\n\n"
    "def second():\n    return LIMIT + LIMIT\n"
)
SCRIPT = (SCREENS / "script.sh").read_text(encoding="utf-8")


def always(*rules: Rule) -> Suggestion:
    return Suggestion("addRules", "localSettings", rules, "allow")


def call(tool: str, values: dict[str, object], *suggested: Suggestion, **text: str) -> PermissionRequest:
    return PermissionRequest("t", "s", tool, values, suggestions=suggested, **text)  # type: ignore[arg-type]


ISSUE = {
    "owner": "acme",
    "repo": "shop",
    "title": "Search pages return duplicates",
    "labels": ["bug", "search", "p2"],
    "assignee": {"login": "jo", "notify": True},
    "body": "Steps:\n1. search for “red”\n2. go to page 2\n\nThe last hit of page 1 is there again.",
}
EDITED = {"file_path": "mod.py", "old_string": "return 1", "new_string": "return 42"}
EVERYWHERE = {"old_string": "LIMIT", "new_string": "MAXIMUM", "replace_all": True}
OWN = Suggestion("addDirectories", directories=(HERE,))
SAYS = {"description": "Make a file\n ❯ y  Allow once", "blocked_path": f"{HERE}/f1"}
DELETES = "rm -rf build && make all | tee log.txt; echo 'all of it is done'"
LOOKALIKE = {"url": "https://аррle.com/login", "prompt": "Read the form"}
CALLS: dict[str, PermissionRequest | PlanRequest] = {
    "bash": call(
        "Bash",
        {"command": "touch hello.txt && echo hi"},
        always(Rule("Bash", "touch *")),
        description="Create the hello file",
        reason="This command requires approval",
    ),
    "bash30": call("Bash", {"command": SCRIPT}),
    "create": call("Write", {"file_path": "new.py", "content": "print('hello')\nprint('x')\n"}, ACCEPT),
    "overwrite": call("Write", {"file_path": "small.py", "content": "x = 9\ny = 2\nz = 3\n"}, ACCEPT),
    "edit": call(
        "Edit", {"file_path": "mod.py", "old_string": "return 1", "new_string": "return 42"}, ACCEPT
    ),
    "all": call("Edit", {**EDITED, **EVERYWHERE}, ACCEPT),
    "mcp": call(
        "mcp__github__create_issue",
        ISSUE,
        always(Rule("mcp__github__create_issue")),
        description="Tool of the server github · Create a new issue in a repository",
    ),
    "plan": PlanRequest("t", "s", "\n".join(f"line {number}" for number in range(21)), auto=True),
    "touch": call("Bash", {"command": "touch f1"}, always(Rule("Bash", "touch f1 *")), OWN, ACCEPT, **SAYS),
    "delete": call("Bash", {"command": DELETES}, always(Rule("Bash", "make all *")), ACCEPT, **SAYS),
    "outside": REQUEST,
    "fetch": call("WebFetch", LOOKALIKE, always(Rule("WebFetch", "domain:xn--le-6kc8da.com"))),
}
KEYS = {"edit-40x12": ("down", "down"), "large-40x12": ("p",), "delete-40x14": ("enter",)}
UNSEEN = {"plan-160x50": 12, "plan-80x24": 12, "plan-40x12": 19, "approve-40x12": 19}
SAID = "put it into fixtures/, and use the name greeting.txt"


async def test_it_looks_as_drawn(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text("x = 1\nx2 = 2\ny = 2\nz = 3\n")
    (tmp_path / "mod.py").write_text(MODULE)
    async with PanelHost(SHORT).shown() as (app, pilot):
        for name in sorted(path.stem for path in SCREENS.glob("*.txt")):
            with step(name):
                await looks_as_drawn(app, pilot, name, tmp_path)


async def looks_as_drawn(app: PanelHost, pilot: QuickPilot, name: str, directory: Path) -> None:
    kind, _, size = name.partition("-")
    request = CALLS[{"large": "bash30", "deny": "bash", "approve": "plan"}.get(kind, kind)]
    if isinstance(request, PermissionRequest):
        request = placed(request, HERE)
        request = replace(request, change=change_of(request.tool, request.input, str(directory)))
    await pilot.resize_terminal(*map(int, size.split("x")))
    panel = app._made(request, session="", asked_for=True)
    app.unseen_above = lambda: (UNSEEN.get(name, 0), False)
    await app.replace(panel)
    await pilot.press(*KEYS.get(name, ()))
    if kind == "deny":
        await pilot.press("e", *("space" if one == " " else one for one in SAID))
    panel.update_seen()
    await pilot.pause()
    if kind == "approve":
        await pilot.press("enter")
    lines = "\n".join(line.rstrip() for line in app.panel_text.splitlines()).strip("\n")
    assert lines == (SCREENS / f"{name}.txt").read_text(encoding="utf-8").strip("\n")


async def test_on_a_low_screen_enter_takes_only_a_choice_whose_words_are_whole() -> None:
    async with PanelHost(SHORT).shown() as (app, pilot):
        for size, kind in product(LOW, ("bash", "bash30", "mcp")):
            await pilot.resize_terminal(*size)
            await pilot.put(CALLS[kind], asked_for=True)
            for index, option in enumerate(app.panel.state.page.question.options):
                await pilot.press("home", *["down"] * index)
                label = (option.act.brief if size[0] < 60 else "") or option.label
                assert "".join(label.split()) in "".join(app.panel_text.split()), (kind, size)
                in_sight = app.panel.state.in_sight or frozenset()
                assert index in in_sight or "Enter ask again" in app.panel_text or option.act.takes_words, (
                    kind
                )
                named = {0, 1} <= in_sight or "y allow" in app.panel_text
                assert size[1] < 10 or named, "allowing and denying are in sight, or among the keys"
