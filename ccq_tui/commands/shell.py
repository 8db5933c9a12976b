"""Commands that a person runs in the shell from the prompt."""

import asyncio
from functools import partial
from uuid import uuid4

from ccq_tui.agent.events import ToolGrew, ToolStarted
from ccq_tui.agent.shell_process import ShellProcess, answers_shell
from ccq_tui.claude_lines import bounded
from ccq_tui.commands.command import CommandUi
from ccq_tui.config.keymap import with_keys
from ccq_tui.prompts.shell_runs import ShellRun, command_in, message_of
from ccq_tui.transcript.tool_calls import finished
from ccq_tui.transcript.tools import SHELL

MOST_SENT = 30_000
"""Most characters of each stream passed to Claude, as many as of a command that it runs itself."""
NOTHING = "Type a command after the ! · Enter runs it in your shell"
ONE_RUNS = "A command is still running · {interrupt} stops it, then Enter runs this one"
STOPPING = "Stopping the command · {interrupt} again kills it"


class ShellCommands:
    """Runs one command at a time, shows what it writes, and reports the result to Claude."""

    def __init__(self, ui: CommandUi) -> None:
        self._ui = ui
        self._process: ShellProcess | None = None

    @property
    def runs(self) -> bool:
        """Whether a command runs."""
        return self._process is not None

    def holds_back(self, text: str) -> bool:
        """Whether a command cannot be run now; says why."""
        command = command_in(text)
        if command is None:
            return False
        words = ONE_RUNS if self.runs else "" if command else NOTHING
        if words:
            self._ui.say(with_keys(words))
        return bool(words)

    def do(self, command: str) -> None:
        """Run a command; no other one may be running."""
        name = f"{SHELL} {uuid4()}"
        process = ShellProcess(command, self._ui.launch, partial(self._grown, name))
        self._process = process
        self._ui.transcript.apply(ToolStarted(name, SHELL, {"command": command}))
        self._ui.start(partial(self._run, name, process), "shell")
        self._ui.say(with_keys("Running in your shell · {interrupt} stops it"), of=SHELL)

    def stop(self) -> None:
        """Stop the command that runs."""
        if self._process is not None:
            self._process.stop()
            self._ui.say(with_keys(STOPPING), of=SHELL)

    def close(self) -> None:
        """End the command that runs, with the session."""
        if self._process is not None:
            self._process.kill()

    def _grown(self, name: str, output: str) -> None:
        if self._ui.live:
            self._ui.transcript.apply(ToolGrew(name, output))

    async def _run(self, name: str, process: ShellProcess) -> None:
        run = await process.run()
        self._process = None
        self._ui.say("", of=SHELL)
        self._ui.transcript.apply(finished(name, run))
        answer = not process.stopped and await asyncio.to_thread(answers_shell, self._ui.launch)
        sent = ShellRun(run.command, bounded(run.stdout, MOST_SENT), bounded(run.stderr, MOST_SENT), run.code)
        self._ui.session.send(message_of(sent, answer=answer), answer=answer)
