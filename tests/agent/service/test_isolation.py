"""Sessions that run as another user than the service: a second real user of this system."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ccq_tui.config.errors import SettingsError
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.service.isolation import isolation
from ccq_tui.service.policy import Repository, SessionsTable
from ccq_tui.service.run import RunState
from ccq_tui.testing import Scenario, ScriptedModel, clean_environment
from ccq_tui.worktrees import git
from tests.agent.service.stage import serving
from tests.steps import until_true
from tests.unit.worktrees.repositories import repository
from tests.unit.worktrees.repositories import run as run_git

USER = 65534
"""The user nobody."""
AS_USER = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups")
NEEDS_ROOT = pytest.mark.skipif(
    os.name != "posix" or os.getuid() != 0 or shutil.which("setpriv") is None,
    reason="only root becomes another user",
)
ANSWER = f"""
import os, sys
from ccq_tui.cli import main

main(["answer", "none", "--choose", "y"])  # imports everything while it may read it
if sys.argv[2] == "other":
    os.setgroups([]), os.setresgid({USER}, {USER}, {USER}), os.setresuid({USER}, {USER}, {USER})
sys.exit(main(["answer", sys.argv[1], "--choose", "y"]))
"""


@pytest.fixture(autouse=True)
def by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "BY", [])
    monkeypatch.setattr(git, "HIDDEN", set())


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory that both users may enter."""
    with tempfile.TemporaryDirectory(prefix="ccq-two-users-") as made:
        Path(made).chmod(0o755)
        yield Path(made)


def answer(request_id: str, user: str, states: Path) -> subprocess.CompletedProcess[str]:
    """Answer a request by the command, as the service's own user or the other one."""
    words, env = (
        [sys.executable, "-c", ANSWER, request_id, user],
        os.environ | {"XDG_STATE_HOME": str(states)},
    )
    return subprocess.run(words, env=env, capture_output=True, text=True, timeout=60, check=False)


def owned(path: Path) -> Path:
    """Give a directory to the sessions' user."""
    for one in (path, *path.rglob("*")):
        os.chown(one, USER, USER)
    return path


@NEEDS_ROOT
async def test_an_agent_of_another_user_allows_itself_nothing(
    place: Path, scripted_model: Callable[..., ScriptedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets, work = place / "service", repository(place / "repo")
    secrets.mkdir(mode=0o700)
    state = secrets / "ccq-tui"
    reach = f"id -u; cat {state}/inbox.db || echo no inbox; touch by-agent\n"
    (work / "reach.sh").write_text(reach, "utf-8")
    (work / ".ccq-tui.toml").write_text("not read by the service [", "utf-8")
    run_git(work, "add", "reach.sh", ".ccq-tui.toml")
    run_git(work, "commit", "-qm", "Reach")
    script = Scenario("apart").runs("Bash", command="sh reach.sh", description="Reach")
    script = script.runs("Bash", command="touch allowed", description="Make it").says("Done.").ends_turn()
    model = scripted_model(script)
    (place / "home").mkdir()
    home = clean_environment(model.url, root=place / "home")
    monkeypatch.setenv("SERVICE_SECRET", "for the service alone")
    hook = work / ".git" / "hooks" / "post-checkout"
    hook.write_text("#!/bin/sh\nenv > ~/of-hook\n", "utf-8")
    hook.chmod(0o755)
    owned(home.root)
    repo = Repository(owned(work), allowed_tools=("Bash(sh reach.sh)",))
    table = SessionsTable(command=AS_USER, home=home.home)
    async with serving(home, repo, machine=state.name, root=secrets, sessions=table) as staged:
        assert staged.service.isolation.words == "Sessions run as nobody, apart from the service."
        run = await staged.ticket()

        async def asks() -> list[StoredRequest]:
            return await staged.service.requests(staged.service.store.get(run.id))

        [asked] = await until_true(asks)
        refused, answered = [
            await asyncio.to_thread(answer, asked.request.id, user, secrets) for user in ("other", "own")
        ]
        assert refused.returncode != 0
        assert "no request has an id that starts with “toolu" in refused.stderr
        assert answered.returncode == 0, answered.stderr
        ended = await staged.until(run, RunState.ENDED)
        made = Path(ended.directory)
        assert {(made / one).stat().st_uid for one in ("by-agent", "allowed")} == {USER}
        [reached, _] = model.tool_results()
        assert reached.text.startswith(str(USER))
        assert "no inbox" in reached.text
        of_hook = (home.home / "of-hook").read_text("utf-8")
        assert f"HOME={home.home}" in of_hook
        assert "for the service alone" not in of_hook


def test_a_command_that_does_not_work_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"sessions\.command: does not work"):
        isolation(SessionsTable(command=("false",)), tmp_path)
    assert "the service's own user" in isolation(SessionsTable(), tmp_path).words
    assert "the service's own user" in isolation(SessionsTable(command=("env",)), tmp_path).words
