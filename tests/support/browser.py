"""A real Chromium without a window, driven through its debugging protocol: pages, keys, touches, and what web sockets receive."""

import asyncio
import base64
import itertools
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.waiting import PATIENCE, POLL, comes_true

if TYPE_CHECKING:
    import aiohttp

OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--remote-debugging-port=0",
)


class Page:
    """One tab of the browser."""

    def __init__(self, browser: "Browser", session: str) -> None:
        self._browser = browser
        self._session = session
        self._received = b""
        self.sockets: list[str] = []
        """The addresses of the web sockets that the page has opened."""

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Calls a method of the debugging protocol for this tab."""
        return await self._browser.call(method, session=self._session, **params)

    async def open(self, address: str) -> None:
        """Opens an address."""
        await self.call("Page.navigate", url=address)

    async def read_body(self) -> str:
        """Returns the text of the page."""
        await self._wait_for_value("document.readyState", "complete")
        return await self._evaluate("document.body.innerText")

    async def wait_for_focus(self, tag: str) -> None:
        """Waits until an element with this tag has the focus, and the page is drawn."""
        await self._wait_for_value("document.querySelector('canvas') && document.activeElement.tagName", tag)

    async def _evaluate(self, expression: str) -> str:
        found = await self.call("Runtime.evaluate", expression=expression)
        return str(found["result"].get("value", ""))

    async def _wait_for_value(self, expression: str, value: str) -> None:
        end = asyncio.get_running_loop().time() + PATIENCE
        while (found := await self._evaluate(expression)) != value:
            assert asyncio.get_running_loop().time() < end, (expression, found)
            await asyncio.sleep(POLL)

    async def press(self, text: str) -> None:
        """Types text. What web sockets received before no longer counts."""
        self._received = b""
        for each in text:
            await self.call("Input.dispatchKeyEvent", type="keyDown", text=each, key=each)
            await self.call("Input.dispatchKeyEvent", type="keyUp", key=each)

    async def tap(self, x: float, y: float) -> None:
        """Touches a point, in pixels. What web sockets received before no longer counts."""
        self._received = b""
        await self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        await self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    async def be_a_phone(self, width: int, height: int) -> None:
        """Gives the tab the size of a phone, in pixels, and a touch screen."""
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=True
        )
        await self.call("Emulation.setTouchEmulationEnabled", enabled=True)

    async def take_picture(self) -> bytes:
        """Returns a PNG of the page."""
        return base64.b64decode((await self.call("Page.captureScreenshot"))["data"])

    @property
    def received(self) -> str:
        """What web sockets received, without escape sequences."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self._received.decode(errors="replace"))

    async def wait_for(self, words: str) -> None:
        """Waits until web sockets have received words."""
        assert await comes_true(lambda: words in self.received), f"{words!r} never came:\n{self.received[-2000:]}"

    def handle(self, method: str, params: dict[str, Any]) -> None:
        """Handles an event of the tab."""
        if method == "Network.webSocketCreated":
            self.sockets.append(params["url"])
        if method == "Network.webSocketFrameReceived":
            frame = params["response"]
            data = frame["payloadData"]
            self._received += base64.b64decode(data) if frame["opcode"] == 2 else data.encode()


class Browser:
    """The browser; open it with `open_browser`."""

    def __init__(self, socket: "aiohttp.ClientWebSocketResponse") -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._pages: dict[str, Page] = {}

    async def call(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """Calls a method of the debugging protocol. Raises AssertionError with the browser's message if it fails."""
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        place = {"sessionId": session} if session else {}
        await self._socket.send_json({"id": number, "method": method, "params": params, **place})
        found = await asyncio.wait_for(answer, PATIENCE)
        assert "error" not in found, (method, found)
        return dict(found["result"])

    async def open_page(self) -> Page:
        """Opens an empty tab."""
        target = (await self.call("Target.createTarget", url="about:blank"))["targetId"]
        session = (await self.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        page = self._pages[session] = Page(self, session)
        await page.call("Network.enable")
        await page.call("Page.enable")
        return page

    async def follow(self) -> None:
        """Hands on what the browser says, until the connection is closed."""
        async for message in self._socket:
            found = message.json()
            if "id" in found:
                self._answers.pop(found["id"]).set_result(found)
            elif page := self._pages.get(found.get("sessionId", "")):
                page.handle(found["method"], found["params"])


@asynccontextmanager
async def open_browser(program: str, folder: Path) -> AsyncIterator[Browser]:
    """Runs the browser with its files in a folder."""
    import aiohttp

    process = await asyncio.create_subprocess_exec(
        program,
        *OPTIONS,
        f"--user-data-dir={folder}",
        stderr=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
    )
    assert process.stderr is not None
    drained: asyncio.Task[bytes] | None = None
    try:
        address = await asyncio.wait_for(_find_address(process.stderr.readline), PATIENCE)
        drained = asyncio.create_task(process.stderr.read())
        async with aiohttp.ClientSession() as client, client.ws_connect(address, max_msg_size=0) as socket:
            browser = Browser(socket)
            following = asyncio.create_task(browser.follow())
            yield browser
            following.cancel()
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
        if drained is not None:
            await drained


async def _find_address(read_line: Callable[[], Any]) -> str:
    while line := (await read_line()).decode():
        if found := re.match(r"DevTools listening on (ws://\S+)", line):
            return found[1]
    raise AssertionError("the browser has ended")
