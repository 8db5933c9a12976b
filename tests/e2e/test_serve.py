"""The demo of the service as a person tries it: a run, its questions, its end."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

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

            def ccq(*words: str) -> str:
                run = [sys.executable, "-m", "ccq_tui", *words]
                done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
                return done.stdout

            with step("answered on its page"):
                for number in range(1, QUESTIONS + 1):
                    asked = f"Question {number} of {QUESTIONS}"
                    until(lambda asked=asked: asked in http.get(page).text)
                    found = re.search(r'name="meant" value="([^"]+)"', http.get(page).text)
                    assert found is not None
                    http.post(page, data={"text": "1", "meant": found[1]})
                until(lambda: "It is done" in http.get(page).text)
            with step("its session"):
                assert "Design the bookmark API" in ccq("sessions", "--label", f"run={page.split('/')[-2]}")
            with step("another one, begun by a program and answered by a command"):
                _, _, words = third.partition(": ")
                curl = shlex.split(words)
                headers, place = dict([curl[2].split(": ")]), curl[3]
                other = http.post(place, content=curl[5], headers=headers).json()["page"]
                until(lambda: f"Question 1 of {QUESTIONS}" in http.get(other).text)
                [request] = json.loads(ccq("inbox", "--json"))["requests"]
                choices = (f"--choose={number}=1" for number in range(1, QUESTIONS + 1))
                ccq("answer", request["id"], *choices)
                until(lambda: "It is done" in http.get(other).text)
                assert "by ccq-tui answer" in http.get(other).text
            demo.send_signal(signal.SIGINT)
            assert demo.wait(30) == 0
            assert not Path(places["XDG_STATE_HOME"]).exists()
        finally:
            demo.kill()
