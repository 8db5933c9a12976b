"""What is installed, as pip, pipx and uv note it, and the one remedy for an extra that is missing."""

import asyncio
import importlib.util
import json
import shlex
import sys
from importlib import metadata
from pathlib import Path

import pytest

import tasks
from ccq_tui.installation import EXTRAS, add_command, missing, remove_command
from ccq_tui.remote.notify.channels import deliver
from ccq_tui.remote.notify.notification import Notification
from tests.unit.starting import Cli


def noted(monkeypatch: pytest.MonkeyPatch, place: Path, receipt: str = "", **origin: object) -> None:
    """Have an environment without extras, made by the tool with this receipt, from this origin."""
    (place / receipt).touch()
    monkeypatch.setattr(sys, "prefix", str(place))
    notes = place / "ccq_tui-1.dist-info"
    notes.mkdir()
    (notes / "METADATA").write_text("Metadata-Version: 2.1\nName: ccq-tui\nVersion: 1\n", encoding="utf-8")
    if origin:
        (notes / "direct_url.json").write_text(json.dumps(origin), encoding="utf-8")
    monkeypatch.syspath_prepend(place)
    for name in (name for modules in EXTRAS.values() for name in modules):
        monkeypatch.setitem(sys.modules, name, None)


LOCK = Path(__file__).parents[2] / "requirements.lock"
PIP = shlex.join([sys.executable, "-m", "pip"])


@pytest.mark.parametrize(
    ("receipt", "added", "removed"),
    [
        ("uv-receipt.toml", "uv tool install --force", "uv tool uninstall"),
        ("pipx_metadata.json", "pipx install --force", "pipx uninstall"),
        ("pyvenv.cfg", f"{PIP} install", f"{PIP} uninstall"),
    ],
)
def test_each_tool_has_its_commands(
    receipt: str, added: str, removed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted(monkeypatch, tmp_path, receipt)
    assert missing("wrap") == (f"the extra “wrap” is not installed; to add it: {added} 'ccq-tui[wrap]'")
    assert remove_command() == f"{removed} ccq-tui"


def test_an_environment_without_pip_is_one_of_uvs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted(monkeypatch, tmp_path, "pyvenv.cfg")
    monkeypatch.setitem(sys.modules, "pip", None)
    python = shlex.quote(sys.executable)
    assert add_command("wrap") == f"uv pip install --python {python} 'ccq-tui[wrap]'"


@pytest.mark.parametrize(
    ("origin", "source"),
    [
        ({"url": "file:///a%20b/main", "dir_info": {}}, "'/a b/main[push]'"),
        ({"url": "file:///main", "dir_info": {"editable": True}}, "--editable '/main[push]'"),
        (
            {"url": f"file://{LOCK.parent}", "dir_info": {"editable": True}},
            f"'--pip-args=-c {LOCK}' --editable '{LOCK.parent}[push]'",
        ),
        (
            {"url": "file:///ccq_tui-1-py3-none-any.whl", "archive_info": {}},
            "'/ccq_tui-1-py3-none-any.whl[push]'",
        ),
        ({"url": "https://x.test/a", "vcs_info": {"vcs": "git"}}, "'ccq-tui[push] @ git+https://x.test/a'"),
        ({"url": "https://x.test/a.whl", "archive_info": {}}, "'ccq-tui[push] @ https://x.test/a.whl'"),
    ],
)
def test_it_comes_from_where_the_program_came(
    origin: dict[str, object], source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted(monkeypatch, tmp_path, "pipx_metadata.json", **origin)
    assert add_command("push") == f"pipx install --force {source}"


def test_extras_that_are_there_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted(monkeypatch, tmp_path, "uv-receipt.toml")
    monkeypatch.delitem(sys.modules, "redis")
    assert importlib.util.find_spec("redis"), "the extra dev has it"
    assert add_command("notify") == "uv tool install --force 'ccq-tui[notify,redis]'"


async def test_whatever_needs_an_extra_says_the_same(
    ccq: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted(monkeypatch, tmp_path, "uv-receipt.toml")
    assert ccq("serve", code=2) == f"Error: {missing('service')}\n"
    assert ccq("wrap", "--", "true", code=2) == f"Error: {missing('wrap')}\n"
    (receipt,) = await deliver(Notification("", ""), ["json://127.0.0.1"], ())
    assert receipt.problem == missing("notify")
    monkeypatch.delitem(sys.modules, "ccq_tui.remote.relay.redis", raising=False)
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)  # another test may have imported it
    store = ("relay", "invite", "--store", "redis://127.0.0.1/0")
    assert await asyncio.to_thread(ccq, *store, code=2) == f"Error: {missing('redis')}\n"


def test_newest_versions_are_compared_by_the_names_of_the_lock() -> None:
    versions = tasks.installed(Path(sys.prefix))
    assert versions["pydantic-core"] == metadata.version("pydantic-core")
    assert "pydantic-core" in tasks.pinned(LOCK.read_text(encoding="utf-8"))
