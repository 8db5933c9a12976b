"""Claude Code's own sessions: the hook they ask through, and those that wait without one."""
