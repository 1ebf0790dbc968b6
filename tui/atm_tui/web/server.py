"""The web server of `atm-tui serve`: runs the app once for each viewer. Only addresses with the token are answered."""

import asyncio
import hmac
import shlex
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from string import Template
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler
from textual_serve.server import Server

from atm_hooks.regular_file import read_regular

FONT_SIZES = range(6, 41)
"""The sizes of the font that an address can ask for, in pixels."""
_FONT_SIZE = 14
_PARTS = ("page.css", "page.js")
"""The files of the page."""
_MAX_SIZE = 64 << 10
"""Bytes that the page may have."""
_CLOSING = 2.0
"""Seconds that viewers have to end, when the server ends."""
_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
}


class ViewerServer(Server):
    """Serves the app to several viewers, each with a process of its own."""

    def __init__(self, command: Sequence[str], host: str, port: int, token: str, *, behind_proxy: bool) -> None:
        """`command`: runs the app for one viewer. `port`: 0 for any free one. `token`: the first part of every path.

        `behind_proxy`: whether a proxy passes requests on, which then have its name, and its protocol.
        """
        # no shell is left between the server and the app
        super().__init__(f"exec {shlex.join(command)}", host=host, port=port, title="atm-tui")
        self._host = host
        self._port = port
        self._token = token
        self._behind_proxy = behind_proxy
        self._folder = Path(__file__).parent
        self._page = Template(read_regular(str(self._folder / "page.html"), _MAX_SIZE).decode())

    async def follow(self, announce: Callable[[str], object]) -> None:
        """Serves until SIGINT or SIGTERM. `announce` gets the address once it is open. Raises OSError if it can't be opened."""
        over = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, over.set)
        runner = web.AppRunner(await self._make_app(), access_log=None, shutdown_timeout=_CLOSING)
        await runner.setup()
        try:
            await web.TCPSite(runner, self._host, self._port).start()
            port = runner.addresses[0][1]
            name = f"[{self._host}]" if ":" in self._host else self._host
            announce(f"http://{name}:{port}/{self._token}/")
            await over.wait()
        finally:
            await runner.cleanup()

    async def _make_app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard])
        under = f"/{self._token}"
        app.add_routes(
            [
                web.get(f"{under}/", self._show_page),
                *(web.get(f"{under}/{name}", self._show_part) for name in _PARTS),
                web.get(f"{under}/ws", self.handle_websocket),
                web.static(f"{under}/static", self.statics_path),
            ]
        )
        app.on_response_prepare.append(_add_headers)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuses requests without the token, and those that a page of another site makes."""
        given = request.path.split("/", 2)[1]
        if not hmac.compare_digest(given.encode(errors="replace"), self._token.encode()):
            raise web.HTTPForbidden(text="403: the address needs the token that `atm-tui serve` printed\n")
        if not self._behind_proxy and urlsplit(f"//{request.host}").hostname not in {self._host, "localhost"}:
            raise web.HTTPForbidden(
                text="403: this is another name for this machine; use the address as it was printed\n"
            )
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            raise web.HTTPForbidden(text="403: the request comes from another site\n")
        return await handler(request)

    async def _show_page(self, request: web.Request) -> web.Response:
        size = request.query.get("fontsize", "")
        is_secure = self._behind_proxy and request.headers.get("X-Forwarded-Proto") == "https"
        text = self._page.substitute(
            websocket=f"{'wss' if is_secure else 'ws'}://{request.host}{request.path}ws",
            font_size=int(size) if size.isdecimal() and int(size) in FONT_SIZES else _FONT_SIZE,
        )
        return web.Response(text=text, content_type="text/html")

    async def _show_part(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(self._folder / request.path.rpartition("/")[2])


async def _add_headers(_: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(_HEADERS)
