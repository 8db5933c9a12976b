"""Tables of cases that are data, in files beside their tests."""

import json
from pathlib import Path
from typing import Any


def table(beside: str, name: str) -> Any:
    """Read the table with a name beside a test's file."""
    return json.loads(Path(beside).with_name(name).read_text(encoding="utf-8"))
