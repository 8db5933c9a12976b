"""Sets up a virtual environment in .venv and runs the project's tasks in it.

    python3 tasks.py demo        try the program, without an account
    python3 tasks.py test        everything that must pass
    python3 tasks.py             list all tasks

Needs Python 3.11 or newer with venv and pip, and nothing else.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent
LOCK = ROOT / "requirements.lock"
VENV = ROOT / ".venv"
WHEEL_VENV = VENV / "wheel"
NEWEST_VENV = VENV / "newest"
SDK = "claude-agent-sdk"
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
PYTHON = "3.11"
# Python compiles what it imports; compiling all of every package beforehand takes longer than the rest.
INSTALL = ("install", "--no-compile")
WORKERS = ("-n", "auto")
DEV = "dev,e2e" if shutil.which("chromium") else "dev"
"""The extras for the checks: those of the page run where a browser is."""


def main() -> int:
    """Run the task that the command line names; returns the exit code."""
    if sys.version_info < tuple(map(int, PYTHON.split("."))):
        sys.exit(
            f"ccq-tui needs Python {PYTHON} or newer; this is {sys.version.split()[0]} ({sys.executable})."
        )
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tasks = parser.add_subparsers(title="tasks", metavar="TASK")
    for name, (task, text) in TASKS.items():
        chosen = tasks.add_parser(name, help=text, add_help=name == "test")
        chosen.set_defaults(task=task)
    options, rest = parser.parse_known_args()
    if "task" not in options:
        parser.print_help()
        return 2
    rest = rest[1:] if rest[:1] == ["--"] else rest
    try:
        return options.task(rest)
    except subprocess.CalledProcessError as error:
        print(f"\nFAILED: {' '.join(map(str, error.cmd))} (exit code {error.returncode})", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def demo(words: list[str]) -> int:
    """Start the program with a scripted model."""
    return run(["demo", *words])


def run(words: list[str]) -> int:
    """Start the program."""
    install(VENV)
    command = [script("ccq-tui"), *words]
    if os.name != "nt":
        os.execv(command[0], command)  # noqa: S606 (keys and signals then go to the program itself)
    return subprocess.call(command)


def test(words: list[str]) -> int:
    """Make every check; words are passed on to pytest, which then runs alone."""
    install(VENV, DEV)
    if words:
        do([script("pytest"), *words])
        return 0
    started = time.monotonic()
    collect = [script("pytest"), "--collect-only", "-p", "no:terminal"]
    # Compiles the tests, on the other core: of a fresh clone each worker would do so by itself.
    with subprocess.Popen(collect, cwd=ROOT, env=compiling(), stdout=subprocess.DEVNULL):
        lint([])
    do([script("python"), "-m", "tests.unit.test_budget"])
    task = [sys.executable, __file__]
    smoke = [script("python"), "-m", "bench", "--smoke", "--programs", "ccq-tui"]
    with beside([*task, "types"], [*task, "wheel"], smoke):
        do([script("pytest"), *WORKERS, "--dist=worksteal", "-rs"])  # with the reason of each skip
    print(f"\nAll checks passed in {time.monotonic() - started:.0f} s.")
    return 0


def thorough(_words: list[str]) -> int:
    """Try all properties with many more examples, press random keys, and kill programs, each at length."""
    install(VENV, DEV)
    os.environ["CCQ_TUI_PROPERTIES"] = "thorough"
    do([script("pytest"), *WORKERS, "-m", "hypothesis", "--timeout=3600", "tests/unit", "tests/ui"])
    do([script("python"), "-m", "tests.ui.keystrokes"])
    do([script("python"), "-m", "tests.agent.killed.rivals"])
    return 0


def coverage(words: list[str]) -> int:
    """Run all tests and report what of the whole program they cover; they take two thirds longer."""
    install(VENV, DEV)
    do([script("pytest"), *WORKERS, "--cov", "--cov-report", "term:skip-covered", *words])
    return 0


def newest(words: list[str]) -> int:
    """Run agent and end-to-end tests with the newest SDK, or "all" tests with the newest of everything."""
    everything = words[:1] == ["all"]
    tests = words[everything:] or ([] if everything else ["tests/agent", "tests/e2e"])
    make(NEWEST_VENV)
    here = ["-e", f"{ROOT}[{DEV}]"]
    if everything:
        do([*pip(NEWEST_VENV), *INSTALL, "--upgrade", "--upgrade-strategy", "eager", *here])
    else:
        do([*pip(NEWEST_VENV), *INSTALL, "-c", LOCK, *here])
    # What pyproject.toml keeps back is what this task is about; pip names the bounds that it breaks.
    do([*pip(NEWEST_VENV), *INSTALL, "--upgrade", *(kept_back() if everything else [SDK])])
    locked = pinned(LOCK.read_text(encoding="utf-8"))
    changed = {name: one for name, one in installed(NEWEST_VENV).items() if locked.get(name, one) != one}
    news = "\n".join(f"{name} {locked[name]} -> {version}" for name, version in changed.items())
    print(f"\n{news or 'The lock has the newest versions.'}", flush=True)
    try:
        do([script("pytest", NEWEST_VENV), *WORKERS, "--dist=worksteal", "-rfE", "--tb=short", *tests])
    except subprocess.CalledProcessError as error:
        if news and error.returncode == 1:  # tests failed
            print(f"\nThe tests named above break with these versions, if they pass with the lock:\n{news}")
        raise
    return 0


def kept_back() -> list[str]:
    """Return the dependencies that have an upper bound."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        dependencies: list[str] = tomllib.load(file)["project"]["dependencies"]
    return [one.partition(">")[0] for one in dependencies if "<" in one]


def installed(place: Path) -> dict[str, str]:
    """Return the versions of what is in a virtual environment."""
    command = [word for word in pip(place) if word != "--quiet"]  # which lists nothing
    listed = [*command, "list", "--format=freeze"]
    return pinned(subprocess.run(listed, stdout=subprocess.PIPE, text=True, check=True).stdout)


def pinned(text: str) -> dict[str, str]:
    """Return the versions in a lock, or in a list of pip's, which has underscores in some names."""
    lines = (line.partition(";")[0].partition("#")[0].strip() for line in text.splitlines())
    pins = (line.split("==") for line in lines if "==" in line)
    return {name.lower().replace("_", "-"): version for name, version in pins}


def lint(words: list[str]) -> int:
    """Check style, format, the layers' contracts, and the program's words and names."""
    install(VENV, DEV)
    do([script("ruff"), "check", *words])
    do([script("ruff"), "format", "--check", *words])
    do([script("lint-imports")])
    do([script("python"), "-m", "checks"])
    return 0


def types(words: list[str]) -> int:
    """Check types in strict mode."""
    install(VENV, DEV)
    do([script("mypy"), *words])
    return 0


def snapshots(words: list[str]) -> int:
    """Take new pictures of the widgets; look at them before you commit them."""
    install(VENV, DEV)
    do([script("pytest"), "--snapshot-update", *(words or ["tests/ui"])])
    return 0


def picture(words: list[str]) -> int:
    """Draw the pictures of the README and the tutorial; look at them before you commit them."""
    install(VENV, DEV)
    do([script("python"), "-m", "bench.picture", *words])
    return 0


def docs(words: list[str]) -> int:
    """Write the page of keys, and the table of who may do what."""
    install(VENV, DEV)
    do([script("python"), "-m", "checks.keys_page", *words])
    do([script("python"), "-m", "checks.rights_page"])
    return 0


def wheel(_words: list[str]) -> int:
    """Build the wheel, install it into an environment of its own and start it there."""
    install(VENV, DEV)
    dist = VENV / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    do([script("python"), "-m", "build", "--wheel", "--outdir", dist])
    (built,) = dist.glob("*.whl")
    dependencies = stamp_of("wheel")
    install_there = [*pip(VENV), "--python", script("python", WHEEL_VENV), *INSTALL]
    if stamped(WHEEL_VENV, dependencies):
        do([*install_there, "--no-deps", "--force-reinstall", built])
    else:
        venv.create(WHEEL_VENV, clear=True)
        do([*install_there, "-c", LOCK, built])
        put_stamp(WHEEL_VENV, dependencies)
    start(WHEEL_VENV, dist)
    return 0


def release(_words: list[str]) -> int:
    """Build sdist and wheel, check them, and try the demo from each in a fresh environment and home."""
    install(VENV, DEV)
    dist = VENV / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    do([script("python"), "-m", "build", "--outdir", dist])
    do([script("python"), "-m", "checks.distributions", dist])
    for built in sorted(dist.iterdir()):
        with tempfile.TemporaryDirectory() as place:
            fresh, home = Path(place, "venv"), Path(place, "home")
            home.mkdir()
            venv.create(fresh)
            do([*pip(VENV), "--python", script("python", fresh), *INSTALL, "-c", LOCK, built])
            start(fresh, dist)
            demo = [script("ccq-tui", fresh), "demo", "single", "--plain", "--speed", "0"]
            env = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8"}
            print(f"\n$ {' '.join(demo)}", flush=True)
            shown = subprocess.run(
                demo, input="2\n", env=env, cwd=home, text=True, stdout=subprocess.PIPE, check=True
            ).stdout
            print(shown)
            if ANSWERED not in shown:
                sys.exit(f"The demo from {built.name} answered nothing.")
    print(f"\nReady to publish: {', '.join(one.name for one in sorted(dist.iterdir()))}")
    return 0


def start(place: Path, elsewhere: Path) -> None:
    """Start an installed wheel, not from the checkout, whose own ccq_tui would be found first."""
    do([script("ccq-tui", place), "--version"], cwd=elsewhere)
    do([script("python", place), "-c", SHIPPED], cwd=elsewhere)


ANSWERED = "note: Answered: PostgreSQL."
SHIPPED = (
    "from ccq_tui.theming.load import shipped; assert len(shipped()) >= 2, 'no themes'; "
    "from ccq_tui.bridges.terminal.rules import load_rules; assert len(load_rules()) >= 20, 'no rules'"
)


def lock(words: list[str]) -> int:
    """Choose the versions of all dependencies anew."""
    install(VENV, DEV)
    if not Path(script("uv")).exists():
        do([*pip(VENV), "install", "uv"])
    command = [
        script("uv"),
        "pip",
        "compile",
        "--universal",
        "--all-extras",
        "--no-header",
        "--no-emit-index-url",
    ]
    do(
        [
            *command,
            "--python-version",
            PYTHON,
            "--quiet",
            "--output-file",
            LOCK.name,
            "pyproject.toml",
            *words,
        ]
    )
    return 0


def install(place: Path, extra: str = "") -> None:
    """Install the checkout, editable, with the locked versions; nothing happens when that is done already.

    Args:
        place: The virtual environment.
        extra: The extras to install, such as "dev", or "".
    """
    wanted = stamp_of(extra)
    if stamped(place, wanted) or stamped(place, stamp_of(DEV)):
        return
    print(f"Setting up {place.relative_to(ROOT)} (once, about a minute) ...", flush=True)
    make(place)
    do([*pip(place), *INSTALL, "-c", LOCK, "-e", f"{ROOT}[{extra}]" if extra else ROOT])
    put_stamp(place, wanted)


def make(place: Path) -> None:
    """Make a virtual environment unless a working one of this Python is there."""
    python = script("python", place)
    probe = [python, "-c", "import sys, pip; print(sys.version_info[:2])"]
    if Path(python).exists():
        found = subprocess.run(probe, capture_output=True, text=True, check=False)
        if found.returncode == 0 and found.stdout.strip() == str(sys.version_info[:2]):
            return
        shutil.rmtree(place)
    try:
        venv.create(place, with_pip=True)
    except subprocess.CalledProcessError as error:
        shutil.rmtree(place, ignore_errors=True)
        sys.exit(
            f"This Python cannot make a virtual environment with pip (on Debian: python3-venv).\n{error}"
        )


def stamp_of(extra: str) -> str:
    """Name what an installation depends on: what is installed, its versions, the Python, and where it is."""
    content = (ROOT / "pyproject.toml").read_bytes() + LOCK.read_bytes()
    return f"{hashlib.sha256(content).hexdigest()} {extra} {sys.version.split()[0]} {ROOT}"


def stamped(place: Path, wanted: str) -> bool:
    """Whether an installation is what it should be."""
    stamp = place / "ccq-stamp"
    return stamp.exists() and stamp.read_text(encoding="utf-8") == wanted


def put_stamp(place: Path, text: str) -> None:
    """Note what was installed."""
    (place / "ccq-stamp").write_text(text, encoding="utf-8")


def pip(place: Path) -> list[str]:
    """The command that installs into a virtual environment."""
    return [script("python", place), "-m", "pip", "--disable-pip-version-check", "--quiet"]


def script(name: str, place: Path = VENV) -> str:
    """The path of a program in a virtual environment."""
    return str(place / SCRIPTS / (f"{name}.exe" if os.name == "nt" else name))


def do(command: list[str | Path], cwd: Path = ROOT) -> None:
    """Run a command, saying which; a failure ends the task."""
    shown = [Path(word).name if str(word).startswith(str(ROOT)) else str(word) for word in command]
    print(f"\n$ {' '.join(shown)}", flush=True)
    subprocess.run(command, cwd=cwd, check=True, env=compiling())


@contextmanager
def beside(*commands: list[str]) -> Iterator[None]:
    """Run commands one after another while the tests run, which leave a processor idle now and then.

    What they print comes at the end; so does their failure, unless the tests fail first.
    """

    def each() -> list[subprocess.CompletedProcess[str]]:
        return [
            subprocess.run(
                one,
                cwd=ROOT,
                check=False,
                env=compiling(),
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            for one in commands
        ]

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(each)
        yield
    for one in running.result():
        print(f"\n{one.stdout.strip()}", flush=True)
        one.check_returncode()


def compiling() -> dict[str, str]:
    """Return this environment, with a place for compiled modules where none are wanted beside the sources.

    The packages are installed without them, so that each program would compile all that it imports anew.
    """
    env = dict(os.environ)
    if env.pop("PYTHONDONTWRITEBYTECODE", ""):
        env.setdefault("PYTHONPYCACHEPREFIX", str(VENV / "bytecode"))
    return env


TASKS = {
    "demo": (demo, "set up, then try the program without an account; takes a scenario's name"),
    "test": (test, "set up, then make every check; with words after it, pytest alone with them"),
    "run": (run, "start the program: run -- ARGS"),
    "thorough": (thorough, "properties, random keys and kills at length: about two hours"),
    "coverage": (coverage, "all tests, and what of the whole program they cover"),
    "newest": (
        newest,
        "agent and end-to-end tests with the newest SDK; newest all: with the newest of everything",
    ),
    "lint": (lint, "style, format, the layers' contracts, words and names"),
    "types": (types, "types, in strict mode"),
    "snapshots": (snapshots, "take new pictures of the widgets"),
    "picture": (picture, "draw the pictures of the README and the tutorial"),
    "docs": (docs, "write docs/keys.md and the table in docs/service.md from the code"),
    "wheel": (wheel, "build the wheel and start it in an environment of its own"),
    "release": (
        release,
        "build sdist and wheel, check both, and run the demo from each in a fresh environment",
    ),
    "lock": (lock, "choose the versions of all dependencies anew"),
}

if __name__ == "__main__":
    sys.exit(main())
