"""Which command a prompt names, and which ones read like it."""

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.prompts.command_names import MOST, named, nearest
from tests.tables import each_row, table

NAMES = ("model", "mode", "compact", "context", "cost", "rename", "review", "mcp__files__read")


@each_row(*table(__file__, "command_names.json"))
def test_a_path_and_a_text_name_no_command(text: str, name: str) -> None:
    assert named(text) == name


def test_what_begins_alike_comes_before_what_is_spelled_alike() -> None:
    assert nearest("co", NAMES)[:3] == ("cost", "compact", "context")
    assert nearest("modle", NAMES)[0] in ("model", "mode")
    assert nearest("MODEL", NAMES)[0] == "model"
    assert nearest("zzz", NAMES) == ()


@given(st.text(max_size=80))
def test_there_are_never_more_than_a_line_holds(text: str) -> None:
    assert len(nearest(text, NAMES)) <= MOST
    assert nearest(named(f"/{text}"), NAMES) is not None
