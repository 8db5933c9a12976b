"""The configuration of the service: what it takes, and what it says of what it does not."""

from pathlib import Path

import pytest

from ccq_tui.config.errors import SettingsError
from ccq_tui.service.config import read_config
from tests.tables import each_row, table

GOOD = Path(__file__).with_name("good.toml").read_text(encoding="utf-8")


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
    texts = ("Shop", "**shop**", "shop, and be quick", "1", "work in shop")
    assert [config.named(one) for one in texts] == ["shop", "shop", "shop", "", ""]
    assert (config.linear.webhook_secret.read(), config.linear.token.read()) == ("signing", "one")
    assert config.hidden == {"SHOP_LINEAR": "", "PGPASSWORD": ""}
    (directory / "token").write_text("renewed", encoding="utf-8")
    assert config.linear.token.read() == "renewed"
    monkeypatch.delenv("SHOP_LINEAR")
    with pytest.raises(ValueError, match="SHOP_LINEAR is not set"):
        config.linear.webhook_secret.read()


@each_row(*table(__file__, "config.json")["a_wrong_file_is_named_with_its_line_and_what_is_allowed"])
def test_a_wrong_file_is_named_with_its_line_and_what_is_allowed(
    old: str, new: str, text: str, *, directory: Path
) -> None:
    file = written(directory, GOOD.replace(old, new))
    with pytest.raises(SettingsError) as refused:
        read_config(file)
    assert text in str(refused.value)
    assert str(file) in str(refused.value)
    assert "lin_123" not in str(refused.value)
