"""A screen for controllers of a session, without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.prompts.images import PromptImage
from ccq_tui.prompts.unread import PromptDraft
from ccq_tui.runtime.facts import SessionFacts
from ccq_tui.runtime.view import Surroundings


class FieldAlone:
    """The field of a prompt: its text, and what was put back into it."""

    def __init__(self) -> None:
        self.field = SimpleNamespace(vim=SimpleNamespace(on=False))
        self.text = ""
        self.display = True
        self.has_queued = False

    @property
    def draft(self) -> PromptDraft:
        return PromptDraft(self.text)

    @property
    def kept(self) -> PromptDraft:
        return self.draft

    def put_back(self, text: str) -> None:
        self.text = f"{text}\n{self.text}".rstrip("\n")

    def restore(self, draft: PromptDraft) -> None:
        self.text = draft.text

    def adopt(self, draft: PromptDraft) -> PromptDraft:
        return draft

    def images_in(self, text: str) -> dict[str, PromptImage]:
        return {}

    def remember(self, earlier: tuple[str, ...]) -> None:
        pass


class NoScreen:
    """Keeps what controllers say, note, begin and tell; what is begun is run by `work`."""

    def __init__(self, directory: Path = Path("/work"), session: Any = None, **launch: Any) -> None:
        self.launch = Launch(settings=Settings(cwd=directory), **launch)
        self.view, self.around = SessionFacts(directory), Surroundings()
        self.session: Any = session or SimpleNamespace(
            agent=SimpleNamespace(record_id="id-1"), record_id="id-1", facts=self.view
        )
        self.live = self.in_front = True
        self.said: list[str] = []
        self.noted: list[tuple[str, str]] = []
        self.told: list[str] = []
        self.begun: list[Callable[[], Coroutine[Any, Any, None]]] = []
        self.later: list[Callable[[], object]] = []
        self.now = 100.0
        self.app: Any = None
        self.transcript: Any = SimpleNamespace(
            action_end=lambda: None, offer=lambda words: self.said.append(words)
        )
        self.prompt = FieldAlone()
        notices = SimpleNamespace(hush=lambda: None)
        self.dock: Any = SimpleNamespace(prompt=self.prompt, notices=notices)

    def clock(self) -> float:
        return self.now

    def say(self, text: str, seconds: float = 4.0) -> None:
        self.said.append(text)

    def note(self, text: str, level: str = "info") -> None:
        self.noted.append((text, level))

    def start(
        self,
        work: Callable[[], Coroutine[Any, Any, None]],
        name: str,
        *,
        group: str = "",
        exclusive: bool = False,
    ) -> None:
        self.begun.append(work)

    async def work(self) -> None:
        """Do what was begun."""
        while self.begun:
            await self.begun.pop(0)()

    def after(self, seconds: float, call: Callable[[], object]) -> asyncio.TimerHandle:
        self.later.append(call)
        return asyncio.get_running_loop().call_later(60.0, lambda: None)

    def edit(self, text: str, put: Callable[[str], None]) -> None:
        put(text)

    def changed(self) -> None:
        pass

    def take(self, event: object) -> None:
        pass

    def act(self, name: str, *arguments: Any) -> None:
        self.told.append(name)
