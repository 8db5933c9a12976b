"""/mcp: the MCP servers of a session."""

from __future__ import annotations

from ccq_tui.agent import controls
from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.controls import McpServer
from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.commands import CommandGroup

STATES = {
    "connected": "✔ connected",
    "pending": "◌ connecting",
    "failed": "✖ failed",
    "needs-auth": "◆ needs you to sign in",
    "disabled": "○ off",
}
NONE = "No MCP servers here · `claude mcp add` adds one; --mcp-config names a file"


class McpCommand(CommandGroup):
    """Shows the MCP servers and changes them; each change leads back to the list, with its result."""

    async def servers(self) -> None:
        """Show the servers, and change the chosen one."""
        said = ""
        while servers := await self._runner.ask(controls.servers()):
            rows = [
                PickRow(one.name, one.name, _about(one), STATES.get(one.status, one.status))
                for one in servers
            ]
            name = await self._runner.pick("MCP servers", rows, about=said, choose="change")
            server = next((one for one in servers if one.name == name), None)
            if server is None:
                return
            said = await self._change(server) or said
        self._runner.tell(NONE)

    async def _change(self, server: McpServer) -> str:
        """Let the person change a server; return what came of it."""
        on = server.status != "disabled"
        rows = [PickRow("reconnect", "Reconnect", "stop the server and start it again")] if on else []
        rows.append(PickRow("off", "Turn off", "removes its tools") if on else PickRow("on", "Turn on"))
        choice = await self._runner.pick(server.name, rows, about=_about(server))
        try:
            match choice:
                case "reconnect":
                    await self._runner.ask(controls.reconnect(server.name))
                    return f"{server.name} was reconnected"
                case "on" | "off":
                    await self._runner.ask(controls.toggle(server.name, enabled=choice == "on"))
                    return f"{server.name} was turned {choice}"
                case _:
                    return ""
        except CommandError as error:
            return f"{server.name}: {error}"


def _about(server: McpServer) -> str:
    tools = f"{server.tools} tool{'' if server.tools == 1 else 's'}" if server.tools else ""
    return " · ".join(part for part in (tools, server.scope, server.error) if part)
