"""A session without a screen: it works in a git worktree, and any ccq-tui or script answers its questions.

Usage: python headless.py DIRECTORY PROMPT

The directory is trusted: its hooks and MCP servers run. Permissions are granted once, as a rule decides here;
a question waits in the inbox for a person: `ccq-tui inbox`, or `ccq-tui answer REQUEST --choose NUMBER`.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from ccq_tui.agent.events import AgentEvent, RequestAsked, RequestSettled, SessionLost, TurnEnded
from ccq_tui.config.launch import launch_with
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.kinds import kind_of, parse_outcome
from ccq_tui.inbox.layout import lines
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.output import echo
from ccq_tui.runtime.launches import SessionSpec
from ccq_tui.runtime.person import Configured
from ccq_tui.runtime.runtime import NotOpenedError, Runtime
from ccq_tui.worktrees.creation import planned


async def main(directory: Path, prompt: str) -> str:
    """Run one turn of a new session; return how it ended."""
    me = Actor.here(Surface.PROGRAM, "headless")
    runtime = Runtime(launch_with({"cwd": directory}), Configured([directory], me))
    events: asyncio.Queue[AgentEvent] = asyncio.Queue()
    try:
        spec = SessionSpec(directory, prompt, planned(directory), "Nightly", {"ticket": "ABC-1"})
        session = await runtime.open(spec)
        session.subscribe(events.put_nowait)
        while True:
            match await events.get():
                case RequestAsked(QuestionRequest() as request):
                    echo("\n".join([request.id, *lines(kind_of(request).document(request, None))]))
                case RequestAsked(request):
                    once = parse_outcome(request, {"choice": 1})
                    await runtime.inbox.settle(request.id, once, me)
                case RequestSettled(request_id, outcome, actor):
                    echo(f"{request_id} {outcome} {actor.where if actor else ''}")
                case TurnEnded(cost=cost):
                    return f"{session.facts.name} ended its turn: ${cost or 0:.2f}"
                case SessionLost(reason):
                    return f"{session.facts.name} ended: {reason}"
    except NotOpenedError as error:
        return f"The session {error}"
    finally:
        # What waits is parked, and stays in the inbox. A worktree in which nothing was left is removed.
        await runtime.close()
        echo("\n".join(runtime.cleanup.parting))


if __name__ == "__main__":
    echo(asyncio.run(main(Path(sys.argv[1]).resolve(), sys.argv[2])))
