"""Images and commands of the shell on their way to the model, and in the record of a session."""

import base64
import json
from typing import Any

from ccq_tui.agent.controls import ImageFile
from ccq_tui.agent.events import BlockGrew, HistoryLoaded, PromptAccepted, PromptReturned, TurnEnded
from ccq_tui.agent.history import read_history
from ccq_tui.prompts.images import MOST_BYTES, ImageStore, PromptImage, label
from ccq_tui.prompts.shell_runs import ShellRun, message_of
from ccq_tui.testing import ScriptedModel
from ccq_tui.testing.scenario import Scenario
from tests.agent.running import Running, launch_in_home
from tests.agent.stage import Stage
from tests.steps import step
from tests.unit.prompts.pictures import jpeg, png

SOURCE = "[Image: source: "
"""Begins what the CLI adds of each image: where it has put a copy."""
HANGS = Scenario("a").says("As far").hangs().says(" not").ends_turn().says("Two.").ends_turn()
TURNS = Scenario("a").says("One.").ends_turn().says("Two.").ends_turn().says("Three.").ends_turn()


RAN = ShellRun("make", "built", "slow", 2)
UNANSWERED = message_of(RAN, answer=False)


def words(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": one} for one in texts]


def kept(store: ImageStore, data: bytes, name: str) -> tuple[PromptImage, ImageFile]:
    image = store.add(data, name)
    return image, ImageFile(name, store.path(image), image.media_type)


def block(data: bytes, media_type: str = "image/png") -> dict[str, Any]:
    encoded = base64.b64encode(data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": encoded}}


def prompts(model: ScriptedModel) -> list[list[dict[str, Any]]]:
    """The blocks of each prompt in the newest request, without what the CLI adds for itself."""
    body = model.requests()[-1].body
    contents = [one["content"] for one in body["messages"] if one["role"] == "user"]
    listed = [[{"type": "text", "text": one}] if isinstance(one, str) else one for one in contents]
    return [
        [
            {name: value for name, value in one.items() if name != "cache_control"}
            for one in content
            if not one.get("text", "").startswith(("<system-reminder>", SOURCE))
        ]
        for content in listed
    ]


async def scenes(stage: Stage) -> None:
    """Play what this module tests."""
    model, home = stage.model, stage.home
    store = ImageStore(home.root / "images")
    async with stage.scene("images go as blocks behind the text that names them", TURNS) as run:
        first, one = kept(store, png(64, 48), "a.png")
        second, two = kept(store, png(30, 20, 9), "b.png")
        chip = label(first, {}, "")
        text = f"Compare {chip} and {label(second, {}, chip)}"
        run.session.send(text, images=(one, two))
        await run.until(TurnEnded)
        assert prompts(model)[-1][-3:] == [
            {"type": "text", "text": text},
            block(png(64, 48)),
            block(png(30, 20, 9)),
        ]
        assert json.dumps(model.requests()[-1].body).count(SOURCE) == 2
        assert [event.text for event in run.all(PromptAccepted)] == [text]
        session = run.session.session_id
    async with stage.scene("a prompt whose image is gone comes back", TURNS) as run:
        name = run.session.send("look", images=(ImageFile("a.png", home.root / "gone", "image/png"),))
        returned = await run.until(PromptReturned)
        reason = "a.png is no longer kept; take it out, or attach it again"
        assert returned == PromptReturned("look", reason, name)
        assert not model.requests()
    async with stage.scene("the largest image arrives", TURNS) as run:
        data = jpeg(40, 30) + bytes(MOST_BYTES - len(jpeg(40, 30)))
        _, one = kept(store, data, "a.jpg")
        run.session.send("look", images=(one,))
        await run.until(TurnEnded)
        (sent,) = [one for one in prompts(model)[-1] if one["type"] == "image"]
        assert sent["source"]["media_type"] == "image/jpeg"
        assert sent == block(data, "image/jpeg")
    async with stage.scene("Claude Code attaches an image that is mentioned", TURNS) as run:
        (home.project / "pic.png").write_bytes(png(64, 48))
        await run.send("look at @pic.png").until(TurnEnded)
        blocks = [one for content in prompts(model) for one in content]
        assert [one for one in blocks if one["type"] == "image"] == [block(png(64, 48))]
        assert {"type": "text", "text": "look at @pic.png"} in blocks
    async with stage.scene("an image that is queued is read in its turn", HANGS) as run:
        _, one = kept(store, png(), "a.png")
        await run.send("begin").until(BlockGrew)
        run.session.send("then [image 1: a.png 64×48, 207 bytes]", images=(one,))
        await run.until(PromptAccepted, lambda event: event.queued)
        run.session.interrupt()
        await run.until(TurnEnded, count=2)
        assert prompts(model)[-1][-2:] == [
            {"type": "text", "text": "then [image 1: a.png 64×48, 207 bytes]"},
            block(png()),
        ]
    async with stage.scene("a command of the shell that Claude answers, and one that it does not", TURNS):
        await run.send(message_of(RAN)).until(TurnEnded)
        assert prompts(model)[-1][-1:] == words(message_of(RAN))
        run.session.send(UNANSWERED, answer=False)
        await run.until(TurnEnded, count=2)
        assert len(model.requests()) == 1
        await run.send("and now?").until(TurnEnded, count=3)
        assert prompts(model)[-1] == words(f"{UNANSWERED}\n", "and now?")
        ran = run.session.session_id
    async with stage.scene("one that ends while Claude works interrupts nothing", HANGS):
        await run.send("begin").until(BlockGrew)
        run.session.send(UNANSWERED, answer=False)
        await run.until(PromptAccepted, lambda event: event.text == UNANSWERED)
        model.release()
        await run.until(TurnEnded, count=2)
        assert len(model.requests()) == 1
        await run.send("next").until(TurnEnded, count=3)
        assert prompts(model)[-1] == words(f"{UNANSWERED}\n", "next")
    with step("a resumed session knows the commands"):
        past = await read_history(launch_in_home(home, resume=ran))
        texts = [event.text for event in past.events if isinstance(event, PromptAccepted)]
        assert texts == ["/clear", message_of(RAN), UNANSWERED, "and now?"]
    with step("a resumed session names images where they stand"):
        model.begin(TURNS)
        async with Running(home, resume=session) as run:
            past = (await run.until(HistoryLoaded)).events
            assert [event.text for event in past if isinstance(event, PromptAccepted)] == ["/clear", text]
            await run.send("And now?").until(TurnEnded)
            assert block(png(30, 20, 9)) in [one for content in prompts(model) for one in content]
