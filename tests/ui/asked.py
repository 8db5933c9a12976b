"""Questions that panels are tested with."""

from dataclasses import fields

from rich.style import Style

from ccq_tui.questions import Kind, Option, Question
from ccq_tui.widgets.palette import Palette

PLAIN = Palette(*[Style()] * len(fields(Palette)))
"""Styles that draw nothing but text."""

SINGLE = Question(
    "Which database should the service use?",
    "Database",
    (
        Option("PostgreSQL", "Relational, mature, runs everywhere"),
        Option("SQLite", "Single file, no server"),
        Option("DuckDB", "Analytical, columnar"),
    ),
)
RECOMMENDED = Question(
    "Which cache should stand before it?",
    "Cache",
    (
        Option("None", "Measure first"),
        Option("Redis (Recommended)", "Known to the team"),
        Option("Memcached"),
    ),
)
MULTI = Question(
    "Which features should the first version have?",
    "Features",
    (
        Option("Auth", "Login with the existing accounts"),
        Option("Cache", "Speed up repeated reads"),
        Option("Logs", "Trace each request"),
    ),
    multi_select=True,
)
CITIES = Question(
    "In which city should the servers stand?",
    "City",
    tuple(Option(f"City {number}", f"Number {number} on the list") for number in range(1, 41)),
)
SIDEBAR = "+----+---------+\n|nav | body    |\n|    |         |\n+----+---------+"
PREVIEWED = Question(
    "Which layout should the settings page have?",
    "Layout",
    (
        Option("Sidebar", "Navigation at the left", preview=SIDEBAR),
        Option(
            "Tabs", "Navigation at the top", preview="\n".join(f"{n:2}  line of tabs" for n in range(1, 31))
        ),
        Option("Plain", "Everything on one page"),
    ),
)
NAME = Question(
    "What should the package be called?",
    "Name",
    kind=Kind.TEXT,
    description="Lower case with dashes; it becomes the name on the package index.",
    placeholder="for example tidy-bookmarks",
)
DAYS = Question(
    "For how many days are deleted bookmarks kept?",
    "Retention",
    kind=Kind.NUMBER,
    minimum=1,
    maximum=365,
    step=1,
    default="30",
    unit="days",
)
