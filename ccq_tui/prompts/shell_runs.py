"""Commands that a person runs in the shell from the prompt, and the message to Claude about them."""

import re
from dataclasses import dataclass

SIGN = "!"
"""The beginning of a prompt that is a command for the shell."""
CAVEAT = (
    "The command below was run directly in Claude Code, not sent to you as a request, and its output goes "
    "straight to the user. It's recorded here as context for later messages."
)
"""The text that the CLI adds for the model to a command that needs no answer (2.1.330)."""
_RUN = re.compile(
    r"\A(?:<local-command-caveat>[^<]*</local-command-caveat>\s*)?"
    r"<bash-input>(?P<command>.*?)</bash-input>\s*"
    r"(?:<bash-stdout>(?P<stdout>.*?)</bash-stdout>)?"
    r"(?:<bash-stderr>(?P<stderr>.*?)</bash-stderr>)?"
    r"(?:<bash-exit-code>(?P<code>-?\d+)</bash-exit-code>)?\s*\Z",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class ShellRun:
    """A command that was run, and its result.

    Attributes:
        command: The command.
        stdout: Its standard output.
        stderr: Its standard error.
        code: Its exit code, or the negative number of the signal that ended it.
    """

    command: str
    stdout: str = ""
    stderr: str = ""
    code: int = 0

    @property
    def output(self) -> str:
        """Its standard output, then its standard error."""
        return "\n".join(part for part in (self.stdout.rstrip(), self.stderr.rstrip()) if part)


def command_in(prompt: str) -> str | None:
    """Return the command that a prompt is, "" if it is not typed yet; None for any other prompt."""
    return prompt[len(SIGN) :].strip() if prompt.startswith(SIGN) else None


def message_of(run: ShellRun, *, answer: bool = True) -> str:
    """Return the message to Claude about a command, in the form of Claude Code's own screen."""
    caveat = "" if answer else f"<local-command-caveat>{CAVEAT}</local-command-caveat>\n"
    code = f"<bash-exit-code>{run.code}</bash-exit-code>" if run.code else ""
    return (
        f"{caveat}<bash-input>{_inside(run.command)}</bash-input>\n"
        f"<bash-stdout>{_inside(run.stdout)}</bash-stdout>"
        f"<bash-stderr>{_inside(run.stderr)}</bash-stderr>{code}"
    )


def run_in(message: str) -> ShellRun | None:
    """Return the command that a message reports, also one of Claude Code's own, or None."""
    if "<bash-input>" not in message:
        return None
    found = _RUN.match(message)
    if found is None:
        return None
    return ShellRun(
        _outside(found["command"]),
        _outside(found["stdout"] or ""),
        _outside(found["stderr"] or ""),
        int(found["code"] or 0),
    )


def _inside(text: str) -> str:
    """Keep a text from closing the tags around it."""
    return re.sub(r"<(?=/?bash-)", r"<\\", text)


def _outside(text: str) -> str:
    return text.replace(r"<\bash-", "<bash-").replace(r"<\/bash-", "</bash-")
