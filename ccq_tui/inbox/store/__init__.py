"""The database of requests, drafts, answers, sessions and their history.

Everything here waits for the disk: call it in a thread of its own, as `ccq_tui.inbox.inbox` does, or in a
program without an event loop.
"""
