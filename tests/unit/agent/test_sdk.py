"""The SDK is imported without `mcp`, and still whole when that does not work."""

from __future__ import annotations

import subprocess
import sys

import pytest

LIGHT = """
import sys
from ccq_tui.agent.sdk import import_sdk
sdk = import_sdk()
assert sdk is import_sdk()
print(sorted({name.partition(".")[0] for name in sys.modules} & {"mcp", "mcp_types", "jsonschema"}))
import ccq_tui.agent.claude.connection
import mcp.types
print(mcp.types.Tool.model_fields["name"].annotation.__name__)
"""

REFUSED = """
import sys
from ccq_tui.agent import sdk
class Strict(sdk._Placeholder):
    def __getattr__(self, name):
        raise ImportError(name)
sdk._Placeholder = Strict
print(sdk.import_sdk().ToolAnnotations.__mro__[1].__module__.partition(".")[0])
"""


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        pytest.param(LIGHT, ["[]", "str"], id="light, and mcp is the real one for others"),
        pytest.param(REFUSED, ["mcp_types"], id="a version that cannot do without gets the real one"),
    ],
)
def test_the_sdk_is_imported_without_what_it_does_not_need(program: str, printed: list[str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )

    assert ran.stdout.split("\n")[:-1] == printed, ran.stderr
