"""The least that Textual can do: a line to type in and a list to choose from."""

from textual.app import App, ComposeResult
from textual.widgets import Input, OptionList


class Bare(App[None]):
    def compose(self) -> ComposeResult:
        yield Input("❯ ", select_on_focus=False)
        yield OptionList("Alpha", "Bravo", "Charlie", "Delta")


Bare().run()
