"""``ccq-tui phone`` in a real terminal: the QR code is the link's, a device pairs by it and answers."""

import signal
import subprocess
from pathlib import Path

import pytest

from ccq_tui.questions import Option, Question
from ccq_tui.remote.phone.card import qr_lines
from ccq_tui.testing import CleanHome, Scenario
from ccq_tui.testing.environment import clean_environment
from tests.e2e.conftest import Start, program
from tests.e2e.terminal import Terminal
from tests.processes import about, with_variable
from tests.results import answered
from tests.steps import step
from tests.unit.remote.phone.device import Device, code_in, fingerprint_in, link_in
from tests.unit.remote.phone.threads import free_port, relay_elsewhere

QUESTION = Question("Which library?", "Library", (Option("date-fns", "a"), Option("Day.js", "b")))


def phone(home: CleanHome, *words: str, size: tuple[int, int] = (80, 24), **variables: str) -> Terminal:
    """Run ``ccq-tui phone`` on loopback."""
    command = [program(), "phone", "--host", "127.0.0.1", "--port", str(free_port()), *words]
    return Terminal(command, home.env | variables, home.project, size)


@pytest.fixture
def clean(tmp_path: Path) -> CleanHome:
    """A home without a session."""
    return clean_environment("http://127.0.0.1:9", root=tmp_path)


PAIRED = "is paired. Enter shows a code for another device."


def paired(terminal: Terminal, name: str, link: str = "", words: str = PAIRED) -> Device:
    """Pair a device by a link, or the newest one, trusting the fingerprint alone."""
    link = link or link_in(terminal.written)
    device = Device(link, fingerprint_in(terminal.text))
    device.open_link(link, name)
    terminal.wait(f"{name} {words}")
    return device


def test_a_phone_pairs_and_answers(start: Start) -> None:
    run = start(Scenario("phone").asks(QUESTION).says("Thanks."))
    run.terminal.wait_panel("Which library?")
    with phone(run.home, CCQ_PERMISSION_MODE="default") as terminal:
        with step("the QR code is that of the link, whole at 80x24, beside the code"):
            terminal.wait("Ctrl+C  end")
            link, code = link_in(terminal.written), code_in(terminal.text)
            drawn = qr_lines(link, 23)
            first = next(number for number, line in enumerate(terminal.lines) if line.startswith("█████"))
            beside = terminal.lines[first : first + len(drawn)]
            assert [f"{line:80}"[: len(drawn[0])] for line in beside] == drawn
        with paired(terminal, "Anna’s phone") as device:
            with step("the used code goes from the screen, and what was said stays"):
                assert code_in(terminal.text) == ""
                assert "█" not in terminal.text
                assert link not in "".join(terminal.lines)
                assert "Starting the relay of this machine." in terminal.text
            with step("the device gets what waits"):
                terminal.wait(lambda _: device.requests())
                (record,) = device.requests()
                assert record["body"]["request"]["questions"][0]["text"] == "Which library?"
            with step("no secret is in a list of processes, an environment, a log or the store"):
                state = run.home.home / ".local" / "state" / "ccq-tui"
                key = link.partition("&k=")[2]
                texts = [about(pid, name) for pid in run.processes() for name in ("cmdline", "environ")]
                files = [*(state / "log").iterdir(), *(state / "relay").glob("relay.db*")]
                texts += [file.read_text(errors="replace") for file in files]
                assert len(texts) > 4
                for secret in (key, code, link.partition("&s=")[2][:22], "Which library?", "Anna’s"):
                    assert [text for text in texts if secret in text] == [], secret
            with step("its answer resumes the parked session without a screen, and is a line here"):
                run.terminal.press("ctrl+q")
                assert run.terminal.wait_end() == 0
                terminal.wait(lambda _: device.statement_now(record).get("end") == "parked")
                device.answer(record, {"answers": [{"selected": [2]}]})
                assert run.result("toolu_phone_1") == answered('"Which library?"="Day.js"')
                terminal.wait("Answered on Anna’s phone: ")
        with step("Enter shows another code, which works, and the first no longer"):
            terminal.press("enter")
            terminal.wait(lambda one: code_in(one.text) not in ("", code) and "Ctrl+C  end" in one.text)
            with Device(link, fingerprint_in(terminal.text)) as other:
                other.type_code(code_in(terminal.text), "Tablet")
                terminal.wait("Tablet is paired")
            assert "Tablet" in run.ccq("devices")
        terminal.press("ctrl+c")
        assert terminal.wait_end(20) == 0
        terminal.wait("Ended. Paired devices stay paired.")
        assert terminal.restored
    assert run.processes() == []


def test_plain_beside_a_kept_one_in_a_small_window_without_utf_8(clean: CleanHome) -> None:
    words = ("--plain", "--port", str(free_port()))
    with phone(clean, *words, "--keep") as kept:
        kept.wait("Published to http://127.0.0.1:")
        with phone(clean, *words, size=(40, 12), PYTHONIOENCODING="ascii") as second:
            second.wait("Ctrl+C  end")
            assert second.text.isascii()
            assert code_in(second.text)
            assert "The relay of this machine runs already" in second.written
            assert "Not encrypted: anyone in" in second.written
            assert "&k=" not in link_in(second.written)
            second.hang_up()
            assert second.wait_end(10) == 0
        with paired(kept, "Watch", link_in(second.written), "is paired, and shows what waits."):
            pass
        kept.process.send_signal(signal.SIGTERM)
        assert kept.wait_end(10) == 0
    assert with_variable(str(clean.home)) == []


def test_it_publishes_to_a_relay_elsewhere(clean: CleanHome, tmp_path: Path) -> None:
    with relay_elsewhere(tmp_path / "server") as (url, code):
        subprocess.run([program(), "pair", url, code], env=clean.env, check=True, capture_output=True)
        with Terminal([program(), "phone", "--relay", url], clean.env, clean.project) as terminal:
            terminal.wait("Ctrl+C  end")
            with paired(terminal, "Anna’s phone"):
                pass
            terminal.process.send_signal(signal.SIGTERM)
            assert terminal.wait_end(10) == 0
