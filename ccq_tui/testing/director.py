"""Decides which play answers a request, so that the CLI's own requests never use up a script's steps."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ccq_tui.testing.incoming import Incoming, Role
from ccq_tui.testing.play import Part, Play, Turn
from ccq_tui.testing.scenario import Failure, Scenario

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
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.plays: list[Play] = []
        self._sessions: dict[str, Play] = {}
        self._agents: dict[str, Play] = {}
        self._numbers: Counter[str] = Counter()
        self._sides = 0

    def answer(self, incoming: Incoming) -> tuple[Turn | Failure, str]:
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
        return play.answer(incoming), play.scenario.name

    def _session(self, incoming: Incoming) -> Play:
        found = self._sessions.get(incoming.session)
        if found is None:
            origin = self._origin(incoming)
            found = self._new_play(self.scenario)
            if origin is not None:
                found.adopt(origin)
            self._sessions[incoming.session] = found
        return found

    def _origin(self, incoming: Incoming) -> Play | None:
        # A forked session comes with a new id and the history of the one it was forked from.
        known = incoming.tool_use_ids
        return next((play for play in reversed(self.plays) if any(play.made(one) for one in known)), None)

    def _subagent(self, incoming: Incoming) -> Play:
        key = incoming.agent or incoming.opening
        found = self._agents.get(key)
        if found is None:
            found = self._new_play(self._delegated(incoming))
            self._agents[key] = found
        return found

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
