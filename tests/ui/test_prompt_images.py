"""Images in the prompt: pasted, dropped, kept, sent, and brought back."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui.agent.controls import ImageFile
from ccq_tui.agent.events import PromptAccepted, PromptReturned
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import state_dir
from ccq_tui.config.settings import Settings
from ccq_tui.prompts import images
from ccq_tui.prompts.completion_list import Completion
from ccq_tui.screens.session.prompts import EMPTY
from ccq_tui.transcript.blocks import NoticeBlock
from ccq_tui.widgets.completer import ChoiceList
from ccq_tui.widgets.prompt.prompt import IMAGE_MISSING, TYPED_ON
from tests.ui.host import Clock
from tests.ui.pictures import Pictures
from tests.ui.session import Driven, press, running, until
from tests.ui.test_prompt import written
from tests.unit.prompts.pictures import gif, png

RESUMED = Launch(settings=Settings(cwd=Path("/")), resume="id-1")
SIZE = len(png())
A, B = f"[image 1: a.png 64×48, {SIZE} bytes]", "[image 2: b.gif 5×6, 14 bytes]"
PASTED = f"[image 1: pasted 64×48, {SIZE} bytes]"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "a.png").write_bytes(png())
    (tmp_path / "b.gif").write_bytes(gif(5, 6))
    (tmp_path / "no.png").write_bytes(b"%PDF")
    return tmp_path


@pytest.fixture
def clipboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes | str], None]:
    """Put something on the clipboard of an X server that is not there."""
    programs = tmp_path / "programs"
    programs.mkdir()
    held = tmp_path / "held"
    script = f"""#!/bin/sh
case "$*" in
    *TARGETS) cat {held}.types ;;
    *image/png) cat {held}.image ;;
    *) cat {held}.text ;;
esac
"""
    (programs / "xclip").write_text(script)
    (programs / "xclip").chmod(stat.S_IRWXU)
    for name in ("WAYLAND_DISPLAY", "WSL_DISTRO_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")

    def put(content: bytes | str) -> None:
        image = isinstance(content, bytes)
        Path(f"{held}.types").write_text("TARGETS\nimage/png\n" if image else "TARGETS\nUTF8_STRING\n")
        Path(f"{held}.image").write_bytes(content if isinstance(content, bytes) else b"")
        Path(f"{held}.text").write_text("" if isinstance(content, bytes) else content)

    return put


class Prompted(Driven):
    """The program, and what is said above its prompt."""

    @property
    def notice(self) -> str:
        return self.screen.dock.notices.text

    def drop(self, text: str) -> None:
        self.prompt.field.post_message(events.Paste(text))


@pytest.fixture
def run() -> Prompted:
    return Prompted(RESUMED)


async def sends_image(place: Path, run: Prompted, pilot: Pilot[int]) -> None:
    """Drop an image, and send it."""
    run.drop(f"{place}/a.png")
    await until(pilot, lambda: run.prompt.field.text == f"{A} ")
    await press(pilot, "enter", then=lambda: run.fake.sent == [A])


def stored() -> list[Path]:
    return list((state_dir() / "images").iterdir())


async def test_paths_that_are_dropped_become_images_and_go_with_the_prompt(
    place: Path, run: Prompted, pilot: Pilot[int]
) -> None:
    await pilot.press(*"see ")
    run.drop(f"'{place}/a.png' file://{place}/b.gif ")
    await until(pilot, lambda: run.prompt.field.text == f"see {A} {B} ")
    await press(pilot, *"now", "enter", then=lambda: run.fake.sent == [f"see {A} {B} now"])
    ((one, two),) = run.fake.images
    assert [(image.name, image.media_type) for image in (one, two)] == [
        ("a.png", "image/png"),
        ("b.gif", "image/gif"),
    ]
    assert one.path.read_bytes() == png()
    assert two.path.read_bytes() == gif(5, 6)
    assert run.prompt.field.text == ""
    assert {one.path, two.path} == set(stored())


async def test_enter_in_the_same_burst_waits_for_the_images(
    place: Path, run: Prompted, pilot: Pilot[int]
) -> None:
    run.drop(f"{place}/a.png")
    run.prompt.field.post_message(events.Key("enter", None))
    await until(pilot, lambda: run.fake.sent == [A])
    run.drop(f"{place}/a.png")
    run.prompt.field.post_message(events.Key("enter", None))
    run.prompt.field.post_message(events.Key("x", "x"))
    await until(pilot, lambda: A in run.prompt.field.text and "x" in run.prompt.field.text)
    assert run.fake.sent == [A]
    assert run.notice == TYPED_ON


async def test_any_other_paste_stays_as_it_is(place: Path, run: Prompted, pilot: Pilot[int]) -> None:
    sent: list[str] = []
    for text in ("{}/gone.png", "a.png", "see {}/a.png", "{}/a.png {}/gone.png", "/srv"):
        text = text.replace("{}", str(place))
        run.drop(text)
        await until(pilot, lambda text=text: run.prompt.field.text == text)
        sent.append(text)
        await press(pilot, "enter", then=lambda: run.fake.sent == sent)
        assert run.fake.images == [()] * len(sent)


async def test_what_cannot_be_sent_says_why_and_stays_as_text(
    place: Path, run: Prompted, pilot: Pilot[int]
) -> None:
    run.drop(f"{place}/a.png {place}/no.png")
    await until(pilot, lambda: run.notice)
    assert run.notice == "no.png is not a PNG, JPEG, GIF or WebP image · convert it to one of these"
    assert run.prompt.field.text == f"{place}/a.png {place}/no.png"


async def test_too_many_images_are_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MOST_IMAGES", 1)
    async with running(Prompted(RESUMED)) as (run, pilot):
        run.drop(f"{place}/a.png")
        await until(pilot, lambda: A in run.prompt.field.text)
        run.drop(f"{place}/b.gif")
        await until(pilot, lambda: run.notice)
        assert run.notice == "A prompt takes up to 1 images · send the rest with the next one"
        assert run.prompt.field.text == f"{A} {place}/b.gif"


async def test_an_image_is_one_piece(place: Path, run: Prompted, pilot: Pilot[int]) -> None:
    await pilot.press(*"ab")
    run.drop(f"{place}/a.png")
    await until(pilot, lambda: run.prompt.field.text == f"ab{A} ")
    await pilot.press("left", "left", "x")
    assert run.prompt.field.text == f"abx{A} "
    await pilot.press("delete")
    assert run.prompt.field.text == "abx "
    await pilot.press("ctrl+underscore")
    assert run.prompt.field.text == f"abx{A} "
    await press(pilot, "end", "backspace", "backspace", "y", "enter", then=lambda: run.fake.sent == ["abxy"])
    assert run.fake.images == [()]


async def test_ctrl_v_pastes_an_image(clipboard: Callable[[bytes | str], None]) -> None:
    run = Prompted(RESUMED)
    clipboard(png())
    async with run.app.run_test() as pilot:
        await press(pilot, *"a", "ctrl+v", then=lambda: run.prompt.field.text == f"a{PASTED} ")
        await press(pilot, "b", "enter", then=lambda: run.fake.sent == [f"a{PASTED} b"])
        (image,) = run.fake.images[0]
        assert image == ImageFile("pasted", stored()[0], "image/png")


async def test_ctrl_v_pastes_a_text(clipboard: Callable[[bytes | str], None]) -> None:
    run = Prompted(RESUMED)
    clipboard("\x1b[31mtwo\nlines")
    async with run.app.run_test() as pilot:
        await press(pilot, "ctrl+v", then=lambda: run.prompt.field.text == "[31mtwo\nlines")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", EMPTY),
        (b"BM8000", "pasted is not a PNG, JPEG, GIF or WebP image · convert it to one of these"),
        (gif(9000, 9), "pasted has 9000×9 pixels; Claude takes 8,000 a side · make it smaller"),
    ],
)
async def test_ctrl_v_says_why_nothing_came(
    clipboard: Callable[[bytes | str], None], content: bytes | str, text: str
) -> None:
    run = Prompted(RESUMED)
    clipboard(content)
    async with run.app.run_test() as pilot:
        await press(pilot, "ctrl+v", then=lambda: run.notice == text)
        assert run.prompt.field.text == ""
        await press(pilot, *"on", "enter", then=lambda: run.fake.sent == ["on"])


async def test_a_prompt_that_comes_back_has_its_images(place: Path, run: Prompted, pilot: Pilot[int]) -> None:
    await sends_image(place, run, pilot)
    await run.tell(pilot, PromptReturned(A, "Claude ended", "p1"), then=lambda: run.prompt.field.text == A)
    await press(pilot, "enter", then=lambda: len(run.fake.sent) == 2)
    assert run.fake.images[1] == run.fake.images[0] != ()


async def test_earlier_prompts_have_their_images_while_they_are_kept(place: Path) -> None:
    async with running(Prompted(RESUMED)) as (run, pilot):
        for name in ("a.png", "b.gif"):
            run.drop(f"{place}/{name}")
            await until(pilot, lambda name=name: name in run.prompt.draft.text and run.prompt.draft.images)
            await pilot.press("enter")
        await until(pilot, lambda: len(run.fake.sent) == 2)
    await written(run)
    next(path for path in stored() if path.read_bytes() == png()).unlink()
    async with running(Prompted(Launch(settings=Settings(cwd=Path("/"))))) as (run, pilot):
        await until(pilot, lambda: len(run.screen.queue.earlier) == 2)
        await pilot.press("up")
        assert run.prompt.field.text == B.replace("image 2", "image 1")
        assert len(run.prompt.draft.images) == 1
        assert run.notice != IMAGE_MISSING
        await pilot.press("up")
        assert run.prompt.field.text == A
        await until(pilot, lambda: run.notice == IMAGE_MISSING)
        assert run.prompt.draft.images == {}


async def test_words_in_a_folded_paste_are_no_image(place: Path, run: Prompted, pilot: Pilot[int]) -> None:
    await sends_image(place, run, pilot)
    run.drop(f"log: {A}\n" + "x\n" * 30)
    await until(pilot, lambda: run.prompt.field.text == "[pasted 31 lines]")
    await press(pilot, "enter", then=lambda: len(run.fake.sent) == 2)
    assert run.fake.images[1] == ()


async def test_what_is_put_aside_and_cleared_keeps_its_images(
    place: Path, run: Prompted, pilot: Pilot[int]
) -> None:
    run.drop(f"{place}/a.png")
    await until(pilot, lambda: run.prompt.field.text == f"{A} ")
    await pilot.press("ctrl+s")
    assert run.prompt.field.text == ""
    assert set(run.prompt.kept.images) == {A}
    await pilot.press("ctrl+s")
    assert set(run.prompt.draft.images) == {A}
    await press(pilot, "ctrl+c", then=lambda: run.prompt.field.text == "")
    history = state_dir() / "history.jsonl"
    await until(pilot, lambda: history.exists() and history.read_text().endswith("\n"))
    line = json.loads(history.read_text().splitlines()[-1])
    assert set(line["images"]) == {A}
    await pilot.press("up")
    assert set(run.prompt.draft.images) == {A}


async def test_an_image_that_is_mentioned_is_named_with_its_size(place: Path) -> None:
    async with running(Prompted(Launch(settings=Settings(cwd=place)), clock=Clock())) as (run, pilot):
        await press(pilot, *"see ", "@", *"a.pn", then=lambda: run.prompt.choices and run.prompt.choices.rows)
        assert run.prompt.choices.rows[0] == Completion("a.png", "a.png", detail=f"64×48, {SIZE} bytes")
        assert f"a.png  64×48, {SIZE} bytes" in str(run.prompt.query_one(ChoiceList).render())
        await pilot.press("tab", *"or @no.png", "escape", "enter")
        await until(pilot, lambda: run.fake.sent == ["see @a.png or @no.png"])
        await until(pilot, lambda: notices(run))
        assert notices(run) == [f"Attached to the prompt: a.png (64×48, {SIZE} bytes)"]
        assert run.fake.images == [()]


def notices(run: Prompted) -> list[str]:
    return [block.text for block in run.screen.transcript.model.blocks if isinstance(block, NoticeBlock)]


async def test_many_drops_and_keys_at_once_lose_nothing(
    place: Path, run: Prompted, pilot: Pilot[int]
) -> None:
    for number in range(25):
        run.drop(f"{place}/b.gif")
        run.prompt.field.post_message(events.Key("x", "x"))
        if number % 5 == 0:
            run.app.post_message(events.Key("ctrl+s", None))
    await until(pilot, lambda: run.prompt.field.text.count("x") + run.prompt.kept.text.count("x") >= 25)
    await until(pilot, lambda: not run.prompt._expected)
    texts = f"{run.prompt.kept.text}"
    assert texts.count("x") == 25
    assert texts.count("b.gif") == 25
    assert len(run.prompt.kept.images) <= images.MOST_IMAGES


async def test_picture_of_images_in_a_prompt(place: Path, pictures: Pictures) -> None:
    (place / "c.gif").write_bytes(gif(1280, 720) + bytes(34_000))
    run = Prompted(Launch(settings=Settings(cwd=Path("/usr")), resume="id-1"))
    async with run.app.run_test(size=(60, 14)) as pilot:
        run.drop(f"{place}/c.gif")
        await until(pilot, lambda: len(run.prompt.draft.images) == 1)
        await press(pilot, *"first", "enter", then=lambda: run.fake.sent)
        run.fake.tell(PromptAccepted(run.fake.sent[0], prompt_id="p1"))
        await pilot.press(*"compare ")
        run.drop(f"{place}/c.gif {place}/b.gif")
        await until(pilot, lambda: len(run.prompt.draft.images) == 2)
        await pictures.keep(pilot, "images")
