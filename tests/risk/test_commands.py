"""How many labelled commands ask twice: nearly all that are dangerous, and hardly any that is harmless."""

import json
import shlex
import time
from pathlib import Path

import pytest

from atm_tui.model.request import Request
from atm_tui.risk.calls import WRAPPERS
from atm_tui.risk.commands import KNOWN
from atm_tui.risk.requests import find_dangers

DATA = Path(__file__).parents[1] / "data" / "risk"
ROOT, HOME = "/home/user/work/web", "/home/user"


def asks_twice(command):
    request = Request(nonce="0", session_id="s", key="k", digest="d", tool="Bash", input={"command": command}, cwd=ROOT)
    return bool(find_dangers(request, (ROOT,), HOME))


@pytest.mark.parametrize("name", ["commands.jsonl", "variations.jsonl", "families.jsonl"])
def test_labelled_commands(name):
    rows = [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    dangerous = [row["command"] for row in rows if row["kind"] == "dangerous"]
    harmless = [row["command"] for row in rows if row["kind"] == "harmless"]
    assert min(len(dangerous), len(harmless)) > 100
    missed = [command for command in dangerous if not asks_twice(command)]
    alarms = [command for command in harmless if asks_twice(command)]
    assert len(missed) <= 0.015 * len(dangerous), missed
    assert len(alarms) <= 0.01 * len(harmless), alarms


PLACES = [
    "cd src && {}",
    "ls || {}",
    "echo start\n{}\necho end",
    "({})",
    "if true; then {}; fi",
    "for i in 1 2; do {}; done",
    "f() {{ {}; }}; f",
    "! {}",
    "time {}",
    "timeout 60 {}",
    "{} 2>&1 | tee log.txt",
    "{} > log.txt 2>&1",
    "{} < /dev/null",
    "x=$({})",
    "bash -c {quoted}",
    "bash <<'END'\n{}\nEND",
]
"""Where a command may stand in a text."""
DANGEROUS = [
    "rm -rf src",
    "echo -n > src/main.py",
    "psql app -c 'drop table users'",
    "find . -type f -exec rm {} +",
    "npm publish",
    "git push --force",
    "docker compose exec db dropdb app",
    "python3 -c \"import shutil; shutil.rmtree('src')\"",
]
HARMLESS = [
    "rm -rf node_modules",
    "npm uninstall lodash",
    "cp .env.example .env",
    "echo 'rm -rf src'",
    "find . -name '*.pyc' -delete",
    "docker exec web cat /etc/os-release",
    "git commit -m 'delete x'",
    "bash -n scripts/deploy.sh",
    "psql app -c 'select 1'",
    "command -v node",
]


@pytest.mark.parametrize("place", PLACES)
def test_a_command_is_found_anywhere_in_a_script(place):
    found = {each: asks_twice(place.format(each, quoted=shlex.quote(each))) for each in (*DANGEROUS, *HARMLESS)}
    assert found == {each: each in DANGEROUS for each in found}


@pytest.mark.parametrize(
    "command",
    [
        "cd db && psql app < drop.sql",
        "ls || bash < x",
        "cd src && echo > main.py",
        "cd src && cat > main.py <<'END'\nEND",
        "cd db && python3 - <<'END'\nimport shutil\nshutil.rmtree('a')\nEND",
        "ls | while read f; do > $f; done",
        "sort names.txt > names.txt",
        "cat a.json | jq . > a.json",
    ],
)
def test_a_redirection_belongs_to_the_last_command_of_a_list(command):
    assert asks_twice(command)


@pytest.mark.parametrize("arguments", ["", "-c", "x", "run", "-"])
def test_a_check_needs_no_arguments(arguments):
    names = sorted(name for name in KNOWN | WRAPPERS if name.isalnum())
    for at in range(0, len(names), 50):
        asks_twice("\n".join(f"{name} {arguments}" for name in names[at : at + 50]))


def test_a_megabyte_is_refused_at_once():
    begin = time.process_time()
    assert asks_twice("echo " + "x" * 1_000_000)
    assert asks_twice("ls; " * 250_000)
    assert time.process_time() - begin < 3
