"""`atm-tui serve` as a process: a real HTTP client, real viewers, and nothing without the token."""

import asyncio
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from atm_tui.cli.exit_codes import ExitCode
from tests.support.answers_on_disk import AnswerHarness, run_client
from tests.support.command_home import Home
from tests.support.effort import LONG, sample
from tests.support.machines import There
from tests.support.needs import need_chromium, need_web
from tests.support.waiting import PATIENCE

if TYPE_CHECKING:
    import aiohttp


ROW = 16
"""Height of a line on the page, in pixels."""


@contextmanager
def run_server(home: Home, *words: str, **environ: str) -> Iterator[str]:
    """Runs the server at a free port; yields its address."""
    env = {**home.environ, **environ}
    command = [sys.executable, "-m", "atm_tui", "serve", "--port", "0", *words]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=env, cwd=home.folder
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            assert process.wait(PATIENCE) == 0
            assert process.stdout.read() == "", "an app that failed would be printed"


def fetch(address: str, headers: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Returns code and text of an answer."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=dict(headers or {}))) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


class Viewer:
    """A browser's connection: keys in, screen out."""

    def __init__(self, websocket: "aiohttp.ClientWebSocketResponse") -> None:
        self._websocket = websocket
        self._written = b""

    async def press(self, keys: str) -> None:
        """Types keys; what was written before no longer counts."""
        self._written = b""
        await self._websocket.send_json(["stdin", keys])

    async def wait_for(self, words: str) -> None:
        """Waits until words were written, whatever their colours."""
        while words not in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self._written.decode(errors="replace")):
            message = await self._websocket.receive(PATIENCE)
            assert isinstance(message.data, bytes), message
            self._written += message.data


def ask(home: Home, session: str, command: str) -> None:
    home.record(session, "UserPromptSubmit", session_title=session, prompt="go", prompt_id="p1")
    home.record(session, "PermissionRequest", tool_name="Bash", tool_input={"command": command}, prompt_id="p1")


def show_others(home: Home) -> None:
    """Sets a machine `box` with a session, and a second folder of Claude Code, which has no hooks."""
    (home.folder / "box").mkdir()
    box = There(home.folder / "box")
    box.record("box-1", "SessionStart", source="startup", session_title="on box")
    config = home.folder / ".config" / "atm-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'watch = ["~/elsewhere"]\n[hosts.box]\nexec = ["env"]\ncommand = "{box.bin}/atm-tui"\n', "utf-8")
    (home.folder / "elsewhere").mkdir()


async def test_viewers_see_the_sessions_and_can_do_nothing_and_without_the_token_there_is_nothing(home: Home) -> None:
    need_web()
    import aiohttp

    ask(home, "login", "npm test")
    show_others(home)
    with run_server(home) as address:
        root, token, _ = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/([\w-]{32})/()", address).groups()  # type: ignore[union-attr]
        for path in ("", "/", "/ws", "/static/js/textual.js", f"/{token[:-1]}/", f"/{token.upper()}/", "//", "/é/"):
            code, text = await asyncio.to_thread(fetch, root + urllib.request.quote(path))
            assert (code, text.startswith("403")) == (403, True), path
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            assert (await asyncio.to_thread(fetch, address, headers))[0] == 403
        code, page = await asyncio.to_thread(fetch, f"{address}?fontsize=9")
        assert code == 200
        assert f'"ws://{root[7:]}/{token}/ws" data-font-size="9"' in page
        assert "https://" not in page, "no other site learns of it"
        for path in re.findall(r'(?:href|src)="([^"]*)"', page):
            assert (await asyncio.to_thread(fetch, address + path))[0] == 200, path

        async with aiohttp.ClientSession() as client:
            async with client.ws_connect(f"{address}ws?width=120&height=40") as websocket:
                viewer = Viewer(websocket)
                await viewer.wait_for("login")
                await viewer.wait_for("npm test")
                await viewer.wait_for("on box")
                await viewer.wait_for(f"{home.folder}/elsewhere")
                await viewer.press("\r")
                await viewer.wait_for("jump: not in a browser")
                if LONG:
                    await viewer.press("A")
                    await viewer.wait_for("read-only")
                    async with client.ws_connect(f"{address}ws?width=40&height=60") as phone:
                        await Viewer(phone).wait_for("login")
                        ask(home, "second", "make all")
                        await viewer.wait_for("second")
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await client.ws_connect(f"{root}/ws")
            assert refused.value.status == 403


def test_other_addresses_need_a_proxy_and_a_port_in_use_is_named(home: Home) -> None:
    for host in sample(("0.0.0.0", "::", "192.0.2.1", "example.org", ""), "0.0.0.0"):
        done = home.run("serve", "--listen", host)
        assert (done.code, done.out) == (ExitCode.NOT_POSSIBLE, "")
        assert "--behind-proxy" in done.err
    need_web()
    config = home.folder / ".config" / "atm-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[fleet]\nnats = 7\n", "utf-8")
    done = home.run("serve", "--port", "0")
    assert (done.code, "nats" in done.err) == (ExitCode.FAILED, True), "said here, not to each viewer"
    config.unlink()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = home.run("serve", "--port", str(taken.getsockname()[1]))
    assert done.code == ExitCode.FAILED
    assert "--port 0" in done.err


async def test_a_browser_shows_the_sessions_to_several_viewers_by_keys_and_by_touch(home: Home) -> None:
    need_web()
    from tests.support.browser import open_browser

    for name in ("login", "search"):
        ask(home, name, f"make {name}")
    with run_server(home) as address:
        async with open_browser(need_chromium(), home.folder / "profile") as browser:
            page = await browser.open_page()
            await page.open(address)
            await page.wait_for("make login")
            await page.wait_for("make search")
            await page.wait_for_focus("TEXTAREA")
            await page.press("/search")
            await page.wait_for("of 2")

            phone = await browser.open_page()
            await phone.be_a_phone(390, 844)
            await phone.open(address)
            await phone.wait_for("search")
            [size] = [re.search(r"width=(\d+)&height=(\d+)", each) for each in phone.sockets]
            assert size is not None
            assert (int(size[1]) >= 40, int(size[2]) >= 45) == (True, True), "about 40 x 60 cells"
            await phone.wait_for("waiting for you")
            await phone.wait_for("shows all")  # with these two lines, all rows are in their places
            await phone.wait_for_focus("BODY")
            await phone.tap(60, 9.5 * ROW)
            await phone.wait_for("▌")

            stranger = await browser.open_page()
            await stranger.open(address.rsplit("/", 2)[0])
            assert (await stranger.read_body()).startswith("403")


@pytest.mark.long
async def test_where_answers_are_allowed_a_viewer_arms_the_app_and_answers(home: Home) -> None:
    need_web()
    import aiohttp

    with run_client() as process:
        harness = AnswerHarness(home.folder, process.pid)
        with run_server(home, "--answers", CLAUDE_CONFIG_DIR=str(harness.config_dir)) as address:
            async with aiohttp.ClientSession() as browser, browser.ws_connect(f"{address}ws") as websocket:
                viewer = Viewer(websocket)
                await viewer.wait_for("quit")
                await viewer.press("A")
                await viewer.wait_for("armed")
                with harness.open_request(given={"command": "npm test"}) as hook:
                    await viewer.wait_for("npm test")
                    end = time.monotonic() + PATIENCE
                    while hook.process.poll() is None:  # keys count once the request was there for a moment
                        assert time.monotonic() < end, "no answer came"
                        await viewer.press("a")
                        await asyncio.sleep(2)
                    assert hook.decision() == {"behavior": "allow"}
