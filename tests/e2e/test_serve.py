"""The demo of the service as a person tries it: a run, its questions, its end."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2

from tests.steps import step, until

QUESTIONS = 4


def test_the_demo_from_its_page_to_its_end(home: Path) -> None:
    command = [sys.executable, "-m", "ccq_tui", "serve", "--demo", "--port", "0"]
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as demo,
        httpx2.Client(trust_env=False, timeout=30, follow_redirects=True) as http,
    ):
        try:
            assert demo.stderr is not None
            first, second, third = (demo.stderr.readline() for _ in range(3))
            page = first.split()[-1]
            places = dict(re.findall(r"(\w+)=(\S+)", second))
            environment = os.environ | places

            def place(page: str) -> str:
                return f"{page.split('/page/')[0]}/runs/{page.split('/')[-2]}"

            def right(page: str) -> dict[str, str]:
                return {"Authorization": "Bearer page." + ".".join(page.split("/")[-2:])}

            def run(page: str) -> dict[str, Any]:
                return dict(http.get(place(page), headers=right(page)).json())

            def asked(page: str, number: int) -> str | None:
                meant = (run(page)["asked"] or {}).get("meant", "")
                return str(meant) if meant.endswith(f":{number}") else None

            def ccq(*words: str) -> str:
                called = [sys.executable, "-m", "ccq_tui", *words]
                done = subprocess.run(called, env=environment, capture_output=True, text=True, check=True)
                return done.stdout

            with step("answered on its page"):
                for number in range(1, QUESTIONS + 1):
                    meant = until(lambda number=number: asked(page, number))
                    body = {"text": "1", "meant": meant}
                    http.post(f"{place(page)}/messages", json=body, headers=right(page)).raise_for_status()
                until(lambda: run(page)["state"] == "ended")
            with step("its session"):
                assert "Design the bookmark API" in ccq("sessions", "--label", f"run={page.split('/')[-2]}")
            with step("another one, begun by a program and answered by a command"):
                _, _, words = third.partition(": ")
                curl = shlex.split(words)
                headers = dict([curl[2].split(": ")])
                other = http.post(curl[3], content=curl[5], headers=headers).json()["page"]
                until(lambda: run(other)["questions"] == QUESTIONS)
                [request] = json.loads(ccq("inbox", "--json"))["requests"]
                choices = (f"--choose={number}=1" for number in range(1, QUESTIONS + 1))
                ccq("answer", request["id"], *choices)
                until(lambda: run(other)["state"] == "ended")
                assert "by ccq-tui answer" in str(run(other)["events"])
            demo.send_signal(signal.SIGINT)
            assert demo.wait(30) == 0
            assert not Path(places["XDG_STATE_HOME"]).exists()
        finally:
            demo.kill()
