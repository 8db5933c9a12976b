"""Collects ordinary output of real commands and files, in which nothing asks.

``python -m tests.unit.bridges.terminal.collect`` writes ``ordinary.json`` anew and passes over commands that
are not there.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
STORED = HERE / "ordinary.json"
COUNT = 200
MOST = 1600
"""Characters of one: its end, where a prompt would stand."""
SECONDS = 60.0
COMMANDS = """
git status
git log --oneline -30
git log --stat -3
git diff --stat HEAD~5
git branch -a -v
git ls-files docs
git help -a
git diff HEAD~3 -- docs
ls -la /usr/bin
free -h
du -h --max-depth=1 docs
env -i printenv
cat /proc/meminfo
dpkg -l
apt-cache policy bash
apt-cache show bash
openssl version -a
node --help
npm help
npm --version
cargo --help
gcc --version
gcc -v
make --help
make -p -f /dev/null
bash --help
bash -c help
tar --help
sed --help
grep --help
find --help
ssh -V
curl --help all
man -P cat bash
man -P cat ls
man -P cat git-rebase
"""
_PRIVATE = (
    (re.compile(re.escape(str(ROOT))), "/home/ada/project"),
    (re.compile(r"/(?:root|work|tmp)\b(?:/\w+)?"), "/home/ada"),
    (re.compile(r"[\w.+-]+@[\w.-]+\.\w+"), "ada@example.org"),
    (re.compile(r"(?m)^Author: .*$"), "Author: Ada <ada@example.org>"),
    (re.compile(r"Seed \w+ maintainers"), "Ada"),
)


def commands() -> Iterator[list[str]]:
    """Yield commands that print and ask nothing."""
    python = sys.executable
    for command in COMMANDS.strip().split("\n"):
        yield command.split()
    yield [python, "-m", "pip", "list"]
    yield [python, "-m", "pip", "--help"]
    yield [python, "-m", "pip", "show", "-f", "pytest"]
    yield [python, "-c", "import this"]
    yield [python, "-c", "def f(n): return f(n - 1)\nf(20)"]
    yield [python, "-c", "raise SystemExit('Error: the port is in use. Is another server running?')"]
    yield [python, "-m", "timeit", "-n", "10", "pass"]
    yield [python, "-X", "importtime", "-c", "import json"]
    yield [python, "-m", "pytest", "--collect-only", "-q", "tests/unit/questions"]
    yield [python, "-m", "pytest", "-v", "-p", "no:randomly", "tests/unit/test_bounded.py"]
    yield [python, "-m", "ruff", "check", "--select", "ALL", "tasks.py", "--no-fix"]
    yield [python, "-m", "ruff", "rule", "--all"]
    yield ["git", "-c", "color.ui=always", "log", "--graph", "--oneline", "-40"]
    yield ["git", "-c", "color.ui=always", "diff", "HEAD~8", "--", "ccq_tui"]
    yield ["gcc", "-x", "c", "-c", "/dev/null", "-o", "/dev/null", "--badflag"]


def files() -> Iterator[Path]:
    """Yield files that people print: Markdown with lists, code, settings, data."""
    site = Path(next(path for path in sys.path if path.endswith("site-packages")))
    yield from sorted((ROOT / "docs").glob("*.md"))
    yield from (ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", ROOT / "pyproject.toml")
    yield from sorted(site.glob("*/METADATA"))
    yield from sorted(Path("/usr/share/doc").glob("*/copyright"))[:20]
    yield from sorted((ROOT / "themes").glob("*.toml"))
    yield from sorted((ROOT / "ccq_tui" / "bridges").rglob("*.py"))
    yield from sorted((ROOT / "ccq_tui" / "questions").glob("*.py"))


def printed() -> Iterator[tuple[str, str]]:
    """Yield what each prints, with a name."""
    with tempfile.TemporaryDirectory() as directory:
        broken = Path(directory) / "broken.c"
        broken.write_text(
            '#include <stdio.h>\nint main(void) { int x = "one"; printf("%d\\n", y) return 0; }\n'
        )
        for command in (["gcc", "-Wall", str(broken)], ["make", "-C", directory], *commands()):
            try:
                done = subprocess.run(
                    command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
                )  # fmt: skip
            except (OSError, subprocess.TimeoutExpired):
                continue
            if done.stdout:
                yield " ".join(Path(word).name for word in command), done.stdout.decode(errors="replace")
    for path in files():
        yield f"{path.parent.name}/{path.name}", path.read_text(errors="replace")


def cleaned(text: str) -> str:
    """Return the end of what was printed, without what tells where."""
    for pattern, instead in _PRIVATE:
        text = pattern.sub(instead, text)
    cut = text[-MOST:]
    return cut.partition("\n")[2] if len(text) > MOST else cut


def main() -> None:
    """Collect, and write."""
    found: dict[str, str] = {}
    for name, text in printed():
        if cleaned(text).strip():
            found.setdefault(f"{len(found):03} {name}"[:60], cleaned(text))
    kept = dict(list(found.items())[:COUNT])
    if len(kept) < COUNT:
        sys.exit(f"only {len(kept)} were found")
    STORED.write_text(json.dumps(kept, indent=0) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
