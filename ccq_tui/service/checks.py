"""What can be wrong with a configuration that reads well; looked at once, at the start."""

from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from ccq_tui.config.errors import SettingProblem, name_hint
from ccq_tui.config.load import read_settings_file
from ccq_tui.service.adapters.linear import LinearAdapter, TokenRefusedError
from ccq_tui.service.config import ServiceConfig
from ccq_tui.service.port import RetryLaterError
from ccq_tui.worktrees.git import GitError, asked

OF_LINEAR = ("label", "project", "team")
"""What tickets of Linear are about, for `Repository.choose`."""


def doubts(place: Path, config: ServiceConfig, tools: Collection[str]) -> Iterator[SettingProblem]:
    """Yield what of a configuration will not work; runs git.

    Args:
        place: Its file.
        config: What that says.
        tools: The tools that there are.
    """
    file = read_settings_file(place, "user")
    for name in config.repositories:
        for key, problem in _of_repository(name, config, tools):
            field = f"repositories.{name}.{key}"
            yield SettingProblem(file.origin(field), problem, field)


def _of_repository(name: str, config: ServiceConfig, tools: Collection[str]) -> Iterator[tuple[str, str]]:
    one, names = config.repositories[name], [*config.repositories]
    with suppress(GitError):
        branches = (f"refs/remotes/{one.remote}/{one.base}", f"refs/heads/{one.base}")
        if asked(one.path, "rev-parse", "--git-dir") is None:
            yield "path", "is no git repository: its runs fail"
        elif one.base and not any(asked(one.path, "rev-parse", "--verify", "-q", ref) for ref in branches):
            yield "base", f"is no branch, neither here nor at {one.remote}: fetch it, or name another one"
    for other in names[: names.index(name)]:
        if config.repositories[other].choose == one.choose:
            yield "choose", f"is the same as for {other}: tickets must name one of them"
    for key in () if config.webhook is not None else one.choose:
        if key not in OF_LINEAR:
            yield "choose", f"has {key!r}, which no ticket is about; {name_hint(key, OF_LINEAR)}"
    for rule in one.allowed_tools:
        tool = rule.partition("(")[0].strip()
        if tool not in tools and not tool.startswith("mcp__"):
            yield "allowed_tools", f"has {tool!r}, which is no tool; {name_hint(tool, sorted(tools))}"


async def token_refused(place: Path, config: ServiceConfig) -> SettingProblem | None:
    """Return that Linear does not take the configured token, if it says so."""
    if (linear := config.linear) is None:
        return None
    adapter = LinearAdapter(linear.webhook_secret.read, linear.token.read, url=linear.url)
    try:
        await adapter.check()
    except TokenRefusedError as error:
        return SettingProblem(
            read_settings_file(place, "user").origin("linear.token"), str(error), "linear.token"
        )
    except RetryLaterError:
        return None  # it is not reached now: what is to be sent waits
    finally:
        await adapter.close()
    return None
