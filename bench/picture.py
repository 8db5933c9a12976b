"""Draws the moving picture of the README and those of the tutorial: ``python -m bench.picture [DIRECTORY]``.

The installed program plays in a pseudo-terminal, with the real CLI and a scripted model: a question, a closed
terminal, a new one, the answer. Each content of a row is drawn once, and shown while the row has it.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

from pyte.screens import Char

from ccq_tui.testing import Scenario, ScriptedModel, clean_environment
from ccq_tui.testing.replies import Replies
from ccq_tui.testing.scenarios import choice
from tests.e2e.conftest import program
from tests.e2e.terminal import Terminal

DOCS = Path(__file__).parents[1] / "docs"
COLUMNS, ROWS = 80, 24
CELL, LINE, TOP, LEFT = 8.4, 18, 44, 14
"""Pixels of a cell's width and height, above the screen and beside it."""
BACKGROUND, FOREGROUND, DIM = "#16181d", "#d9dce3", "#999ca3"
NAMED = {
    "black": "#16181d",
    "red": "#f2777a",
    "green": "#99cc99",
    "brown": "#ffcc66",
    "blue": "#6699cc",
    "magenta": "#cc99cc",
    "cyan": "#66cccc",
    "white": "#d9dce3",
}
WHERE = choice(
    "Where should this project store its data?",
    "Storage",
    ("SQLite", "One file, no server"),
    ("Files", "Plain JSON"),
)
STORE = choice(
    "Where should the export jobs keep their state?",
    "Job store",
    ("SQLite (Recommended)", "One file beside the service; a single worker writes it"),
    ("PostgreSQL", "Already deployed for the API; several workers share it"),
    ("Redis", "Fast and expiring; lost when the instance restarts"),
)


@dataclass
class Frame:
    """One screen and the seconds that it is shown."""

    caption: str
    rows: list[str]
    seconds: float


class Film:
    """Frames, in the order in which they are shown."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def take(self, terminal: Terminal, caption: str, seconds: float) -> None:
        """Keep what is on the screen."""
        cursor = terminal.screen.cursor
        rows = []
        for y in range(ROWS):
            line = terminal.screen.buffer[y]
            cells = [line[x] for x in range(COLUMNS)]
            if y == cursor.y and not cursor.hidden:
                cells[cursor.x] = cells[cursor.x]._replace(reverse=True)
            rows.append(drawn_row(cells))
        self.frames.append(Frame(caption, rows, seconds))

    def black(self, caption: str, seconds: float) -> None:
        """Show a terminal that is gone."""
        self.frames.append(Frame(caption, [""] * ROWS, seconds))

    def svg(self, label: str) -> str:
        """Return the picture; ``label`` says what it shows to who does not see it."""
        whole = sum(frame.seconds for frame in self.frames)
        starts = [
            sum(frame.seconds for frame in self.frames[:index]) for index in range(len(self.frames) + 1)
        ]
        parts: dict[tuple[int, str], list[int]] = {}
        for index, frame in enumerate(self.frames):
            for y, content in enumerate([caption_of(frame.caption), *frame.rows]):
                if content:
                    parts.setdefault((y, content), []).append(index)
        rules, drawn = [], []
        still = next((at for at, frame in enumerate(self.frames) if frame.caption.startswith("1")), 0)
        for number, ((y, content), indices) in enumerate(parts.items()):
            steps = []
            for _, run_ in groupby(enumerate(indices), lambda pair: pair[1] - pair[0]):
                run = [index for _, index in run_]
                steps.append((starts[run[0]] / whole * 100, starts[run[-1] + 1] / whole * 100))
            keys = "".join(
                f"{first:.3f}%{{visibility:visible}}"
                + (f"{last:.3f}%{{visibility:hidden}}" if last < 99.9 else "")
                for first, last in steps
            )
            lead = "" if steps[0][0] == 0 else "0%{visibility:hidden}"
            rules.append(f"@keyframes k{number}{{{lead}{keys}}}#r{number}{{animation-name:k{number}}}")
            shown = ' class="s"' if still in indices else ""
            drawn.append(
                f'<g id="r{number}"{shown} transform="translate({LEFT} {TOP + (y - 1) * LINE})">{content}</g>'
            )
        width, height = round(COLUMNS * CELL + 2 * LEFT), TOP + ROWS * LINE + LEFT
        style = (
            "text{font:14px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre;"
            f"fill:{FOREGROUND}}}"
            f"g[id]{{visibility:hidden;animation:{whole:.2f}s step-end infinite}}"
            "@media (prefers-reduced-motion:reduce){g[id]{animation:none}g.s{visibility:visible}}"
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
            f'aria-label="{label}">'
            f"<style>{style}{''.join(rules)}</style>"
            f'<rect width="{width}" height="{height}" rx="10" fill="{BACKGROUND}"/>'
            f'<rect y="31" width="{width}" height="1" fill="#33363d"/>{"".join(drawn)}</svg>\n'
        )


def caption_of(text: str) -> str:
    """Draw the line above the screen."""
    return f'<text y="-5" style="fill:{DIM}">{escape(text)}</text>'


def drawn_row(cells: list[Char]) -> str:
    """Draw a row as runs of cells that look alike, each as wide as its cells; "" for an empty row."""
    parts, x = [], 0
    for look, found in groupby(cells, lambda cell: cell._replace(data="")):
        run = list(found)
        text = "".join(cell.data for cell in run)
        front, back = colour(look.fg, FOREGROUND), colour(look.bg, BACKGROUND)
        if look.reverse:
            front, back = back, front
        if back != BACKGROUND:
            parts.append(
                f'<rect x="{x * CELL:.1f}" width="{len(run) * CELL:.1f}" height="{LINE}" fill="{back}"/>'
            )
        if text.strip():
            lead = len(text) - len(text.lstrip())
            body = text.strip()
            weight = "font-weight:bold;" if look.bold else ""
            slant = "font-style:italic;" if look.italics else ""
            parts.append(
                f'<text x="{(x + lead) * CELL:.1f}" y="14" textLength="{len(body) * CELL:.1f}" '
                f'style="{weight}{slant}fill:{front}">{escape(body)}</text>'
            )
        x += len(run)
    return "".join(parts)


def colour(name: str, default: str) -> str:
    """Return an emulator's colour as SVG has it."""
    return default if name == "default" else NAMED.get(name.removeprefix("bright"), f"#{name}")


def ask_where(replies: Replies) -> Scenario:
    """Ask what the tutorial asks, and write the answer."""
    if "question tool" not in replies.prompt:
        return Scenario().says("Hello there.")
    asked = Scenario("hour", title="Where data is stored").asks(WHERE)
    return asked.runs("Write", file_path=lambda asked: f"{asked.directory}/store.txt", content="SQLite\n")


def story() -> Scenario:
    """Return what the model does."""
    return (
        Scenario("picture", title="Export jobs")
        .says("The export runs in the request today. I move it into jobs; one thing decides the rest.")
        .asks(STORE)
        .then(answered)
    )


def answered(replies: Replies) -> Scenario:
    """Continue with the answer."""
    store = replies.picked("PostgreSQL", "SQLite", "Redis")
    return (
        Scenario()
        .says(f"**{store}** it is, in a schema of its own as you noted.")
        .runs("Bash", command="touch jobs.sql", description="Create the schema file")
    )


@contextmanager
def stage(scenario: Scenario, place: str) -> Iterator[Callable[[], Terminal]]:
    """Give what opens a terminal with a shell, in a project of this name."""
    with ScriptedModel(scenario, speed=0) as model, clean_environment(model.url) as home:
        env = home.env | {"PS1": f"~/{place} $ ", "PATH": f"{Path(program()).parent}:{home.env['PATH']}"}
        project = home.home / place
        project.mkdir()
        asks = {"permissions": {"defaultMode": "default"}}  # else Claude Code allows the edit by itself
        (home.config / "settings.json").write_text(json.dumps(asks))
        shell = ["bash", "--norc", "--noprofile", "-i"]
        yield lambda: Terminal(shell, env, project, (COLUMNS, ROWS))


def tutorial() -> Iterator[tuple[str, str, Film]]:
    """Play the beginning of the tutorial, and give its pictures: name, what it shows, picture."""
    with stage(Scenario("all").then(ask_where), "tutorial") as opens:
        with opens() as terminal:
            terminal.wait("~/tutorial $")
            terminal.type('ccq-tui "Ask me with your question tool where to store data"\r')
            terminal.wait_panel("store its data?")
            pause(2.5)
            terminal.press("1")
            terminal.wait("● 1  SQLite")
            yield "question", "A panel with a question, its first option selected", taken(terminal)
            terminal.hang_up()
        with opens() as terminal:
            terminal.wait("~/tutorial $")
            terminal.type("ccq-tui inbox\r")
            terminal.wait("❯   ?  Where should")
            pause(2.5)
            yield "inbox", "The list of what waits, with the question of a closed terminal", taken(terminal)
            terminal.press("enter")
            terminal.wait_panel("● 1  SQLite")
            pause(2.5)
            terminal.press("enter")
            terminal.wait_absent("● 1  SQLite")
            pause(1.0)
            terminal.press("escape")
            terminal.wait_panel("Allow once")
            pause(1.0)
            yield "permission", "A panel with the file that Claude wants to write", taken(terminal)
            terminal.press("ctrl+q")
            pause(1.0)


def taken(terminal: Terminal) -> Film:
    """Take one picture."""
    film = Film()
    film.take(terminal, "", 1.0)
    return film


def record() -> Film:
    """Play the story of the README."""
    film = Film()
    with stage(story(), "shop") as opens:
        caption = "A terminal"
        with opens() as first:
            first.wait("~/shop $")
            typed(film, first, 'ccq-tui "Move the export into background jobs"', caption)
            first.press("enter")
            first.wait_panel("keep their state?")
            caption = "1 · The agent asks, and waits"
            film.take(first, caption, 1.6)
            first.press("down")
            first.wait("❯ ○ 2")
            film.take(first, caption, 0.5)
            first.press("n")
            pause(0.6)
            for word in ("in a ", "schema ", "of its ", "own"):
                first.type(word)
                first.wait(word.strip())
                pause(0.2)
                film.take(first, caption, 0.25)
            pause(1.0)
            film.take(first, caption, 0.7)
            first.hang_up()
            film.black("2 · The terminal is closed. Nothing runs any more", 1.6)
        with opens() as second:
            second.wait("~/shop $")
            caption = "3 · Next morning: the question is there, with the draft"
            typed(film, second, "ccq-tui --continue", caption)
            second.press("enter")
            second.wait_panel("keep their state?")
            second.wait("of its own")
            film.take(second, caption, 2.0)
            pause(1.0)
            second.press("escape")
            second.wait("Enter send PostgreSQL")
            pause(0.5)
            film.take(second, caption, 0.6)
            second.press("enter")
            caption = "4 · The answer is the result of the very call that asked"
            second.wait("as you noted")
            second.wait("Allow once")
            pause(1.0)
            film.take(second, caption, 3.4)
            second.press("ctrl+q")
            pause(1.0)
    return film


def typed(film: Film, terminal: Terminal, text: str, caption: str) -> None:
    """Type a command in a few pieces."""
    film.take(terminal, caption, 0.4)
    step = -(-len(text) // 5)
    for start in range(0, len(text), step):
        terminal.type(text[start : start + step])
        terminal.wait(text[: start + step].split(" ")[-1])
        film.take(terminal, caption, 0.15)


def pause(seconds: float) -> None:
    """Let the screen settle: a picture is taken of what a person would see, and judged by nothing."""
    time.sleep(seconds)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    shows = "An agent asks; its terminal is closed; a new one shows the draft; the answer reaches the call"
    (target / "picture.svg").write_text(record().svg(shows), encoding="utf-8")
    for name, label, film in tutorial():
        (target / f"tutorial-{name}.svg").write_text(film.svg(label), encoding="utf-8")
