"""The command that tries every channel, and the settings that name them."""

import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from ccq_tui.cli import main
from ccq_tui.config.settings import Settings
from ccq_tui.config.values import shown_url
from ccq_tui.remote.pairings import Pairing, change_pairings, pairings_file
from tests.tables import each_row
from tests.unit.remote.notify.doubles import serving
from tests.unit.starting import Cli, write_settings


def test_every_channel_is_tried(ccq: Cli, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    note = tmp_path / "note"
    code = f"import sys; open({str(note)!r}, 'w').write(sys.stdin.read())"
    with serving() as ntfy:
        good = f"ntfy://user:hush@{ntfy.place}/hush-topic"
        write_settings(f"notify_urls = '{good}'\non_request = [{sys.executable!r}, '-c', {code!r}]\n")
        out = ccq("notify", "test")
        assert out == f"1  ntfy://{ntfy.place}/…: delivered\n2  on_request: delivered\n"
        assert ntfy.contents[0]["message"] == "Notifications arrive here."
        assert '"request"' in note.read_text(encoding="utf-8")
        write_settings(f'notify_urls = "{good}/bad%20topic"\non_request = "false"\n')
        change_pairings(pairings_file(), add=[Pairing("p", "http://127.0.0.1:9", "http://x", "hush")])
        assert main(["notify", "test"]) == 1
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith(f"1  ntfy://{ntfy.place}/…: failed: the server refused it: HTTP 400 ")
    assert second.startswith("2  Web Push by http://127.0.0.1:9: failed: the relay cannot be reached")
    assert third == "3  on_request: failed: it ended with exit code 1"
    assert "hush" not in first + second


def test_without_a_channel_it_says_how_to_have_one(ccq: Cli) -> None:
    out = ccq("notify", "test", code=2)
    assert "No channel is configured: set notify_urls in your config.toml, such as" in out


def test_config_show_keeps_the_secrets_of_channels(ccq: Cli) -> None:
    write_settings("notify_urls = ['ntfys://me:hush@ntfy.sh/hush-topic', 'tgram://123456:hush/1']\n")
    assert "hush" not in ccq("config", "show")
    assert "hush" not in repr(Settings(notify_urls=("ntfy://hush",)))


CHANNELS = [
    ("ntfy://hush-topic", "ntfy://…"),
    ("ntfy://me:hush@127.0.0.1:80/hush?x=hush", "ntfy://127.0.0.1:80/…"),
    ("pover://hush@Hush.abc123", "pover://…"),
    ("json://[hush", "json://…"),
]


@each_row(*CHANNELS)
def test_a_channel_is_named_by_its_scheme_and_its_host(url: str, shown: str) -> None:
    assert shown_url(url) == shown


def test_settings_are_read_from_variables_too() -> None:
    made = Settings(notify_urls="ntfy://a  json://b", on_request=f"{sys.executable} -c 'a b'")  # type: ignore[arg-type]
    assert (made.notify_urls, made.on_request[1:]) == (("ntfy://a", "json://b"), ("-c", "a b"))


WRONG_SETTINGS = [
    ("notify_urls", ["ntfy://a", "hush"], "must be URLs such as .*; number 2 is none"),
    ("notify_wait", -1, "greater than or equal to 0"),
    ("notify_quiet", "07:00-07:00", "must be two different times, such as"),
    ("on_request", ["bin/sh"], "must begin with a program on PATH, or its whole path"),
    ("on_request", "'a", "must be a command whose quotes are closed"),
]


@each_row(*WRONG_SETTINGS)
def test_wrong_settings_are_refused_without_their_secrets(name: str, value: object, text: str) -> None:
    with pytest.raises(ValidationError, match=text) as caught:
        Settings(**{name: value})
    assert "hush" not in caught.value.errors()[0]["msg"]
