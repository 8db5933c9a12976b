"""Git worktrees for sessions: made for one, and removed with it where nothing in them would be lost."""
