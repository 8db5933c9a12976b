"""A record in which the CLI would go on too early is repaired, and no other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.agent.claude.history_reader import lines_of, repair


def entry(uuid: str, parent: str, kind: str = "assistant", **more: Any) -> dict[str, Any]:
    return {"type": kind, "uuid": uuid, "parentUuid": parent or None, **more}


def call(uuid: str, parent: str, name: str) -> dict[str, Any]:
    content = [{"type": "tool_use", "id": name, "name": "AskUserQuestion", "input": {}}]
    return entry(uuid, parent, message={"content": content})


def result(uuid: str, parent: str, name: str) -> dict[str, Any]:
    return entry(
        uuid,
        parent,
        "user",
        message={"content": [{"type": "tool_result", "tool_use_id": name, "content": "x"}]},
    )


def noted(leaf: str) -> dict[str, Any]:
    return {"type": "last-prompt", "lastPrompt": "Build it.", "leafUuid": leaf, "sessionId": "s"}


def mended(path: Path, newest: str) -> bool:
    return repair(path, lines_of([path]), newest)


DEFERRAL = {"type": "hook_deferred_tool", "toolUseID": "t"}
ASKED = [
    entry("prompt", "", "user"),
    call("call", "prompt", "t"),
    entry("deferral", "call", "attachment", attachment=DEFERRAL),
    entry("beside", "deferral", "attachment", attachment={"type": "prompt_snapshot"}),
    noted("beside"),
]
ANSWERED = [result("result", "call", "t")]
WENT_ON = [entry("go on", "result", "user"), entry("more", "go on"), entry("last", "more", "user")]


def record(tmp_path: Path, *entries: dict[str, Any], end: str = "\n") -> Path:
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in entries) + end)
    return path


def test_what_followed_on_the_result_of_a_deferred_call_is_found_again(tmp_path: Path) -> None:
    path = record(tmp_path, *ASKED, *ANSWERED, *WENT_ON, end='\n{"type":"user","uu')
    bad = '\0\0hook_deferred_tool\n{"hook_deferred_tool": ' + "[" * 100_000 + "\n"
    path.write_text(bad + path.read_text())
    assert mended(path, "last")
    *_, cut, added = path.read_text().splitlines()
    assert cut == '{"type":"user","uu'
    assert json.loads(added) == ASKED[-1] | {"leafUuid": "last"}
    assert not mended(path, "last"), "once is enough"


def test_what_followed_on_a_call_deferred_beside_a_result_of_its_message_is_found_again(
    tmp_path: Path,
) -> None:
    beside = entry("deferral", "other result", "attachment", attachment=DEFERRAL)
    entries = [
        entry("prompt", "", "user"),
        call("call", "prompt", "t"),
        call("other", "call", "o"),
        result("other result", "other", "o"),
        beside,
        noted("deferral"),
    ]
    path = record(tmp_path, *entries, *ANSWERED, *WENT_ON)
    assert mended(path, "last")
    assert json.loads(path.read_text().splitlines()[-1]) == noted("last")


def test_what_is_written_into_the_record_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = record(tmp_path, *ASKED, *ANSWERED, *WENT_ON)
    meanwhile = json.dumps(entry("meanwhile", "last"))

    def dumps(value: object, **_options: Any) -> str:
        with path.open("a") as file:
            file.write(meanwhile + "\n")
        return json.JSONEncoder().encode(value)

    monkeypatch.setattr(json, "dumps", dumps)
    assert mended(path, "last")
    *_, kept, added = path.read_text().splitlines()
    assert kept == meanwhile
    assert json.loads(added)["leafUuid"] == "last"


def test_a_record_in_which_the_cli_finds_its_place_is_left_as_it_is(tmp_path: Path) -> None:
    whole, rewound = noted("more"), noted("prompt")
    for newest, entries in (
        ("call", ASKED),
        ("result", [*ASKED, *ANSWERED]),
        ("last", [*ASKED, *ANSWERED, *WENT_ON, whole]),
        ("last", [*ASKED, *ANSWERED, *WENT_ON, rewound]),
        ("last", [*ASKED[:2], ASKED[-1] | {"leafUuid": "prompt"}, *ANSWERED, *WENT_ON]),
        ("gone", [*ASKED, *ANSWERED, *WENT_ON]),
        ("", []),
    ):
        path = record(tmp_path, *entries)
        before = path.read_bytes()
        assert not mended(path, newest)
        assert path.read_bytes() == before


def test_a_note_of_unknown_form_is_a_reason_to_write_nothing(tmp_path: Path) -> None:
    for strange in (
        noted("beside") | {"version": 2},
        noted("beside") | {"sessionId": "another"},
        {"type": "last-prompt", "leafUuid": "beside"},
    ):
        path = record(tmp_path, *ASKED[:-1], strange, *ANSWERED, *WENT_ON)
        before = path.read_bytes()
        assert not mended(path, "last")
        assert path.read_bytes() == before


def test_a_link_in_the_place_of_the_record_is_not_followed(tmp_path: Path) -> None:
    path = record(tmp_path, *ASKED, *ANSWERED, *WENT_ON)
    target = path.rename(tmp_path / "target")
    path.symlink_to(target)
    before = target.read_bytes()
    assert not mended(path, "last")
    assert target.read_bytes() == before
