"""The fence looks for names as a framework is imported, and says what it does without."""

import logging

import pytest

from ccq_tui.compat.private import UnknownVersionError, has, load, require


class Framework:
    def __init__(self) -> None:
        self._made = 1

    def _method(self) -> int:
        return self._made


def test_a_name_is_found_on_a_class_and_where_only_its_methods_set_it() -> None:
    assert has(Framework, "_method", "_made")
    assert has(Framework(), "_method", "_made")
    assert not has(Framework, "_method", "_renamed")


def test_a_module_refuses_a_framework_that_lacks_a_name() -> None:
    require(Framework, "_method", "_made")
    with pytest.raises(UnknownVersionError, match=r"^Framework has no _other, _renamed$"):
        require(Framework, "_method", "_other", "_renamed")


def test_what_cannot_be_loaded_is_logged_and_done_without(caplog: pytest.LogCaptureFixture) -> None:
    assert load("ccq_tui.compat.private", "load") is load
    with caplog.at_level(logging.WARNING):
        assert load("ccq_tui.compat.nothing", "Nothing") is None
    assert "ccq_tui.compat.nothing is done without: No module named" in caplog.text
