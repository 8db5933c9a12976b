"""Reflections as lists and feedback."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ccq_tui.forms.reflections import Reflection, feedback, list_lines, read_reflections

BLOCKERS = ["AI misunderstanding", "a \x1b[31mcold"]


def one(label: str) -> dict[str, str]:
    return {"value": label.lower(), "label": label}


def record(day: int, **answers: Any) -> dict[str, Any]:
    """A record of a reflection on a day of November."""
    given = {
        "work_type": one("Docs"),
        "difficulty": one("Easy"),
        "feeling": {"value": "fine\n\nthen slow"},
        "blockers": {"values": BLOCKERS, "labels": BLOCKERS},
        "learning": None,
        "outcome": one("Completed what I intended"),
    }
    message = f"Fix it\x1b[2J {day}\n\nBecause."
    context = {"hash": f"{day:02}34567890", "message": message, "author": "A <a@e>"}
    finished = f"2026-11-{day:02}T10:05:00Z"
    return {"id": str(day), "finished": finished, "context": context, "answers": given | answers}


def read(tmp_path: Path, *records: Any) -> list[Reflection]:
    lines = (one if isinstance(one, str) else json.dumps(one) for one in records)
    (tmp_path / "r.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return read_reflections(str(tmp_path / "r.jsonl"))[0]


def test_only_reflections_are_read_in_their_order(tmp_path: Path) -> None:
    broken: list[Mapping[str, Any]] = [
        {"id": "1"},
        record(3) | {"finished": "yesterday"},
        record(3) | {"finished": "9999-12-31T23:59:59-12:00"},
        record(3) | {"answers": []},
        record(3) | {"context": {"release": "2.1"}},
    ]
    found = read(tmp_path, record(9), record(2), *broken, "{torn", "[]")
    assert [one.record["id"] for one in found] == ["2", "9"]
    assert read_reflections(str(tmp_path / "r.jsonl"), found[1].at) == (
        found[1:],
        "2 lines that cannot be read (8, 9) and 5 records without a commit",
    )
    assert read_reflections(str(tmp_path / "none.jsonl")) == ([], "")


def test_a_list_has_a_line_for_each(tmp_path: Path) -> None:
    odd = record(4, work_type={"label": 7}, difficulty="Easy")
    assert list_lines(read(tmp_path, record(2), odd)) == [
        "DAY         COMMIT   TYPE  DIFFICULTY  SUBJECT",
        "2026-11-02  0234567  Docs  Easy        Fix it␛[2J 2",
        "2026-11-04  0434567  7                 Fix it␛[2J 4",
    ]


def test_feedback_is_the_last_of_it_as_markdown(tmp_path: Path) -> None:
    given = [
        record(day, feedback={"value": f"Read\nfirst {day}"} if day % 2 else None) for day in range(1, 8)
    ]
    found = read(tmp_path, *given)
    assert feedback(found[:0]) == ""
    assert feedback(found, 2) == (
        "## Feedback on recent commits\n\n"
        "- 2026-11-07, 0734567 Fix it␛[2J 7: Read\n  first 7\n"
        "- 2026-11-05, 0534567 Fix it␛[2J 5: Read\n  first 5"
    )
    assert feedback(found).count("first") == 4
