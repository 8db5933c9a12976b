"""Counts, times, sizes and ids as a person reads them."""

from collections.abc import Sequence

SHORT = 8
"""Characters shown of an id: a shorter one is easily typed in the wrong place."""


def plural(count: int, word: str) -> str:
    """Write a number with its noun: ``1 line``, ``1,200 lines``."""
    return f"{count:,} {word}{'' if count == 1 else 'es' if word.endswith('ch') else 's'}"


def waiting(count: int, noun: str) -> str:
    """Say how many things wait: ``1 request waits``, ``2 requests wait``."""
    return f"{plural(count, noun)} wait{'s' if count == 1 else ''}"


def listed(names: Sequence[str], most: int) -> str:
    """Name some of many, and count the others."""
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def counted(number: int) -> str:
    """Write a large number in few characters: 950, 1.2k, 34k, 1.2M."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number >= size * 0.9995:
            amount = number / size
            return f"{amount:.1f}{letter}" if amount < 9.95 else f"{amount:.0f}{letter}"
    return str(number)


def bytes_counted(count: int, *, exact: bool = False) -> str:
    """Write a number of bytes: ``70 bytes``, ``34 kB``, ``3.9 MB``; ``exact`` adds a digit: ``12.3 KB``."""
    if count < 1_000:
        return plural(count, "byte")
    if exact and count < 1_000_000:
        return f"{count / 1_000:.1f} KB"
    return f"{round(count / 1_000)} kB" if count < 999_500 else f"{count / 1_000_000:.1f} MB"


def in_one_unit(seconds: float, minutes: str = "m", apart: str = "") -> str:
    """Write a time in the largest unit that fits: 12s, 3m, 2h, 5d."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, minutes)):
        if seconds >= size:
            return f"{int(seconds // size)}{apart}{unit}"
    return f"{int(seconds)}{apart}s"


def on_clock(seconds: int) -> str:
    """Write a time in the words of a clock: 12s, 3m 05s, 2h 14m."""
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m {seconds % 60:02}s"
    return f"{seconds // 3600}h {seconds % 3600 // 60:02}m"


def duration(seconds: float) -> str:
    """Write a time in two units: ``0.4 s``, ``12 s``, ``3 min 5 s``, ``1 h 2 min``."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def spoken(seconds: float) -> str:
    """Write a time that a person has set: 90 s, 10 min, 2 h."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:g} s"
