"""The configuration of the service: what it takes, and what it says of what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccq_tui.config.errors import SettingsError
from ccq_tui.service.config import read_config

GOOD = """\
machine = "build-1"
public_url = "https://ccq.example.org"

[limits]
question = "2h"

[repositories.shop]
path = "shop"
allowed_tools = "Bash(git *), Edit"
choose = { label = "shop" }
push = true

[linear]
webhook_secret = "env:SHOP_LINEAR"
token = "file:token"
"""


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "token").write_text("one\n", encoding="utf-8")
    monkeypatch.setenv("SHOP_LINEAR", "signing")
    return tmp_path


def written(directory: Path, text: str) -> Path:
    file = directory / "service.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_is_a_policy_and_places_of_secrets(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = read_config(written(directory, GOOD.replace('"2h"', '"2h"\nkeep = "90d"')))
    shop = config.repositories["shop"]
    assert (shop.path, shop.push, shop.choose) == (directory / "shop", True, {"label": "shop"})
    assert shop.allowed_tools == ("Bash(git *)", "Edit")
    assert (config.machine, config.limits.question, config.limits.keep) == ("build-1", 7200.0, 90 * 86_400.0)
    said = ("Shop", "**shop**", "shop, and be quick", "1", "work in shop")
    assert [config.named(one) for one in said] == ["shop", "shop", "shop", "", ""]
    assert config.linear is not None
    assert (config.linear.webhook_secret.read(), config.linear.token.read()) == ("signing", "one")
    assert config.hidden == {"SHOP_LINEAR": "", "PGPASSWORD": ""}
    (directory / "token").write_text("renewed", encoding="utf-8")
    assert config.linear.token.read() == "renewed"
    monkeypatch.delenv("SHOP_LINEAR")
    with pytest.raises(ValueError, match="SHOP_LINEAR is not set"):
        config.linear.webhook_secret.read()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("push =", "pusch =", ":11: repositories.shop.pusch: is not a field; did you mean push?"),
        ('path = "shop"', 'path = "gone"', ":8: repositories.shop.path: must be a directory that exists"),
        ('"2h"', '"soon"', ':5: limits.question: must be a duration such as "10m"'),
        ('"2h"', '"never"', ":5: limits.question: must be a number"),
        ("push = true", "push = 1", ":11: repositories.shop.push: must be true or false"),
        ("push = true", 'permission_mode = "bypassPermissions"', "must be one of 'default', 'acceptEdits'"),
        (
            '"env:SHOP_LINEAR"',
            '"lin_123"',
            ':14: linear.webhook_secret: must be the place of a secret: "env:',
        ),
        ("file:token", "file:nowhere", ":15: linear.token: "),
        ("ccq.example.org", "ccq.example.org/x", ":2: public_url: must be an origin"),
        ('"build-1"', '"a b"', ":1: machine: must be 1 to 64 letters"),
        (
            "[linear]",
            '[webhook]\nsecret = "file:token"\nurl = "nope"\n[linear]',
            "webhook.url: must be https",
        ),
        ("[limits]", "[limits", ":4: is not TOML"),
        (
            "[limits]",
            '[sessions]\ncommand = ["no-such-program"]\n[limits]',
            ":5: sessions.command: must begin",
        ),
        ("[linear]", "[linears]", "linears: is not a field; did you mean linear?"),
        ("[repositories.shop]", "[repository]", "repositories: is missing"),
    ],
)
def test_a_wrong_file_is_named_with_its_line_and_what_is_allowed(
    directory: Path, old: str, new: str, said: str
) -> None:
    file = written(directory, GOOD.replace(old, new))
    with pytest.raises(SettingsError) as refused:
        read_config(file)
    assert said in str(refused.value)
    assert str(file) in str(refused.value)
    assert "lin_123" not in str(refused.value)
