"""What tools and commands gave back, as bounded text."""

from __future__ import annotations

from ccq_tui.agent.claude import notices
from ccq_tui.agent.events import Compacted, NoticeGiven
from ccq_tui.agent.output_text import MAX_OUTPUT_CHARACTERS, bounded, command_output, output_text, size
from ccq_tui.agent.stored_messages import written
from ccq_tui.inbox.agent_texts import rejection


def test_content_of_every_shape_is_text() -> None:
    assert output_text(None) == ""
    assert output_text("plain") == "plain"
    blocks = [{"type": "text", "text": "a"}, {"type": "image", "source": {}}, "b"]
    assert output_text(blocks) == "a\n[image]\nb"
    source = {"type": "base64", "media_type": "image/png", "data": "QUJD" * 1000 + "QQ=="}
    assert output_text([{"type": "image", "source": source}]) == "[image, image/png, 3.0 KB]"


def test_sizes() -> None:
    sizes = [size(count) for count in (1, 70, 12_345, 4_000_000)]
    assert sizes == ["1 byte", "70 bytes", "12.3 KB", "4.0 MB"]


def test_long_text_keeps_its_beginning_and_its_end() -> None:
    assert bounded("x" * 10, 10) == "x" * 10
    assert bounded("abcdefghijklmn", 4) == "ab\n… 10 characters left out …\nmn"
    text = output_text("a" * 3_000_000)
    assert MAX_OUTPUT_CHARACTERS < len(text) < MAX_OUTPUT_CHARACTERS + 100


def test_output_of_commands() -> None:
    text = "<local-command-stdout>one</local-command-stdout><local-command-stderr>two</local-command-stderr>"
    assert command_output(text) == [NoticeGiven("info", "one"), NoticeGiven("warning", "two")]
    assert command_output("<local-command-stdout> </local-command-stdout>") == []
    assert command_output("a prompt") == []


def test_notices() -> None:
    denied = {"tool_name": "Bash", "message": "Permission to use Bash was denied. IMPORTANT: You may ..."}
    assert list(notices.system("permission_denied", denied)) == [
        NoticeGiven("warning", "Bash was not allowed: Permission to use Bash was denied")
    ]
    assert list(notices.system("informational", {"level": "suggestion", "content": "Try this"})) == [
        NoticeGiven("info", "Try this")
    ]
    compacted = {"compact_metadata": {"pre_tokens": 12_000, "post_tokens": 900}}
    assert list(notices.system("compact_boundary", compacted)) == [Compacted(12_000, 900)]
    assert list(notices.system("compact_boundary", {})) == [Compacted()]
    assert list(notices.system("something_new", {"a": 1})) == []
    assert list(notices.status({"status": "requesting"})) == []
    assert list(
        notices.status({"status": None, "compact_result": "failed", "compact_error": "too short"})
    ) == [NoticeGiven("error", "The conversation could not be compacted: too short")]


def test_a_refusal_with_and_without_words() -> None:
    assert rejection("Use b").endswith("To tell you how to proceed, the user said:\nUse b")
    assert rejection(" ").endswith("Ask the user how to proceed, or go on with what does not need it.")


def test_what_the_rule_across_the_transcript_says_is_not_said_twice() -> None:
    told = (
        "<local-command-stdout>\x1b[2mCompacted (ctrl+o to see full summary)\x1b[22m</local-command-stdout>"
    )
    assert command_output(told) == []
    assert list(written(told)) == [], "it is no prompt either"
    assert [one.text for one in command_output(told.replace("Compacted", "Nothing compacted"))] != []
