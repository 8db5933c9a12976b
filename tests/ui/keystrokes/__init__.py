"""Random keys with random pauses around all that asks: ``python -m tests.ui.keystrokes [COUNT] [SEED]``.

No outcome comes without a confirming key, pressed while its row was drawn and nobody was typing, and every
printable key is somewhere afterwards: in the prompt, in a field, in a decided text, a command outside the
grace, or the one that a fresh panel passed over. What may be is told from the times of the keys and from
what was drawn, not by the program's own guard.
"""
