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
from pathlib import Path

from rich.cells import cell_len

from tests.support import fleets
from tests.support.pictures import PICTURES, Picture, make_app

HERE = Path(__file__).parent


async def render(picture: Picture) -> str:
    """The SVG of a picture."""
    os.environ.pop("NO_COLOR", None)
    os.environ["COLORTERM"] = "truecolor"
    if picture.no_color:
        os.environ["NO_COLOR"] = "1"
    app = make_app(picture)
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
        width = CELL * cell_len(run.lstrip())
        x += CELL * (len(run) - len(run.lstrip()))
        escaped = html.escape(run.lstrip(), quote=False).replace(" ", "&#160;")
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
