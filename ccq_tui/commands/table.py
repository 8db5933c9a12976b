"""The commands of a session, and which of them need the screen."""

from ccq_tui.commands.command import Command

AT_SCREEN = "start ccq-tui without --plain, at a terminal"
LISTED = "use ccq-tui sessions"

COMMANDS = (
    Command("model", "[name]", "Choose the model", "models.model"),
    Command("mode", "[name]", "Choose the permission mode", "models.mode"),
    Command("effort", "[level]", "Choose how hard the model thinks", "models.effort"),
    Command("thinking", "", "Turn extended thinking off or on", "models.thinking"),
    Command("plan", "[prompt]", "Plan first: look and change nothing", "plan"),
    Command("status", "", "Show version, account, model and settings", "workspace.status"),
    Command("diff", "", "Show uncommitted changes", "workspace.diff"),
    Command(
        "copy",
        "[N]",
        "Copy Claude's last answer, or the Nth from the end",
        "workspace.copy",
        "use ccq-tui export ID",
    ),
    Command("add-dir", "PATH", "Let Claude work in another directory too", "workspace.add_directory"),
    Command("cost", "", "Show cost, tokens and time of this session", "models.cost"),
    Command("theme", "[name]", "Choose the colours", "themes.choose", AT_SCREEN),
    Command("vim", "", "Turn Vim's keys in the prompt on or off", "prompts.vim", AT_SCREEN),
    Command("rename", "TITLE", "Give this session a title", "workspace.rename"),
    Command("resume", "[id]", "Resume an earlier session", "resume", "use ccq-tui resume ID --plain"),
    Command("new", "", "Open another session beside this one", "act:new", AT_SCREEN),
    Command("sessions", "", "Show everything that waits, runs or was", "act:overview", LISTED),
    Command("overview", "", "The same as /sessions", "act:overview", LISTED),
    Command("park", "", "Stop Claude's process; its questions keep waiting", "session.agent.park"),
    Command("close", "", "End and remove this session", "close_session", AT_SCREEN),
    Command("mcp", "", "See MCP servers, reconnect them, turn them on and off", "listings.servers"),
    Command("permissions", "", "See permission rules, and edit the file of one", "listings.permissions"),
    Command("memory", "", "Edit CLAUDE.md and other memory", "listings.memory"),
    Command("btw", "QUESTION", "Ask Claude a side question, outside the conversation", "listings.ask_beside"),
    Command("tasks", "", "See background tasks, and stop them", "listings.stop_tasks"),
    Command("background", "", "Send the running work to the background", "listings.background"),
    Command("rewind", "", "Rewind files and conversation to an earlier prompt", "rewind.rewind"),
    Command("login", "", "Sign in to Claude in this terminal", "account.begin:login", AT_SCREEN),
    Command("logout", "", "Sign out of Claude", "account.begin:logout", AT_SCREEN),
    Command("exit", "", "End all sessions and quit", "quit"),
    Command("quit", "", "End all sessions and quit", "quit"),
)
"""The commands of every surface, in the order of its lists; each surface adds its own."""
