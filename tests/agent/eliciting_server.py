"""An MCP server whose tool asks for input, and writes down what it was told: ``python FILE SCHEMAS LOG``.

Its tool `ask` takes the name of a schema, or the link to open. `later` asks as servers of the protocol of
2026-07-28 do: it gives the question back as its result, and is called again with the answer.
"""

import json
import sys
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer

SCHEMAS: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
LOG = Path(sys.argv[2])
app = MCPServer("forms")


def _log(result: types.ElicitResult) -> str:
    text = json.dumps({"action": result.action, "content": result.content or None})
    with LOG.open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")
    return text


@app.tool()
async def ask(ctx: Context[Any, Any], schema: str, link: str = "") -> str:
    """Ask for input."""
    if link:
        return _log(await ctx.session.elicit_url("Sign in, please", link, "e1", ctx.request_id))
    return _log(await ctx.session.elicit_form(f"About {schema}", SCHEMAS[schema], ctx.request_id))


@app.tool()
async def later(ctx: Context[Any, Any], schema: str) -> types.CallToolResult | types.InputRequiredResult:
    """Ask for input, as servers without a way back to their client do."""
    if given := (ctx.input_responses or {}).get("it"):
        text = _log(types.ElicitResult.model_validate(given.model_dump()))
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])
    params = types.ElicitRequestFormParams(message=f"About {schema}", requested_schema=SCHEMAS[schema])
    asked = {"it": types.ElicitRequest(params=params)}
    return types.InputRequiredResult(input_requests=asked, request_state="asked")


if __name__ == "__main__":
    app.run("stdio")
