"""The command that lets any agent ask over MCP, and prints its entry for each client."""

import json
import os
import shlex
import sys
from typing import Any

import click
from click.core import ParameterSource

from ccq_tui.bridges.mcp.entries import SERVER, SETUPS, entry_edit, file_of, http_entry, lines_of, stdio_entry
from ccq_tui.bridges.mcp.token import PATH, TokenError, read_token, token_file, url_of
from ccq_tui.cli.edits import changed, yes_flag
from ccq_tui.cli.exits import Refused, refusing, saying, serve
from ccq_tui.cli.options import AnyCallable, port_flag
from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.output import echo, has_output
from ccq_tui.text import one_line

PORT = 8722
_CLIENTS = tuple(SETUPS)
_port = port_flag(PORT)


@click.group(invoke_without_command=True)
@click.option("--http", "over_http", is_flag=True, help="Serve clients of this machine over HTTP, at --port.")
@_port
@click.pass_context
def mcp(context: click.Context, /, over_http: bool, port: int) -> None:
    """Let any agent that speaks MCP ask you questions.

    A client starts this itself: "ccq-tui mcp install CLIENT" adds it to its configuration. It
    serves one client over standard input and output, or with --http all that send the token.
    """
    port_given = context.get_parameter_source("port") is not ParameterSource.DEFAULT
    if context.invoked_subcommand is not None:
        if over_http or port_given:
            raise Refused("put --http and --port behind config: ccq-tui mcp config CLIENT --http --port N.")
    elif over_http:
        _over_http(port)
    elif port_given:
        raise Refused("--port is for a server over HTTP: add --http.")
    else:
        _over_stdio()


def _for_client(function: AnyCallable) -> AnyCallable:
    """Give a command the client and the way to its server."""
    over = click.option("--http", "over_http", is_flag=True, help="For a server that runs already.")
    return click.argument("client", type=click.Choice(_CLIENTS))(over(_port(function)))


@mcp.command()
@_for_client
def config(client: str, over_http: bool, port: int) -> None:
    """Print the entry of this server for a client's configuration."""
    entry, setup = _entry(client, over_http=over_http, port=port), SETUPS[client]
    one = f" (all projects) or {setup.project} (one project)" if setup.project else ""
    if client == "claude":
        command = shlex.join(["claude", "mcp", "add-json", "--scope", "user", SERVER, json.dumps(entry)])
        one += f", or run {command}; lines for the file"
    echo(f"Add to {one_line(str(file_of(client).path), 300)}{one}:", err=True)
    echo(lines_of(client, entry))


@mcp.command()
@_for_client
@yes_flag
def install(client: str, over_http: bool, port: int, yes: bool) -> None:
    """Add this server to a client's configuration, or update it.

    The change is shown first. The rest of the file stays, and a copy of the file is kept beside it.
    """
    edit = entry_edit(client, _entry(client, over_http=over_http, port=port))
    if changed([edit], yes=yes, same="The server is installed already"):
        echo(f"Installed in {one_line(str(edit.file.path), 300)}. Restart {client} to use it.")


@mcp.command()
@click.argument("client", type=click.Choice(_CLIENTS))
@yes_flag
def uninstall(client: str, yes: bool) -> None:
    """Take this server out of a client's configuration. The rest of the file stays."""
    edit = entry_edit(client, None)
    if changed([edit], yes=yes, same="The server is not installed"):
        echo(f"Taken out of {one_line(str(edit.file.path), 300)}.")


def _entry(client: str, *, over_http: bool, port: int) -> dict[str, Any]:
    from ccq_tui.processes import own_command

    if not over_http:
        return stdio_entry(client, own_command())

    if not port:
        raise Refused("name the port on which the server listens, which it prints: --port N.")
    return http_entry(client, url_of(port), _token())


def _over_stdio() -> None:
    if sys.stdin is None or not has_output():
        raise Refused("standard input and output are closed: an MCP client starts it with both.")
    if sys.stdin.isatty():
        echo("This serves the MCP client that starts it, on standard input; Ctrl+C ends it.", err=True)
        echo("To have a client start it: ccq-tui mcp install CLIENT", err=True)
    from ccq_tui.bridges.mcp.stdio import serve_stdio

    try:
        directory = os.getcwd()  # noqa: PTH109 - as text
    except OSError:
        directory = ""
    serve(serve_stdio(inbox_path(), directory), InboxError)


def _over_http(port: int) -> None:
    from ccq_tui.bridges.mcp.http import serve_http
    from ccq_tui.web.serving import ServeError

    started = saying("MCP", "Requests need the token: ccq-tui mcp config CLIENT --http prints it.", PATH)
    serve(serve_http(port, _token(), inbox_path(), started), ServeError, InboxError)


def _token() -> str:
    with refusing(TokenError):
        return read_token(token_file())
