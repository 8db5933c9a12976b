"""Claude Code's own sessions: the hook that they ask through, and sessions that wait without one."""
