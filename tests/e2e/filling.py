"""A form, filled in by keys."""

from collections.abc import Mapping
from typing import Any

from ccq_tui.questions.model import Asked
from tests.e2e.terminal import Terminal


def fill_in_by_keys(terminal: Terminal, form: Asked, values: Mapping[str, Any]) -> None:
    """Answer the questions, after a choice that is gone back to; confirm all."""
    questions = dict(zip(form.names, form.questions.questions, strict=True))
    for place, (name, value) in enumerate(values.items()):
        question = questions[name]
        terminal.wait_panel(question.text)
        if place == 0:
            terminal.press("1 enter")
            terminal.wait(lambda now, text=question.text: text not in now.panel and now.keys_work)  # type: ignore[misc]
            terminal.press("escape").wait_panel(question.text)
        labels = [option.label for option in question.options]
        if labels:
            chosen = value if isinstance(value, list) else [value] * (value is not None)
            terminal.press(" ".join(str(labels.index(label) + 1) for label in chosen))
        elif value is not None:
            first, *more = str(value).split("\n")
            terminal.type(first)
            for line in more:
                terminal.press("ctrl+j").type(line)
        terminal.press("enter")
    terminal.wait_panel("Review your answers").press("enter")
