"""The SDK is imported without `mcp`, and still whole when that does not work."""

from __future__ import annotations

import subprocess
import sys

BOTH_WAYS = """
import sys
from ccq_tui.compat.sdk import light_import as sdk
light = sdk.import_sdk()
assert light is sdk.import_sdk()
print(sorted({name.partition(".")[0] for name in sys.modules} & {"mcp", "mcp_types", "jsonschema"}))
import ccq_tui.agent.claude.connection
for name in [name for name in sys.modules if name.partition(".")[0] == sdk.NAME]:
    del sys.modules[name]
class Strict(sdk._Placeholder):
    def __getattr__(self, name):
        raise ImportError(name)
sdk._Placeholder = Strict
whole = sdk.import_sdk()
print(whole is light, whole.ToolAnnotations.__mro__[1].__module__.partition(".")[0])
import mcp.types
print(mcp.types.Tool.model_fields["name"].annotation.__name__)
"""


def test_the_sdk_is_imported_without_what_it_does_not_need_and_whole_where_that_is_refused() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", BOTH_WAYS], capture_output=True, text=True, timeout=60, check=False
    )

    assert ran.stdout.splitlines() == ["[]", "False mcp_types", "str"], ran.stderr
