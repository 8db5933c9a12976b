"""The program in a terminal, killed in the middle of a session of six questions, and started again."""
