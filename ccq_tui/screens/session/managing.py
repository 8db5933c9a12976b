"""The part of the screen where MCP servers and background tasks are looked after."""

from __future__ import annotations

from ccq_tui.agent import controls
from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.controls import McpServer
from ccq_tui.agent.events import SessionLost, TaskEnded, TaskStarted
from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.commanding import Commanding
from ccq_tui.screens.session.commands import Called
from ccq_tui.supervisor.events import SessionEvent

STATES = {
    "connected": "✔ connected",
    "pending": "◌ connecting",
    "failed": "✖ failed",
    "needs-auth": "◆ needs you to sign in",
    "disabled": "○ off",
}


class Managing(Commanding):
    """Does /mcp and /tasks; each change leads back to the list, which shows what came of it."""

    _tasks: tuple[TaskStarted, ...] = ()

    def handle(self, event: SessionEvent) -> None:
        """Remember what runs."""
        super().handle(event)
        match event:
            case TaskStarted():
                self._tasks = (*self._tasks, event)
            case TaskEnded(task_id=task_id):
                self._tasks = tuple(task for task in self._tasks if task.task_id != task_id)
            case SessionLost():
                self._tasks = ()
            case _:
                pass

    def command(self, command: Called) -> None:
        """Show a list, and do what is chosen in it."""
        match command.name:
            case "mcp":
                self.work(self._servers, "mcp")
            case "tasks":
                self.work(self._stop_tasks, "tasks")
            case _:
                super().command(command)

    # -- MCP servers -------------------------------------------------------------------------------------

    async def _servers(self) -> None:
        said = ""
        while servers := await self.ask(controls.servers()):
            rows = [
                PickRow(one.name, one.name, _about(one), STATES.get(one.status, one.status))
                for one in servers
            ]
            name = await self.pick("MCP servers", rows, about=said, choose="change")
            server = next((one for one in servers if one.name == name), None)
            if server is None:
                return
            said = await self._change(server) or said
        self.tell("There are no MCP servers here. `claude mcp add` adds one; --mcp-config names a file.")

    async def _change(self, server: McpServer) -> str:
        """Let the person change a server; return what came of it."""
        on = server.status != "disabled"
        rows = [PickRow("reconnect", "Reconnect", "end the server and start it again")] if on else []
        rows.append(PickRow("off", "Turn off", "its tools are gone") if on else PickRow("on", "Turn on"))
        choice = await self.pick(server.name, rows, about=_about(server))
        try:
            match choice:
                case "reconnect":
                    await self.ask(controls.reconnect(server.name))
                    return f"{server.name} was reconnected"
                case "on" | "off":
                    await self.ask(controls.toggle(server.name, enabled=choice == "on"))
                    return f"{server.name} was turned {choice}"
                case _:
                    return ""
        except CommandError as error:
            return f"{server.name}: {error}"

    # -- tasks -------------------------------------------------------------------------------------------

    async def _stop_tasks(self) -> None:
        while tasks := self._tasks:
            rows = [
                PickRow(
                    task.task_id, task.description or task.task_id, "subagent" if task.agent else "command"
                )
                for task in tasks
            ]
            task_id = await self.pick("Tasks that run", rows, choose="stop")
            if task_id is None:
                return
            what = next(row.label for row in rows if row.value == task_id)
            sure = [PickRow("no", "Let it go on"), PickRow("yes", "Stop it", "what it did so far stays")]
            if await self.pick(f"Stop: {what}", sure) != "yes":
                continue
            await self.ask(controls.stop_task(task_id))
            # The CLI reports the end a moment later; the list must not offer it again.
            self._tasks = tuple(task for task in self._tasks if task.task_id != task_id)
            self.tell(f"Stopped: {what}")
        self.dock.notices.say("No tasks run")


def _about(server: McpServer) -> str:
    tools = f"{server.tools} tool{'' if server.tools == 1 else 's'}" if server.tools else ""
    return " · ".join(part for part in (tools, server.scope, server.error) if part)
