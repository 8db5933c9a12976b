"""The runs of a script, one for each conversation, and which of them answers a request."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ccq_tui.testing import scenario as script
from ccq_tui.testing.incoming import Incoming, Role
from ccq_tui.testing.replies import Replies, ToolResult
from ccq_tui.testing.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Part:
    """One content block ready to send: its JSON without the content, and the content as text."""

    start: Mapping[str, Any]
    delta: str
    content: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message ready to send."""

    id: str
    parts: tuple[Part | script.Silence, ...]
    stop_reason: str
    usage: Mapping[str, int] = field(default_factory=dict)
    cut: script.Cut | None = None


class Play:
    """A script on its way through one conversation.

    Attributes:
        scenario: The script.
        prefix: The start of its tool use ids.
        delegated: The scenario of each subagent, by the prompt given to it.
    """

    def __init__(self, scenario: Scenario, number: int = 1) -> None:
        self.scenario = scenario
        again = "" if number == 1 else f"-{number}"
        self.prefix = f"toolu_{scenario.name}{again}"
        self.delegated: dict[str, Scenario] = {}
        self._pending: tuple[script.Step, ...] = scenario.steps
        self._results: dict[str, ToolResult] = {}
        self._calls: list[str] = []
        self._past_calls = 0
        self._messages = 0
        self._interrupts = 0
        self._prompt = ""
        self._plan_file = ""
        self._directory = ""

    @property
    def finished(self) -> bool:
        """Whether nothing of the script is left."""
        return not any(not isinstance(step, script.TurnEnd) for step in self._pending)

    def adopt(self, other: "Play") -> None:
        """Continue from the position of another play, as a forked conversation does."""
        self._pending = other._pending
        self._results = dict(other._results)
        self.delegated = dict(other.delegated)
        self._calls, self._past_calls = list(other._calls), other._past_calls
        self._messages, self._interrupts = other._messages, other._interrupts

    def made(self, tool_use_id: str) -> bool:
        """Whether a tool use id is one of this play's."""
        return tool_use_id in self._calls

    def next_step(self, incoming: Incoming) -> Turn | script.Failure:
        """Take the next step.

        Args:
            incoming: The request to answer.

        Returns:
            The message or failure to send.

        Raises:
            Exception: Any error of a callable of the script; the play keeps its position.
        """
        self._read(incoming)
        before = self._pending, len(self._calls)
        try:
            step = self._next(incoming)
            return step if isinstance(step, script.Failure) else self._render(step, incoming)
        except Exception:
            # The CLI repeats the request; until then the script must not advance.
            self._pending = before[0]
            del self._calls[before[1] :]
            raise

    def _read(self, incoming: Incoming) -> None:
        for found in incoming.tool_results:
            self._results[found.tool_use_id] = found
        self._prompt = incoming.prompt or self._prompt
        self._plan_file = incoming.plan_file or self._plan_file
        self._directory = incoming.directory or self._directory
        if incoming.interrupts > self._interrupts and script.TurnEnd() in self._pending:
            # The person interrupted the turn: the rest of it makes no sense any more.
            self._pending = self._pending[self._pending.index(script.TurnEnd()) + 1 :]
        self._interrupts = max(incoming.interrupts, self._interrupts)

    def _next(self, incoming: Incoming) -> script.Message | script.Failure:
        for _ in range(100):  # a script whose branches never speak ends
            if not self._pending:
                if not (self.scenario.loops and self.scenario.steps and incoming.starts_turn):
                    break
                self._pending, self._past_calls = self.scenario.steps, len(self._calls)
            step = self._pending[0]
            if isinstance(step, script.TurnEnd) and not incoming.starts_turn:
                break
            self._pending = self._pending[1:]
            if isinstance(step, script.Branch):
                self._pending = (*step.choose(self._replies()).steps, *self._pending)
            elif not isinstance(step, script.TurnEnd):
                return step
        words = self.scenario.notified if incoming.notifies else self.scenario.exhausted
        return script.Message((script.Text(words),))

    def _replies(self) -> Replies:
        return Replies(
            calls=tuple(self._calls[self._past_calls :]),
            results=tuple(self._results.values()),
            prompt=self._prompt,
            plan_file=self._plan_file,
            directory=self._directory,
        )

    def _render(self, message: script.Message, incoming: Incoming) -> Turn:
        replies = self._replies()
        parts = tuple(self._part(block, replies) for block in message.blocks)
        calls = any(isinstance(block, script.ToolCall) for block in message.blocks)
        self._messages += 1
        length = sum(len(part.content) for part in parts if isinstance(part, Part))
        usage = {"input_tokens": incoming.tokens, "output_tokens": max(1, length // 4), **message.usage}
        return Turn(
            id=f"msg_{self.prefix.removeprefix('toolu_')}_{self._messages}",
            parts=parts,
            stop_reason=message.stop_reason or ("tool_use" if calls else "end_turn"),
            usage=usage,
            cut=message.cut,
        )

    def _part(self, block: script.Block, replies: Replies) -> Part | script.Silence:
        match block:
            case script.Silence():
                return block
            case script.Text(words):
                return Part({"type": "text", "text": ""}, "text", _text_of(words, replies))
            case script.Thinking(words):
                start = {"type": "thinking", "thinking": "", "signature": ""}
                return Part(start, "thinking", _text_of(words, replies))
            case script.ToolCall(tool, arguments, delegated):
                block_id = f"{self.prefix}_{len(self._calls) + 1}"
                self._calls.append(block_id)
                made = _made(arguments, replies)
                if delegated is not None:
                    self.delegated[str(made.get("prompt", ""))] = delegated
                call: dict[str, Any] = {"type": "tool_use", "id": block_id, "name": tool, "input": {}}
                return Part(call, "partial_json", json.dumps(made))


def _text_of(words: script.Words, replies: Replies) -> str:
    return words(replies) if callable(words) else words


def _made(arguments: script.Arguments, replies: Replies) -> Mapping[str, Any]:
    if callable(arguments):
        return arguments(replies)
    return {key: value(replies) if callable(value) else value for key, value in arguments.items()}


_SUMMARY = """<analysis>
The person and the scripted model went through a scenario together.
</analysis>

<summary>
1. Primary Request and Intent: The person went through a scripted scenario.
2. Pending Tasks: The rest of the scenario.
</summary>"""


class Director:
    """Keeps one play per conversation: one for each session, and one for each subagent.

    Args:
        scenario: The scenario that every session plays from its start.

    Attributes:
        plays: The plays so far.
        opened: The gates that were released; silences that wait for another one keep waiting.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.opened: set[str] = set()
        self.plays: list[Play] = []
        self._sessions: dict[str, Play] = {}
        self._agents: dict[str, Play] = {}
        self._numbers: Counter[str] = Counter()
        self._sides = 0

    def reply(self, incoming: Incoming) -> tuple[Turn | script.Failure, str]:
        """Answer one request.

        Args:
            incoming: The request.

        Returns:
            The message or failure to send, and the name of the scenario that made it ("" for a side request).
        """
        if incoming.role is Role.SIDE:
            self._sides += 1
            text = self._side_text(incoming)
            part = Part({"type": "text", "text": ""}, "text", text)
            usage = {"input_tokens": 1, "output_tokens": max(1, len(text) // 4)}
            return Turn(f"msg_side_{self._sides}", (part,), "end_turn", usage), ""
        play = self._subagent(incoming) if incoming.role is Role.SUBAGENT else self._session(incoming)
        return play.next_step(incoming), play.scenario.name

    def _session(self, incoming: Incoming) -> Play:
        if incoming.session not in self._sessions:
            # A forked session comes with a new id and the history of the one it was forked from.
            origins = [play for play in self.plays if any(map(play.made, incoming.tool_use_ids))]
            made = self._sessions[incoming.session] = self._new_play(self.scenario)
            if origins:
                made.adopt(origins[-1])
        return self._sessions[incoming.session]

    def _subagent(self, incoming: Incoming) -> Play:
        key = incoming.agent or incoming.opening
        if key not in self._agents:
            self._agents[key] = self._new_play(self._delegated(incoming))
        return self._agents[key]

    def _delegated(self, incoming: Incoming) -> Scenario:
        opening = incoming.opening
        known = {prompt: script for play in self.plays for prompt, script in play.delegated.items()}
        # The longest prompt first: one may be the beginning of another.
        for prompt in sorted(known, key=len, reverse=True):
            if prompt and prompt in opening:
                return known[prompt]
        return Scenario("subagent").afterwards("I have nothing to report.")

    def _new_play(self, scenario: Scenario) -> Play:
        self._numbers[scenario.name] += 1
        play = Play(scenario, self._numbers[scenario.name])
        self.plays.append(play)
        return play

    def _side_text(self, incoming: Incoming) -> str:
        if incoming.wants_summary:
            return _SUMMARY
        output = incoming.body.get("output_config")
        wanted = output.get("format") if isinstance(output, Mapping) else None
        title = self.scenario.title or self.scenario.name.replace("_", " ").capitalize()
        if isinstance(wanted, Mapping) and isinstance(wanted.get("schema"), Mapping):
            return json.dumps(_sample(wanted["schema"], title))
        return title


def _sample(schema: Mapping[str, Any], text: str) -> Any:
    """Return the simplest value that fits a JSON schema, with one text for every string."""
    match schema.get("type"):
        case "object":
            properties = schema.get("properties") or {}
            return {key: _sample(properties.get(key, {}), text) for key in schema.get("required", ())}
        case "array":
            return []
        case "boolean":
            return False
        case "integer" | "number":
            return 0
        case _:
            choices = schema.get("enum")
            return choices[0] if choices else text
