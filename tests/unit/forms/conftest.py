"""Fixtures of these tests."""

from tests.unit.worktrees.repositories import _first_repo, _repo

__all__ = ["_first_repo", "_repo"]
