"""Two programs on one inbox, killed at random.

``python -m tests.agent.killed.rivals [KILLS [SEED]] [--jobs N]``. Each play has a session, a fork of it that
begins while a question waits, two question sets in one message, a permission, a rewind, and prompts that wait
for Claude. Both programs start sessions at the same moment, answer each other's requests, and are killed:
alone, with a CLI, or both.
"""
