"""What the model does in a play: it asks in four parts, runs a command, and says when all of it is done."""

from collections.abc import Callable

from ccq_tui.testing import Exchange, Replies, Scenario, ask
from tests.agent.killed.news import spoken
from tests.agent.killed.script import asked_in

PARTS = 4
RAN = "part-2-done"


def scenario(newest: Callable[[], Exchange]) -> Scenario:
    """Return the script: it asks and runs again what the conversation does not show as done.

    Args:
        newest: Gives the request that is being answered.
    """

    def choose(_: Replies) -> Scenario:
        text = spoken(newest().body)
        open_parts = [number for number in range(1, PARTS + 1) if f"answer {number} to" not in text]
        if open_parts and open_parts[0] != PARTS:
            # The second and the third question are asked in one message.
            together = [number for number in open_parts if number in (2, 3)] if open_parts[0] != 1 else [1]
            return Scenario().together(*(ask(asked_in(number)) for number in together)).then(choose)
        if RAN not in text:
            return Scenario().runs("Bash", command="touch part && echo part-$((1+1))-done").then(choose)
        if open_parts:
            return Scenario().says("Now the last part.").asks(asked_in(PARTS)).then(choose)
        return Scenario().says("All of it is done.").ends_turn().then(choose)

    return Scenario("rivals").then(choose)


def done(text: str) -> bool:
    """Whether a conversation has everything that the script asks for."""
    return RAN in text and all(f"answer {number} to" in text for number in range(1, PARTS + 1))
