from __future__ import annotations

from ccq_tui.questions.model import Kind, Option, Question
from ccq_tui.testing import question_set_input


def test_a_plain_question_has_only_the_plain_keys() -> None:
    question = Question("Which?", "Store", (Option("A", "first"), Option("B", "", "box")), multi_select=True)
    assert question_set_input([question]) == {
        "questions": [
            {
                "question": "Which?",
                "header": "Store",
                "options": [
                    {"label": "A", "description": "first"},
                    {"label": "B", "description": "", "preview": "box"},
                ],
                "multiSelect": True,
            }
        ]
    }


def test_extended_kinds_have_their_keys() -> None:
    number = Question(
        "How many?",
        "Days",
        kind=Kind.NUMBER,
        description="d",
        placeholder="p",
        minimum=1,
        maximum=9.5,
        step=0.5,
        default="3",
        unit="days",
    )
    made = question_set_input([number, Question("Name?", "Name", kind=Kind.TEXT, default="x")], title="Both")
    assert made["title"] == "Both"
    assert made["questions"] == [
        {
            "question": "How many?",
            "header": "Days",
            "kind": "number",
            "description": "d",
            "placeholder": "p",
            "unit": "days",
            "defaultValue": 3,
            "min": 1,
            "max": 9.5,
            "step": 0.5,
        },
        {"question": "Name?", "header": "Name", "kind": "text", "defaultValue": "x"},
    ]


def test_a_mapping_is_taken_as_it_is() -> None:
    assert question_set_input([{"question": 1}]) == {"questions": [{"question": 1}]}
