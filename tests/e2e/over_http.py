"""The client of the mcp package over HTTP; as a program, it asks one question and waits."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

CODEX = types.Implementation(name="codex-mcp-client", version="1")


@asynccontextmanager
async def over_http(
    url: str, headers: Mapping[str, str], mode: str = "legacy", **options: Any
) -> AsyncIterator[Client]:
    """Connect the client."""
    async with create_mcp_http_client(headers=dict(headers)) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, client_info=CODEX, **options) as client:
            yield client


async def ask(url: str, headers: Mapping[str, str], mode: str, question: Mapping[str, Any]) -> None:
    """Ask a question."""
    async with over_http(url, headers, mode) as client:
        await client.call_tool("ask_user", {"questions": [question]})


if __name__ == "__main__":
    asyncio.run(ask(*json.loads(sys.argv[1])))
