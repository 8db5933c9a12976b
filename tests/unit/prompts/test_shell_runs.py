"""Commands for the shell: what is one, and how Claude is told of it."""

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.prompts.shell_runs import CAVEAT, ShellRun, command_in, message_of, run_in
from tests.tables import each_row, table

TABLES = table(__file__, "shell_runs.json")

TEXTS = st.text(st.sampled_from("ab \n</>bash-input!stdoucrexi&"), max_size=60)


@each_row(*TABLES["commands"])
def test_a_prompt_that_begins_with_the_sign_is_a_command(prompt: str, command: str | None) -> None:
    assert command_in(prompt) == command


def test_claude_is_told_in_the_form_of_claude_code() -> None:
    run = ShellRun("make", "built\n", "slow\n", 2)
    text = (
        "<bash-input>make</bash-input>\n<bash-stdout>built\n</bash-stdout>"
        "<bash-stderr>slow\n</bash-stderr><bash-exit-code>2</bash-exit-code>"
    )
    assert message_of(run) == text
    assert message_of(run, answer=False) == f"<local-command-caveat>{CAVEAT}</local-command-caveat>\n{text}"


@given(command=TEXTS, stdout=TEXTS, stderr=TEXTS, code=st.integers(-15, 255), answer=st.booleans())
def test_no_output_can_be_taken_for_something_else(
    command: str, stdout: str, stderr: str, code: int, answer: bool
) -> None:
    run = ShellRun(command, stdout, stderr, code)
    assert run_in(message_of(run, answer=answer)) == run


@each_row(*TABLES["others"])
def test_a_prompt_about_such_messages_is_none(message: str) -> None:
    assert run_in(message) is None


def test_a_command_that_claude_code_recorded_alone_is_known() -> None:
    assert run_in("<bash-input>ls</bash-input>") == ShellRun("ls")
