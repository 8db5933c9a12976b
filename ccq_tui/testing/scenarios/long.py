"""A very long answer of varied Markdown, for scrolling and speed."""

from __future__ import annotations

from ccq_tui.testing.scenario import Scenario

LONG_ANSWER_CHARACTERS = 200_000

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


def long_answer() -> Scenario:
    """200,000 characters of headings, prose, lists, tables, quotes and code."""
    return (
        Scenario("long_answer", title="The whole handbook")
        .says(long_markdown(LONG_ANSWER_CHARACTERS))
        .ends_turn()
        .says("That was the whole handbook. Ask me about any section.")
    )


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
    return f"""\
## {number}. {topic}

*{topic}* is decided in **section {number}**; see also `docs/{topic.lower()}.md` and
[section {number + 1}](#{number + 1}). The reasons are written down so that nobody has to guess them later, \
and a decision that turns out wrong is changed here first, then in the code. It holds for every version.

### What holds

1. Every change is one commit with its reason.
2. A number in a table is measured, not estimated:
   - on two cores,
   - with a cold cache,
     - and once more with a warm one.
3. ~~Nothing is deleted.~~ Deleted rows are kept for {number % 60 + 1} days.

| step | what | takes | done |
|---:|:---|---:|:---:|
{rows}

> A long line in a quote has to wrap as well, and the bar on its left has to run along all of its lines, \
not only the first one, in section {number} as everywhere.

```{language}
{code}
```

- [x] written
- [ ] reviewed by someone who was not there

---
"""
