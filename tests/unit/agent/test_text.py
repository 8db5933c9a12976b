"""What tools and commands gave back, as bounded text."""

from __future__ import annotations

from ccq_tui.agent.claude import notices
from ccq_tui.agent.events import NoticeGiven
from ccq_tui.claude_lines import MAX_OUTPUT_CHARACTERS, bounded, output_text
from ccq_tui.inbox.agent_texts import rejection
from ccq_tui.words import bytes_counted


def test_content_of_every_shape_is_text() -> None:
    assert output_text(None) == ""
    assert output_text("plain") == "plain"
    blocks = [{"type": "text", "text": "a"}, {"type": "image", "source": {}}, "b"]
    assert output_text(blocks) == "a\n[image]\nb"
    source = {"type": "base64", "media_type": "image/png", "data": "QUJD" * 1000 + "QQ=="}
    assert output_text([{"type": "image", "source": source}]) == "[image, image/png, 3.0 KB]"


def test_sizes() -> None:
    sizes = [bytes_counted(count, exact=True) for count in (1, 70, 12_345, 4_000_000)]
    assert sizes == ["1 byte", "70 bytes", "12.3 KB", "4.0 MB"]


def test_long_text_keeps_its_beginning_and_its_end() -> None:
    assert bounded("x" * 10, 10) == "x" * 10
    assert bounded("abcdefghijklmn", 4) == "ab\n… 10 characters left out …\nmn"
    text = output_text("a" * 3_000_000)
    assert MAX_OUTPUT_CHARACTERS < len(text) < MAX_OUTPUT_CHARACTERS + 100


def test_a_refusal_with_and_without_words() -> None:
    assert rejection("Use b").endswith("To tell you how to proceed, the user said:\nUse b")
    assert rejection(" ").endswith("Ask the user how to proceed, or go on with what does not need it.")


def test_what_becomes_of_a_compaction() -> None:
    assert list(notices.status({"status": "requesting"})) == []
    failed = {"status": None, "compact_result": "failed", "compact_error": "too short"}
    assert list(notices.status(failed)) == [
        NoticeGiven("error", "The conversation could not be compacted: too short")
    ]
