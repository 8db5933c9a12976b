"""A model that attacks the screen: everything it says must be drawn as data and trigger nothing."""

from __future__ import annotations

from ccq_tui.testing.scenario import Scenario
from ccq_tui.testing.scenarios.ready import choice, unless_refused

ESC = "\x1b"
LONG_LABEL = "A label that does not end " + "and goes on " * 8332
SENTINEL = "7777"
"""A parameter of every attack: the program's own sequences never hold it."""
ATTACKS = {
    "colour": f"{ESC}[31;{SENTINEL}mred{ESC}[0;{SENTINEL}m",
    "clear screen": f"{ESC}[2;{SENTINEL}J{ESC}[1;{SENTINEL}H",
    "alternate screen": f"{ESC}[?1049;{SENTINEL}l",
    "title (OSC 0)": f"{ESC}]0;owned{SENTINEL}\x07",
    "clipboard (OSC 52)": f"{ESC}]52;c;{SENTINEL}b3duZWQ=\x07",
    "link (OSC 8)": f"{ESC}]8;;https://evil{SENTINEL}.example\x07click{ESC}]8;;\x07",
    "report (DSR)": f"{ESC}[6;{SENTINEL}n{ESC}[{SENTINEL}c",
    "device string": f"{ESC}P+q544e{SENTINEL}\x1b\\",
    "mouse on": f"{ESC}[?1003;{SENTINEL}h",
    "C1 CSI": f"\x9b31;{SENTINEL}mred\x9b0;{SENTINEL}m",
    "C1 OSC": f"\x9d0;owned{SENTINEL}\x9c",
    "bell and backspace": "ring\x07 over\x08\x08\x08\x08type",
    "carriage return": "all is well\rALL IS LOST",
    "null and delete": "nu\x00ll de\x7flete",
    "bidi override": "safe\u202egnp.exe\u202c",
    "bidi isolate": "user\u2066 // admin\u2069",
    "zero width": "pass\u200bword\u200d \u2060\ufeff",
    "tag characters": "plain\U000e0068\U000e0069",
    "line separators": "one\u2028two\u2029three\u0085four",
    "markup": "[bold red]bold[/] [@click=app.quit]quit[/] [link=https://evil.example]x[/link] [/]",
    "markup ends": "\\[bold] [/bold] [[]] [$error] {app.quit}",
}
_PREVIEW = "\n".join(f"{name}: {attack}" for name, attack in ATTACKS.items())
_TOOL_COMMAND = (
    f"printf '\\033[31;{SENTINEL}mred\\033[0m \\033]0;owned{SENTINEL}\\007 \\033]52;c;{SENTINEL}b3duZWQ=\\007"
    f" \\033[2;{SENTINEL}J [@click=app.quit]quit[/] [bold]bold[/bold]\\n'"
)


def hostile_text() -> Scenario:
    """Escape sequences, markup, bidi and zero-width tricks, in prose, questions, previews and tool output."""
    prose = "".join(f"- {name}: {attack}\n" for name, attack in ATTACKS.items())
    wild = f"{ATTACKS['title (OSC 0)']}{ATTACKS['markup']}"
    first = choice(
        f"Which is safe? {wild} {ATTACKS['bidi override']}",
        f"{ESC}[1;{SENTINEL}mSafe",
        (f"[@click=app.quit]quit[/] {ESC}[5;{SENTINEL}mblink", f"description {wild}", _PREVIEW),
        ("[bold]bold[/bold]", f"{ATTACKS['C1 CSI']} {ATTACKS['zero width']}", ATTACKS["clear screen"]),
        (ATTACKS["bidi override"], ATTACKS["carriage return"], f"```\n{ATTACKS['link (OSC 8)']}\n```"),
        ("plain", "nothing wrong here"),
    )
    second = choice(
        "And which of these?",
        "[/]\u202e",
        (LONG_LABEL, "100,000 characters"),
        ("two\nlines\nin a label", f"{ATTACKS['mouse on']}{ATTACKS['report (DSR)']}"),
        multi=True,
    )
    return (
        Scenario("hostile_text", title=f"owned {ATTACKS['title (OSC 0)']} [bold]")
        .thinks(f"Quietly {ATTACKS['clear screen']}{ATTACKS['markup']}")
        .says(f"Everything below is only text:\n\n{prose}\n")
        .runs(
            "Bash",
            command=_TOOL_COMMAND,
            description=f"Print {ESC}[31;{SENTINEL}mescape{ESC}[0m [bold]codes[/bold]",
        )
        .asks(first, second)
        .then(unless_refused(lambda _: f"Still here. {wild}{ATTACKS['clipboard (OSC 52)']}"))
    )
