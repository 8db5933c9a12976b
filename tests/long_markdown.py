"""A long answer of varied Markdown, for scrolling and speed."""

from pathlib import Path

_SECTION = Path(__file__).with_name("long_section.md").read_text(encoding="utf-8")
_TOPICS = ("Storage", "Import", "Search", "Sign-in", "Sharing", "Backups", "Metrics", "Releases")
_LANGUAGES = ("python", "sql", "toml", "bash", "json", "rust")
_CODE = {
    "python": "def {name}(rows: list[Row]) -> Report:\n    kept = [row for row in rows if row.alive]\n"
    "    return Report(len(kept), sum(row.size for row in kept))",
    "sql": "SELECT tag, count(*) AS uses\nFROM bookmark_tag\nWHERE section = {number}\n"
    "GROUP BY tag ORDER BY uses DESC;",
    "toml": '[{name}]\nenabled = true\nlimit = {number}\npaths = ["src", "tests"]',
    "bash": 'for file in section-{number}/*.md; do\n  printf "%s\\n" "$file"\ndone',
    "json": '{{"section": {number}, "name": "{name}", "done": false}}',
    "rust": "fn {name}(rows: &[Row]) -> usize {{\n    rows.iter().filter(|row| row.alive).count()\n}}",
}


def long_markdown(characters: int) -> str:
    """Return varied Markdown of at least ``characters`` characters, the same every time."""
    sections = ["# The handbook\n\nEverything that was decided, in one place.\n"]
    length = len(sections[0])
    number = 0
    while length < characters:
        number += 1
        sections.append(_section(number))
        length += len(sections[-1])
    return "\n".join(sections)


def _section(number: int) -> str:
    topic = _TOPICS[number % len(_TOPICS)]
    language = _LANGUAGES[number % len(_LANGUAGES)]
    code = _CODE[language].format(name=topic.lower().replace("-", "_"), number=number)
    rows = "\n".join(
        f"| {step} | {topic} {step} | {number * step % 97} ms | {'yes' if step % 2 else 'no'} |"
        for step in range(1, 6)
    )
    return _SECTION.format(
        number=number,
        after=number + 1,
        days=number % 60 + 1,
        topic=topic,
        lower=topic.lower(),
        rows=rows,
        language=language,
        code=code,
    )
