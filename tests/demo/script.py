"""The demo's script: who is on stage, and what each plays when.

`python -m tests.demo.script` writes the scenario into the package; a test fails when it differs from what is there.
The show is a round of PERIOD seconds that begins again without a seam: what a piece leaves open at the end of a round it
closes in the next one, at PERIOD seconds and more.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from atm_tui.demo.scenario import FOLDER, PERIOD
from tests.demo.cutting import Data, Excerpt, cut
from tests.demo.pieces import (
    BACKGROUND,
    COMPACT,
    ERROR,
    HEADLESS,
    INTERRUPT,
    NESTED,
    PERMISSIONS,
    PLAN,
    QUESTION,
    RENAME,
    TEAM,
    TEAM_WORDS,
)
from tests.demo.turns import (
    HAIKU,
    HOUR,
    OLD_SONNET,
    OPUS,
    ROUND,
    SONNET,
    WORK,
    answer_in_registry,
    asking,
    failing,
    make_tmux_variables,
    start,
    turn,
)


@dataclass(frozen=True)
class ScriptedSession:
    """A session: its head, and the pieces it plays."""

    file: str
    name: str
    """What the client calls it as long as nobody renames it."""
    session: str
    cwd: str
    model: str
    window: int
    started: float
    """Seconds on the demo's clock; before -PERIOD for all but the one that comes and goes."""
    pieces: Sequence[Excerpt]
    terminal: Mapping[str, str] = field(default_factory=dict)
    tmux: str = ""
    entrypoint: str = "cli"
    forget: float | None = None
    """Second at which the files of this round's session are removed; only for a session that is another one in each round."""


PARTS = (
    ScriptedSession(
        "sort-order",
        "shop-api-3c",
        "5e1f0a52-7c1d-4b3e-9a51-0d2f6c1b8e01",
        f"{WORK}/shop-api",
        OPUS,
        1_000_000,
        -2.4 * HOUR,
        [
            start(-2.4 * HOUR),
            *(
                turn(-8000 + i * 1500, 40, prompt, reply, 120_000 + i * 115_000, output=30_000, lines=(160, 70))
                for i, (prompt, reply) in enumerate(
                    [
                        ("Sort by price", "Lists are built in three places; I would join them first."),
                        ("Yes, join them in one query", "One query builds all lists now."),
                        ("Add filters by brand and size", "Both filters work and are tested."),
                        ("Page the results", "Results come in pages of 50."),
                        ("Cache the first page", "The first page is cached for a minute."),
                    ]
                )
            ),
            PERMISSIONS,
        ],
        **make_tmux_variables(3),
    ),
    ScriptedSession(
        "refunds",
        "shop-api-f3",
        "5e1f0a52-7c1d-4b3e-9a51-0d2f6c1b8e02",
        f"{WORK}/shop-api",
        OLD_SONNET,
        200_000,
        -1.5 * HOUR,
        [
            start(-1.5 * HOUR),
            turn(
                -4000,
                60,
                "Order tests",
                "The states are covered by 24 tests.",
                52_000,
                output=24_000,
                lines=(310, 0),
            ),
            turn(-2500, 60, "Which ones are slow?", "Three of them start a database each.", 81_000, output=9_000),
            turn(
                4,
                9,
                "Share one database between them",
                "They share one; the run takes 4 s.",
                121_000,
                tag=f"ca{ROUND}",
                lines=(18, 40),
            ),
            turn(
                22,
                16,
                "Test partial deliveries too",
                "Partial deliveries have six tests.",
                164_000,
                tag=f"cb{ROUND}",
                lines=(88, 3),
            ),
            COMPACT,
            turn(
                82,
                16.5,
                "Cover the error pages",
                "Each error page has a test.",
                64_000,
                tag=f"cc{ROUND}",
                lines=(54, 1),
            ),
        ],
        **make_tmux_variables(4),
    ),
    ScriptedSession(
        "search-index",
        "shop-api-search-71",
        "5e1f0a52-7c1d-4b3e-9a51-0d2f6c1b8e03",
        f"{WORK}/shop-api-search",
        SONNET,
        1_000_000,
        -0.9 * HOUR,
        [
            start(-0.9 * HOUR),
            turn(-3000, 50, "Search index", "Today it is a scan over names.", 96_000, output=20_000),
            turn(
                -1900,
                50,
                "Build an index over names and tags",
                "The index is built at start.",
                188_000,
                output=40_000,
                lines=(240, 12),
            ),
            NESTED,
            failing(
                86,
                f"nf{ROUND}",
                (
                    "Run all tests",
                    "npm test -- search",
                    "Run the search tests",
                    "Exit code 1\n2 failed, 39 passed: search › finds a tag",
                    "Two tests fail: tags are lower case in the index.",
                ),
                238_000,
            ),
        ],
    ),
    ScriptedSession(
        "login-button",
        "shop-web-login-52",
        "5e1f0a52-7c1d-4b3e-9a51-0d2f6c1b8e04",
        f"{WORK}/shop-web-login",
        OPUS,
        1_000_000,
        -0.4 * HOUR,
        [
            start(-0.4 * HOUR),
            turn(-1300, 30, "Login button", "The page loads four scripts, one of them twice.", 64_000, output=12_000),
            asking(
                33,
                f"qa{ROUND}",
                (
                    "Load it once",
                    f"{WORK}/shop-web-login/src/login.tsx",
                    "npm run build",
                    "Build the page",
                    "It is loaded once; the page is 80 kB lighter.",
                ),
                96_000,
                7,
                (9, 31),
            ),
            answer_in_registry(49, f"qb{ROUND}"),
            QUESTION,
        ],
        **make_tmux_variables(7),
    ),
    ScriptedSession(
        "checkout",
        "shop-web-7b",
        "5e1f0a52-7c1d-4b3e-9a51-0d2f6c1b8e05",
        f"{WORK}/shop-web",
        OPUS,
        1_000_000,
        -1.1 * HOUR,
        [
            start(-1.1 * HOUR),
            turn(
                -3400,
                50,
                "New payment API",
                "Through an old client that is no longer kept up.",
                110_000,
                output=24_000,
            ),
            turn(
                -2300,
                50,
                "Draw up what the new API asks for",
                "Seven calls, two of them new.",
                205_000,
                output=30_000,
                lines=(60, 0),
            ),
            RENAME,
            PLAN,
        ],
        **make_tmux_variables(8),
    ),
    ScriptedSession(
        "image-guide",
        "shop-web-1a",
        "5e1f0a52-7c1d-4b3e-9a51-0d2f6c1b8e06",
        f"{WORK}/shop-web",
        OPUS,
        1_000_000,
        -0.5 * HOUR,
        [
            start(-0.5 * HOUR),
            Excerpt(
                "09-teams",
                3.4,
                9.55,
                "3.45>-1700 3.88>-1696 4.23>-1694 4.24>-1693.9 4.53>-1693 4.62>-1692 4.83>-1688 6.78>-1600 "
                "6.92>-1580 7.22>-1575 8.73>-1500 9.2>-1495",
                "t0",
                TEAM_WORDS,
                (96_000, 8_000),
                9_000,
                (18_000, 5_000),
                lines=(74, 0),
                agents="team",
            ),
            TEAM,
        ],
    ),
    ScriptedSession(
        "old-docs",
        "shop-web-c4",
        "5e1f0a52-7c1d-4b3e-9a51-0d2f6c1b8e07",
        f"{WORK}/shop-web",
        SONNET,
        1_000_000,
        -0.2 * HOUR,
        [
            start(-0.2 * HOUR),
            turn(
                -318,
                60,
                "Returns pages",
                "The three pages are up to date.",
                61_000,
                output=15_000,
                lines=(44, 58),
            ),
        ],
    ),
    ScriptedSession(
        "terraform",
        "infra-1a",
        "5e1f0a52-7c1d-4b3e-9a51-0d2f6c1b8e08",
        f"{WORK}/infra",
        OPUS,
        1_000_000,
        -3.2 * HOUR,
        [
            start(-3.2 * HOUR),
            turn(
                -9000,
                60,
                "Terraform state",
                "All stacks can share one bucket.",
                180_000,
                output=50_000,
                lines=(90, 130),
            ),
            turn(
                -5000,
                60,
                "Lock it against two writers",
                "A table holds the lock.",
                330_000,
                output=50_000,
                lines=(35, 2),
            ),
            failing(
                34,
                f"rf{ROUND}",
                (
                    "Try again: split the state by region",
                    "terraform plan -detailed-exitcode",
                    "Look at the plan",
                    "Exit code 2\nPlan: 6 to add, 0 to change, 6 to destroy.",
                    "The plan moves six resources; nothing is lost.",
                ),
                412_000,
                lines=(71, 66),
            ),
            ERROR,
        ],
        **make_tmux_variables(11),
    ),
    ScriptedSession(
        "staging",
        "infra-aa",
        "5e1f0a52-7c1d-4b3e-9a51-0d2f6c1b8e09",
        f"{WORK}/infra",
        HAIKU,
        1_000_000,
        -0.3 * HOUR,
        [
            start(-0.3 * HOUR),
            turn(-900, 20, "Staging image", "It is so large because it holds the build tools.", 42_000, output=8_000),
            BACKGROUND,
            INTERRUPT,
        ],
        **make_tmux_variables(12),
    ),
    ScriptedSession(
        "changelog",
        "infra-f0",
        "5e1f0a52-7c1d-4b3e-9a51-0d2f6c1b8e-@n@",
        f"{WORK}/infra",
        SONNET,
        1_000_000,
        30,
        [HEADLESS],
        entrypoint="sdk-cli",
        forget=30 + PERIOD - 4,
    ),
)


def list_lines(part: ScriptedSession) -> list[Data]:
    """The head and all lines of a part."""
    head: Data = {
        "session": part.session,
        "cwd": part.cwd,
        "model": part.model,
        "window": part.window,
        "started": part.started,
        "name": part.name,
        "entrypoint": part.entrypoint,
    }
    head |= {key: value for key, value in (("terminal", part.terminal), ("tmux", part.tmux)) if value}
    lines = [line for piece in part.pieces for line in cut(piece, part.model)]
    if part.entrypoint == "sdk-cli":  # runs no statusLine
        lines = [line for line in lines if line["kind"] != "statusline"]
    if part.forget is not None:
        lines.append({"t": part.forget, "kind": "forget", "data": None})
    return [head, *sorted(lines, key=lambda line: line["t"])]


def render(part: ScriptedSession) -> str:
    """The text of a part's file."""
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in list_lines(part))


def write(folder: Path = FOLDER) -> None:
    """Writes the scenario anew."""
    for old in folder.glob("*.jsonl"):
        old.unlink()
    for part in PARTS:
        (folder / f"{part.file}.jsonl").write_text(render(part), "utf-8")


if __name__ == "__main__":
    write()
