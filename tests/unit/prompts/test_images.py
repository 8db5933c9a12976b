"""What images are, how they are named, kept and found in pastes."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.prompts import images
from ccq_tui.prompts.image_paths import existing, paths_in
from ccq_tui.prompts.images import ImageStore, PromptImage, UnfitImageError, label
from tests.tables import each_row, table
from tests.unit.prompts.pictures import gif, jpeg, png, webp

SHOT = images.examined(png(), "shot.png")


@each_row(
    (png(640, 480), ("image/png", 640, 480)),
    (gif(3, 300), ("image/gif", 3, 300)),
    (jpeg(4000, 3000), ("image/jpeg", 4000, 3000)),
    (jpeg(40, 30, before=60_000), ("image/jpeg", 40, 30)),
    (webp(700, 500), ("image/webp", 700, 500)),
    (webp(16_000, 5, b"VP8L"), ("image/webp", 16_000, 5)),
    (webp(71, 52, b"VP8 "), ("image/webp", 71, 52)),
    (png(0, 480), None),
    (b"\xff\xd8\xff\xe0\x00\x00" * 3, None),
    (b"RIFF\0\0\0\0WEBPVP8X", None),
    (b"<svg xmlns=''/>", None),
    (b"", None),
)
def test_header(data: bytes, found: tuple[str, int, int] | None) -> None:
    assert images.header(data) == found


@given(
    st.binary(max_size=200), st.sampled_from([b"", b"\xff\xd8\xff", png()[:12], webp(9, 9)[:16], b"GIF89a"])
)
def test_no_bytes_break_the_header(data: bytes, before: bytes) -> None:
    found = images.header(before + data)
    assert found is None or (found[1] > 0 and found[2] > 0)


@each_row(
    (b"%PDF-1.7", "a.png is not a PNG, JPEG, GIF or WebP image · convert it to one of these"),
    (gif(8001, 20), "a.png has 8001×20 pixels; Claude takes 8,000 a side · make it smaller"),
    (png() + bytes(images.MOST_BYTES), "a.png has 3.9 MB; Claude takes up to 3.9 MB · make it smaller"),
)
def test_what_the_api_refuses_is_refused_with_what_to_do(data: bytes, words: str) -> None:
    with pytest.raises(UnfitImageError) as refused:
        images.examined(data, "a.png")
    assert str(refused.value) == words


def test_the_largest_image_is_the_one_whose_base64_fits() -> None:
    data = png() + bytes(images.MOST_BYTES - len(png()))
    assert images.examined(data, "a.png").size == images.MOST_BYTES
    assert images.MOST_BYTES * 4 // 3 == 5 * 1024 * 1024


def test_label() -> None:
    assert label(SHOT, {}, "") == f"[image 1: shot.png 64×48, {len(png())} bytes]"
    photo = PromptImage("p.jpg", "a" * 64, "image/jpeg", 640, 480, 34_400)
    assert label(photo, {}, "") == "[image 1: p.jpg 640×480, 34 kB]"
    first = label(photo, {}, "")
    assert label(photo, {first: photo}, f"see {first}") == "[image 2: p.jpg 640×480, 34 kB]"
    other = PromptImage("p.jpg", "b" * 64, "image/jpeg", 640, 480, 34_400)
    # Nothing of it stands in the text, and yet it names another one.
    assert label(other, {first: photo}, "") == "[image 2: p.jpg 640×480, 34 kB]"


@given(st.text(max_size=80), st.integers(1, 8000), st.integers(1, images.MOST_BYTES))
def test_every_name_is_known_again(name: str, side: int, size: int) -> None:
    called = images.examined(png(), name).name
    image = PromptImage(called, "a" * 64, "image/png", side, side, size)
    chip = label(image, {}, "")
    assert images.named(f"a {chip} b", {chip: image}) == {chip: image}
    assert images.from_json(images.as_json({chip: image})) == {chip: image}


def test_names_are_of_images_that_are_known_in_their_order() -> None:
    one, two = label(SHOT, {}, ""), "[image 2: b.png 1×1, 9 bytes]"
    known = {two: SHOT, one: SHOT}
    assert list(images.named(f"{one} {two} [image 3: c.png 1×1, 9 bytes] {one}", known)) == [one, two]


def test_texts_from_elsewhere_take_other_names_where_theirs_are_taken() -> None:
    chip = label(SHOT, {}, "")
    other = PromptImage(SHOT.name, "b" * 64, "image/png", 64, 48, SHOT.size)
    assert images.adopted([f"see {chip}"], {chip: SHOT}, {chip: SHOT}) == ((f"see {chip}",), {chip: SHOT})
    texts, found = images.adopted([f"see {chip}", f"{chip}!"], {chip: SHOT}, {chip: other})
    renamed = chip.replace("image 1", "image 2")
    assert texts == (f"see {renamed}", f"{renamed}!")
    assert found == {renamed: SHOT}


@each_row(
    None,
    [],
    {"[image 1: a 1×1, 1 byte]": None},
    {"[image 1: a 1×1, 1 byte]": {"name": "a"}},
    {"[image 1: a 1×1, 1 byte]": images.as_json({"a": SHOT})["a"] | {"digest": "../../etc/passwd"}},
    {"[image 1: a 1×1, 1 byte]": images.as_json({"a": SHOT})["a"] | {"media_type": "text/html"}},
    {"yes": images.as_json({"a": SHOT})["a"]},
)
def test_what_is_no_image_on_disk_is_left_out(content: object) -> None:
    assert images.from_json(content) == {}


class TestStore:
    def test_bytes_are_kept_by_their_content_for_their_owner_alone(self, tmp_path: Path) -> None:
        store = ImageStore(tmp_path / "images")
        image = store.add(png(), "a.png")
        assert store.path(image).read_bytes() == png()
        assert stat.S_IMODE(store.path(image).stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "images").stat().st_mode) == 0o700
        assert store.has(image)
        store.add(png(), "b.png")
        assert len(list((tmp_path / "images").iterdir())) == 1

    def test_the_oldest_go_beyond_what_is_kept(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        store = ImageStore(tmp_path)
        kept = [store.add(gif(5, 1 + shade), f"{shade}.gif") for shade in range(3)]
        for age, image in zip((30, 10, 20), kept, strict=True):
            os.utime(store.path(image), (1_000_000 - age,) * 2)
        monkeypatch.setattr(images, "MOST_KEPT", 3 * kept[0].size)
        newest = store.add(gif(5, 9), "9.gif")
        assert [store.has(image) for image in (*kept, newest)] == [False, True, True, True]

    def test_a_pipe_is_no_image_and_nobody_waits_for_it(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "p.png")
        with pytest.raises(UnfitImageError, match=r"p\.png is not a file"):
            ImageStore(tmp_path / "images").add_file(tmp_path / "p.png")

    def test_a_file_that_is_much_too_large_is_not_read(self, tmp_path: Path) -> None:
        with (tmp_path / "huge.png").open("wb") as file:
            file.truncate(10_000_000_000)
        with pytest.raises(
            UnfitImageError, match=r"huge\.png is larger than .* bytes; Claude takes up to 3\.9 MB"
        ):
            ImageStore(tmp_path / "images").add_file(tmp_path / "huge.png")

    def test_a_file_is_what_its_bytes_say(self, tmp_path: Path) -> None:
        (tmp_path / "photo.png").write_bytes(jpeg(7, 9))
        image = ImageStore(tmp_path / "images").add_file(tmp_path / "photo.png")
        assert (image.name, image.media_type, image.width, image.height) == ("photo.png", "image/jpeg", 7, 9)


class TestPaths:
    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        for name in ("a.png", "my shot (1).PNG", "b.webp"):
            (tmp_path / name).write_bytes(png())
        return tmp_path

    @pytest.mark.parametrize(
        ("paste", "names"), table(__file__, "cases.json")["a_paste_of_image_paths_alone"]
    )
    def test_a_paste_of_image_paths_alone(self, place: Path, paste: str, names: list[str]) -> None:
        found = existing(paths_in(paste.replace("{}", str(place))), place)
        assert [path.name for path in found] == names
