"""Renders the app's states to SVG and PNG, with a frozen clock: python -m screenshots.make [NAME …]

PNG needs rsvg-convert; without it only the SVG files are written.
"""

import asyncio
import html
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.model.fleet import Health
from atm_tui.monitor.recording import read_entries
from atm_tui.monitor.replay import Replay
from tests.support import fleets, happenings
from tests.support import requests as askings
from tests.support.memory_monitor import InventedUsage, MemoryMonitor

DEFAULTS = Config()
HERE = Path(__file__).parent
RECORDINGS = HERE.parent / "tests" / "data" / "recordings"


def _busy(monitor: MemoryMonitor) -> None:
    monitor.put(fleets.busy(), health=fleets.HEALTHY)


def _peeked(monitor: MemoryMonitor) -> None:
    _busy(monitor)
    monitor.events = fleets.happened()


def _unreadable(monitor: MemoryMonitor) -> None:
    monitor.put(fleets.busy()[:5], fleets.BROKEN, fleets.UNHEARD)


def _empty(monitor: MemoryMonitor) -> None:
    monitor.put([], health=Health(hooks="missing", notices=("Hooks are not installed: run atm-tui install.",)))


def _spent(monitor: MemoryMonitor) -> None:
    _busy(monitor)
    monitor.usage = InventedUsage()


@dataclass(frozen=True)
class Picture:
    """What to show, how large, and which keys to press before."""

    fill: Callable[[MemoryMonitor], None]
    size: tuple[int, int]
    keys: tuple[str, ...] = ()
    no_color: bool = False
    config: Config = DEFAULTS
    replay: Path | None = None
    """A recording to play in place of a fleet, stopped at its begin."""
    settle: float = 0.1
    """Seconds until all is there."""


PICTURES = {
    "busy": Picture(_busy, (140, 45), ("g", "j")),
    "busy-light": Picture(_busy, (140, 45), ("g", "j"), config=Config(theme="atm-light")),
    "project": Picture(_busy, (120, 36), ("g",)),
    "medium": Picture(_busy, (80, 24)),
    "narrow": Picture(_busy, (60, 24)),
    "tiny": Picture(_busy, (40, 12)),
    "empty": Picture(_empty, (100, 24)),
    "unreadable": Picture(_unreadable, (110, 28), ("G",)),
    "no-color": Picture(_busy, (120, 36), ("g", "j", "j"), no_color=True),
    "ascii": Picture(_busy, (100, 30), config=Config(ascii=True)),
    "board": Picture(_busy, (140, 45), ("b", "g", "j")),
    "board-narrow": Picture(_busy, (80, 24), ("b", "g")),
    "request": Picture(askings.fill, (120, 36), ("g", "j", "w"), settle=0.4),
    "question": Picture(askings.fill, (80, 24), ("N", "a"), settle=0.4),
    "panes": Picture(happenings.fill, (140, 45), ("g", "j", "tab", "4"), settle=0.5),
    "palette": Picture(_busy, (100, 30), ("ctrl+p", *"or"), settle=0.6),
    "welcome": Picture(_busy, (80, 24), ("W",), settle=0.3),
    "board-light": Picture(_busy, (120, 36), ("b", "g"), config=Config(theme="atm-light")),
    "board-contrast": Picture(_busy, (120, 36), ("b", "g"), config=Config(theme="atm-contrast")),
    "board-safe": Picture(_busy, (120, 36), ("b", "g"), config=Config(theme="atm-safe")),
    "timeline": Picture(happenings.fill, (140, 45), ("L", "k", "k", "k"), settle=0.5),
    "timeline-narrow": Picture(happenings.fill, (80, 24), ("L",), config=Config(theme="atm-light"), settle=0.5),
    "history": Picture(happenings.fill_past, (140, 45), ("H", "slash", *"log", "enter"), settle=0.5),
    "history-narrow": Picture(happenings.fill_past, (80, 24), ("H",), config=Config(theme="atm-light"), settle=0.5),
    "themes": Picture(_busy, (120, 36), ("T", "j")),
    "usage": Picture(_spent, (120, 34), ("u", "left"), settle=1.5),
    "usage-narrow": Picture(_spent, (80, 24), ("u", "left"), no_color=True, settle=1.5),
    "peek": Picture(_peeked, (120, 36), ("g", "j", "space")),
    "replay": Picture(_busy, (120, 30), ("}",) * 4, replay=RECORDINGS / "02-nested-subagents.jsonl"),
    "help": Picture(_busy, (100, 36), ("question_mark",)),
}


def app_of(picture: Picture) -> AtmApp:
    """The app that shows a picture; it still has to be run, and its keys pressed."""
    if picture.replay:
        replay = Replay(read_entries(picture.replay))
        replay.paused = True
        return AtmApp(replay, picture.config)
    monitor = MemoryMonitor()
    picture.fill(monitor)
    return AtmApp(monitor, picture.config)


async def render(picture: Picture) -> str:
    """The SVG of a picture."""
    os.environ.pop("NO_COLOR", None)
    if picture.no_color:
        os.environ["NO_COLOR"] = "1"
    app = app_of(picture)
    async with app.run_test(size=picture.size) as pilot:
        await pilot.pause(0.1)
        await pilot.press(*picture.keys)
        await pilot.pause(picture.settle)
        svg = app.export_screenshot(title="atm-tui", simplify=True)
    os.environ.pop("NO_COLOR", None)
    return svg


def tidy(svg: str) -> str:
    """The same bytes for the same screen, drawn alike by every viewer: fixed ids, a font that needs no net, no leading
    blanks (viewers drop them), and vertical lines as shapes that meet from row to row."""
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    svg = re.sub(r"@font-face \{.*?\}\n?", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code, monospace", "Menlo, DejaVu Sans Mono, monospace")
    # Of these fonts a character is 0.602 em wide; the cells of the picture are 12.2 wide.
    svg = svg.replace("font-size: 20px", "font-size: 20.27px")
    return _TEXT.sub(_place, svg)


_TEXT = re.compile(
    r'<text class="(?P<class>[^"]+)" x="(?P<x>[\d.]+)" y="(?P<y>[\d.]+)" '
    r'textLength="[\d.]+" (?P<clip>clip-path="[^"]+")>(?P<text>[^<]*)</text>'
)
CELL = 12.2
LINE = 24.4


def _place(found: re.Match[str]) -> str:
    text = html.unescape(found["text"]).replace("\xa0", " ")
    x, y, shown = float(found["x"]), float(found["y"]), text.strip()
    x += CELL * (len(text) - len(text.lstrip()))
    if not shown:
        return ""
    if shown in "│┃":
        at, width = f'x="{x + CELL / 2 - 0.6:.1f}" y="{y - 18.5:.1f}"', 1.4 if shown == "│" else 3
        return f'<rect class="{found["class"]}" {at} width="{width}" height="{LINE}"/>'
    # A wide character comes from another font, with widths of its own: what follows it is placed anew.
    runs = re.findall(r"[\u2e80-\uffff\U0001f000-\U0001ffff]|[^\u2e80-\uffff\U0001f000-\U0001ffff]+", shown)
    result = []
    for run in runs:
        width = CELL * cell_len(run)
        escaped = html.escape(run, quote=False).replace(" ", "&#160;")
        if run.strip():
            result.append(
                f'<text class="{found["class"]}" x="{x:.1f}" y="{y:.1f}" textLength="{width:.1f}" {found["clip"]}>'
                f"{escaped}</text>"
            )
        x += width
    return "".join(result)


def main() -> None:
    os.environ |= {"HOME": fleets.HOME, "TZ": "UTC"}
    time.tzset()
    for name in sys.argv[1:] or PICTURES:
        svg = tidy(asyncio.run(render(PICTURES[name])))
        (HERE / f"{name}.svg").write_text(svg, "utf-8")
        if shutil.which("rsvg-convert"):
            subprocess.run(["rsvg-convert", "-o", str(HERE / f"{name}.png"), str(HERE / f"{name}.svg")], check=True)


if __name__ == "__main__":
    main()
