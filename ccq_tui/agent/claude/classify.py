"""Maps the CLI's errors to the program's own problems."""

import re

from ccq_tui.agent.problems import Problem

_KINDS = {
    "billing_error": Problem.UNPAID,
    "rate_limit": Problem.RATE_LIMIT,
    "overloaded": Problem.OVERLOADED,
    "model_not_found": Problem.MODEL_MISSING,
}
ENDS = {
    "max_turns": Problem.TURNS_SPENT,
    "error_max_turns": Problem.TURNS_SPENT,
    "budget_exhausted": Problem.BUDGET_SPENT,
    "error_max_budget_usd": Problem.BUDGET_SPENT,
}
"""The problems that end a turn without an error report, by the CLI's words."""
_NETWORK = re.compile(
    r"ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EPIPE"
    r"|can't reach the api|unable to connect|connection (error|refused|reset|timed out)|certificate",
    re.IGNORECASE,
)
_OVERLOADED = re.compile(r"\b529\b|overloaded", re.IGNORECASE)
_REFUSED = re.compile(r"API Error: 4\d\d\b")
_SIGN_IN = re.compile(r"not logged in|/login|token has expired", re.IGNORECASE)
_TOO_LONG = re.compile(r"(prompt|input) is too long|request too large|context (window|limit)", re.IGNORECASE)
NO_CONVERSATION = re.compile(
    r"no conversation found|not a uuid|requires a valid session id|no deferred", re.IGNORECASE
)
"""What the CLI says where there is nothing to resume."""
_PREFIX = re.compile(r"^(Failed to authenticate\. )?API Error:\s*", re.IGNORECASE)
_ADVICE_OF_THE_CLI = re.compile(
    r"\s*(· (Please run /login|Fix external API key)|This is a server-side issue.*"
    r"|It may not exist or you may not have access to it\.)\s*$",
    re.DOTALL,
)


def api_problem(kind: str, text: str) -> str:
    """Return the problem behind an API error, or the CLI's own word for one that has no entry here."""
    if kind == "authentication_failed":
        return Problem.NOT_SIGNED_IN if _SIGN_IN.search(text) else Problem.KEY_REFUSED
    if kind in _KINDS:
        return _KINDS[kind]
    if _NETWORK.search(text):
        return Problem.NO_NETWORK
    if _TOO_LONG.search(text):
        return Problem.CONTEXT_FULL
    if kind == "invalid_request" or _REFUSED.search(text):
        return Problem.REQUEST_REFUSED
    if _OVERLOADED.search(text):
        return Problem.OVERLOADED
    return Problem.SERVER if kind in ("server_error", "unknown") else kind


def detail(text: str) -> str:
    """Return the CLI's text without the parts that the program words better itself."""
    return _ADVICE_OF_THE_CLI.sub("", _PREFIX.sub("", text.strip())).strip()
