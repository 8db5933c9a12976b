"""What docs/ gives to who runs the service: read as text, and by systemd where that is there."""

import re
import shlex
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest
import yaml

from ccq_tui.cli.serve import serve
from ccq_tui.service.api import READY
from tests.tables import each_row

CHECKOUT = Path(__file__).parents[3]
PLACE = CHECKOUT / "docs" / "examples" / "service"
UNIT, IMAGE, COMPOSE = (PLACE / name for name in ("ccq-tui.service", "Containerfile", "compose.yaml"))
RIGHTS = {"SETUID", "SETGID", "KILL", "DAC_READ_SEARCH"}


def unit() -> ConfigParser:
    parser = ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(UNIT)
    return parser


def commands() -> list[list[str]]:
    image = IMAGE.read_text("utf-8").rpartition("CMD ")[2]
    return [
        shlex.split(unit()["Service"]["ExecStart"]),
        yaml.safe_load(image),
        yaml.safe_load(COMPOSE.read_text("utf-8"))["services"]["ccq-tui"]["command"],
    ]


@each_row(*commands())
def test_each_command_is_one_of_this_version(words: list[str]) -> None:
    assert [Path(words[0]).name, words[1]] == ["ccq-tui", "serve"]
    serve.make_context("serve", words[2:])


def test_the_sessions_user_is_separated_everywhere() -> None:
    service = unit()["Service"]
    assert {one.removeprefix("CAP_") for one in service["CapabilityBoundingSet"].split()} == RIGHTS
    assert (service["NoNewPrivileges"], service["StateDirectoryMode"]) == ("yes", "0700")
    composed = yaml.safe_load(COMPOSE.read_text("utf-8"))["services"]["ccq-tui"]
    assert (composed["cap_drop"], set(composed["cap_add"])) == (["ALL"], RIGHTS)
    image = IMAGE.read_text("utf-8")
    assert re.search(r"useradd --create-home --uid \d+ ccq-agent", image)
    assert set(re.findall(r"ccq-tui\[(\w+)\]", image)) == {"service"}
    mounted = {one.split(":")[1] for one in composed["volumes"]}
    assert set(yaml.safe_load(re.findall(r"VOLUME (.*)", image)[0])) <= mounted
    assert READY in composed["healthcheck"]["test"][-1]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    file = tmp_path / UNIT.name
    file.write_text(UNIT.read_text("utf-8").replace("/opt/ccq-tui/bin/ccq-tui", "/bin/true"), "utf-8")
    done = subprocess.run(["systemd-analyze", "verify", file], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
