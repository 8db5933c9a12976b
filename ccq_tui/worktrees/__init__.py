"""Git worktrees for sessions: made for one, and removed with it if nothing in them would be lost."""
