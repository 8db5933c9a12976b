"""What a terminal answers to the questions that programs wait for at their start."""

import re

_ANSWERS = {
    rb"\x1b\[c": b"\x1b[?62;22c",  # primary device attributes
    rb"\x1b\[>0?c": b"\x1b[>41;354;0c",  # secondary device attributes
    rb"\x1b\[>0?q": b"\x1bP>|bench(1)\x1b\\",  # name and version
    rb"\x1b\[5n": b"\x1b[0n",  # status
    rb"\x1b\[6n": b"\x1b[1;1R",  # place of the cursor
    rb"\x1b\[\?u": b"\x1b[?0u",  # kitty's keyboard protocol
    rb"\x1b\[\?2026\$p": b"\x1b[?2026;2$y",  # synchronised output
    rb"\x1b\[14t": b"\x1b[4;800;1200t",  # size in pixels
    rb"\x1b\]10;\?(?:\x07|\x1b\\)": b"\x1b]10;rgb:dddd/dddd/dddd\x1b\\",  # colour of letters
    rb"\x1b\]11;\?(?:\x07|\x1b\\)": b"\x1b]11;rgb:1111/1111/1111\x1b\\",  # colour of the background
}
_ANY = re.compile(b"|".join(b"(%s)" % query for query in _ANSWERS))
_REPLIES = tuple(_ANSWERS.values())


def answers(data: bytes) -> bytes:
    """Answer the questions in what a program has written, in their order.

    Args:
        data: The output. Programs ask in one write, so that a question is never cut in two.

    Returns:
        What the terminal sends back, or nothing.
    """
    return b"".join(_REPLIES[(found.lastindex or 1) - 1] for found in _ANY.finditer(data))
