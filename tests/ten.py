"""A form of ten questions of every kind, one way to answer it, and its record."""

import json
from pathlib import Path
from typing import Any

from ccq_tui.forms.reading import read_form

TEN = Path(__file__).with_name("ten.toml").read_text(encoding="utf-8")
ANSWERS: dict[str, Any] = {
    "kind": {"value": "fix", "label": "Fix"},
    "cause": {"value": "a race"},
    "parts": {"values": ["Core", "Docs"], "labels": ["Core", "Docs"]},
    "hours": {"value": 7},
    "tested": {"value": True, "label": "Yes"},
    "story": {"value": "slow\nthen fast"},
    "learned": None,
    "hardest": None,
    "outcome": {"value": "Done", "label": "Done"},
}
VALUES = {
    name: one and one.get("labels", one.get("label", one.get("value"))) for name, one in ANSWERS.items()
}
"""The same as a person sees it."""
FORM = read_form(TEN, "ten.toml")
CONTEXT = {"commit": "1a2b3c"}


def write_ten(directory: Path) -> Path:
    """Write the form's file, and return it."""
    path = directory / "ten.toml"
    path.write_text(TEN, encoding="utf-8")
    return path


def check_record(record: dict[str, Any], answers: dict[str, Any] = ANSWERS) -> None:
    """Check a record but for its times and its id."""
    assert {key: record[key] for key in ("schema_version", "form", "form_version", "context")} == {
        "schema_version": 1,
        "form": "ten",
        "form_version": "2",
        "context": CONTEXT,
    }
    assert record["answers"] == answers
    assert list(record["answers"]) == list(answers), "in the order of the questions"
    assert record["started"] <= record["finished"]


def records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
