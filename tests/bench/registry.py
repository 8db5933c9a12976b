"""Every family of measures, in the order in which they are taken and printed."""

from __future__ import annotations

from tests.bench import arriving, inbox, lasting, stalling, starting, streaming, talking, wrapping, writing
from tests.bench.measures import Family

FAMILIES: tuple[Family, ...] = (
    starting.FAMILY,
    talking.FAMILY,
    stalling.FAMILY,
    arriving.FAMILY,
    streaming.FAMILY,
    lasting.TURNS,
    lasting.BLOCKS,
    inbox.FAMILY,
    wrapping.FAMILY,
    writing.FAMILY,
)
