"""The problems of a session, each with its cause, its remedy, and the action of a key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

TESTED_CLI = (2, 1, 330)
"""The version of Claude Code that every test ran with."""


def cli_version(words: str) -> tuple[int, ...] | None:
    """Return the version that a CLI names in its words, or None."""
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", words)
    return None if found is None else tuple(map(int, found.groups()))


def with_tested(version: str) -> str:
    """Return a CLI's version, and the tested one if it is newer than that."""
    newer = (cli_version(version) or TESTED_CLI) > TESTED_CLI
    return f"{version}, newer than the tested {'.'.join(map(str, TESTED_CLI))}" if newer else version


class Problem(StrEnum):
    """The problems of a session, as events name them."""

    CLI_MISSING = "cli_missing"
    CLI_UNUSABLE = "cli_unusable"
    CLI_SILENT = "cli_silent"
    CLI_KILLED = "cli_killed"
    CLI_ENDED = "cli_ended"
    CLI_UNREADABLE = "cli_unreadable"
    BYPASS_AS_ROOT = "bypass_as_root"
    DIRECTORY_MISSING = "directory_gone"
    NO_CONVERSATION = "no_conversation"
    NOT_SIGNED_IN = "not_signed_in"
    KEY_REFUSED = "key_refused"
    UNPAID = "unpaid"
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    SERVER = "server_error"
    NO_NETWORK = "no_network"
    MODEL_MISSING = "model_not_found"
    CONTEXT_FULL = "context_full"
    REQUEST_REFUSED = "request_refused"
    TURNS_SPENT = "turns_spent"
    BUDGET_SPENT = "budget_spent"
    MCP_FAILED = "mcp_failed"
    RUNS_ELSEWHERE = "runs_elsewhere"
    CUT_OFF = "cut_off"
    LOST = "session_lost"


class Remedy(StrEnum):
    """The actions of a key against a problem; the value is the label of the key."""

    RETRY = "send it again"
    CHANGE = "change the prompt"
    GO_ON = "continue"
    RECONNECT = "reconnect"
    SIGN_IN = "sign in"
    ANEW = "start a new conversation"
    COMPACT = "compact"
    MODEL = "choose another model"
    SERVERS = "look at the servers"
    ELSEWHERE = "fork it, or pause it there"


@dataclass(frozen=True, slots=True)
class Advice:
    """The explanation of a problem for a person.

    Attributes:
        cause: What happened, in a sentence.
        remedy: What to do, in a sentence.
        action: What a key does about it, or None.
    """

    cause: str
    remedy: str
    action: Remedy | None = Remedy.RECONNECT


_LATER = "Wait a moment, then send the prompt again."
_SIGN_IN = "Type /login, or set ANTHROPIC_API_KEY and restart; “ccq-tui doctor” checks it."

ADVICE: Mapping[str, Advice] = MappingProxyType(
    {
        Problem.CLI_MISSING: Advice(
            "Claude Code was not found.",
            "Give its path with --cli-path, or install it; “ccq-tui doctor” shows where ccq-tui looks.",
        ),
        Problem.CLI_UNUSABLE: Advice(
            "Claude Code did not start.",
            "Check the program given by --cli-path or cli_path; “ccq-tui doctor” examines it.",
        ),
        Problem.CLI_SILENT: Advice(
            "Claude Code started, but did not answer.",
            "Reconnect; if that does not help, run the program by hand to see what it waits for.",
        ),
        Problem.CLI_KILLED: Advice(
            "Claude Code was killed.",
            "Reconnect to continue the conversation; the machine may have run out of memory.",
        ),
        Problem.CLI_ENDED: Advice(
            "Claude Code ended unexpectedly.",
            "Reconnect to continue the conversation; “ccq-tui doctor” looks for a cause.",
        ),
        Problem.CLI_UNREADABLE: Advice(
            "Claude Code sent a message that is too large or cannot be read.",
            "Reconnect to continue the conversation, and ask for less at once.",
        ),
        Problem.BYPASS_AS_ROOT: Advice(
            "Claude Code does not bypass permissions as root.",
            "Start as another user or in another permission mode; in a sandbox set IS_SANDBOX=1.",
            None,
        ),
        Problem.DIRECTORY_MISSING: Advice(
            "The working directory does not exist.",
            "Create it again and reconnect, or restart elsewhere: --cwd DIR --resume ID.",
        ),
        Problem.NO_CONVERSATION: Advice(
            "This directory has no such conversation.",
            "Give the id of one from here, use --continue for the newest, or start a new one.",
            Remedy.ANEW,
        ),
        Problem.NOT_SIGNED_IN: Advice("Claude Code is not signed in.", _SIGN_IN, Remedy.SIGN_IN),
        Problem.KEY_REFUSED: Advice("The API key or sign-in was refused.", _SIGN_IN, Remedy.SIGN_IN),
        Problem.UNPAID: Advice(
            "The account's credit is used up.",
            "Add credit or sign in with another account, then send the prompt again.",
            Remedy.RETRY,
        ),
        Problem.RATE_LIMIT: Advice("The account's rate limit is reached.", _LATER, Remedy.RETRY),
        Problem.OVERLOADED: Advice("The API is overloaded.", _LATER, Remedy.RETRY),
        Problem.SERVER: Advice("The API failed.", _LATER, Remedy.RETRY),
        Problem.NO_NETWORK: Advice(
            "The API cannot be reached.",
            "Check the network, the proxy and ANTHROPIC_BASE_URL, then send the prompt again.",
            Remedy.RETRY,
        ),
        Problem.MODEL_MISSING: Advice(
            "This model does not exist, or the account may not use it.",
            "Choose another model with /model, then send the prompt again.",
            Remedy.MODEL,
        ),
        Problem.CONTEXT_FULL: Advice(
            "The conversation no longer fits into the model's context.",
            "Try /compact, go back with /rewind or start over with /clear; shorten a long prompt.",
            Remedy.COMPACT,
        ),
        Problem.REQUEST_REFUSED: Advice(
            "The API refused the request.",
            "Change the prompt and send it again; if the conversation itself is refused, /clear starts over.",
            Remedy.CHANGE,
        ),
        Problem.TURNS_SPENT: Advice(
            "Claude reached the turn limit of one prompt.",
            "Tell it to continue, or restart with a higher --max-turns.",
            Remedy.GO_ON,
        ),
        Problem.BUDGET_SPENT: Advice(
            "Claude stopped because the budget is spent.",
            "Start again with a higher one: ccq-tui --continue --max-budget-usd USD.",
            None,
        ),
        Problem.MCP_FAILED: Advice(
            "An MCP server did not start.",
            "Only its tools are missing; /mcp shows the servers and restarts them.",
            Remedy.SERVERS,
        ),
        Problem.RUNS_ELSEWHERE: Advice(
            "Another ccq-tui runs this session.",
            "Continue there, fork the session, or pause it there.",
            Remedy.ELSEWHERE,
        ),
        Problem.CUT_OFF: Advice(
            "Claude was cut off.", "Let Claude continue, or send another prompt.", Remedy.GO_ON
        ),
        Problem.LOST: Advice(
            "The session failed.",
            "Reconnect to continue the conversation; “ccq-tui doctor” looks for a cause.",
        ),
    }
)
"""The advice on each problem."""
