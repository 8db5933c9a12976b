"""The demo of the service as a person tries it: a ticket, its questions, its end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx2

from tests.steps import step, until

QUESTIONS = 4


def shown(http: httpx2.Client, ticket: str) -> str:
    """Return what is in a ticket."""
    return http.get(f"{ticket}/activities").text


def test_the_demo_from_its_ticket_to_its_end(home: Path) -> None:
    command = [sys.executable, "-m", "ccq_tui", "serve", "--demo", "--port", "0"]
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as demo,
        httpx2.Client(trust_env=False, timeout=30, follow_redirects=True) as http,
    ):
        try:
            assert demo.stderr is not None
            first, second = demo.stderr.readline(), demo.stderr.readline()
            ticket = first.split()[-1]
            places = dict(re.findall(r"(\w+)=(\S+)", second))
            environment = os.environ | places

            def ccq(*words: str) -> str:
                run = [sys.executable, "-m", "ccq_tui", *words]
                done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
                return done.stdout

            with step("answered in the ticket"):
                for number in range(1, QUESTIONS + 1):
                    asked = f"Question {number} of {QUESTIONS}"
                    until(lambda asked=asked: asked in shown(http, ticket))
                    http.post(ticket, data={"text": "1"})
                until(lambda: "Status: complete" in shown(http, ticket))
            with step("its page and its session"):
                found = re.search(
                    r'href="(http://\S+/page/([0-9a-f]{12})/[0-9a-f]{32})"', shown(http, ticket)
                )
                assert found is not None
                assert "It is done" in http.get(found[1]).text
                assert "DEMO-1" in ccq("sessions", "--label", f"run={found[2]}")
            with step("another ticket, answered by a command"):
                place = http.post(ticket.rpartition("/")[0] + "/", data={"title": "Once more"})
                other = str(place.url)
                until(lambda: f"Question 1 of {QUESTIONS}" in shown(http, other))
                [request] = json.loads(ccq("inbox", "--json"))["requests"]
                choices = (f"--choose={number}=1" for number in range(1, QUESTIONS + 1))
                ccq("answer", request["id"], *choices)
                until(lambda: "Status: complete" in shown(http, other))
                assert "by ccq-tui answer" in shown(http, other)
            demo.send_signal(signal.SIGINT)
            assert demo.wait(30) == 0
            assert not Path(places["XDG_STATE_HOME"]).exists()
        finally:
            demo.kill()
