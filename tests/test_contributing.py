"""CONTRIBUTING.md leads to the right file, and every link in the documentation has a target."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.tables import CONTRIBUTING, PAGES, ROOT, read_layers, read_table

PACKAGE = ROOT / "tui" / "atm_tui"
TEXT = CONTRIBUTING.read_text("utf-8")
CHECKED = (*PAGES, ROOT / "hooks" / "README.md", ROOT / "CHANGELOG.md")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


class Place(NamedTuple):
    """Where something is changed: the file, a name in it, and in words what else."""

    file: Path
    name: str
    more: str


def read_places() -> dict[str, Place]:
    """The rows of the table "Where to change what", by what is to be changed."""
    places = {}
    for row in read_table(CONTRIBUTING, "where")[2:]:
        what, file, name, more = (cell.strip() for cell in row.strip("|").split(" | "))
        places[what] = Place(ROOT / file.strip("`"), name.strip("`"), more)
    return places


PLACES = read_places()


def defines(file: Path, name: str) -> bool:
    """Whether a file defines a name: a function, a class, a constant, or a key of TOML."""
    pattern = rf"^(?:(?:async )?def |class )?{re.escape(name)}\b *[=:(]|^\[\[.*\.{re.escape(name)}\]\]"
    return re.search(pattern, file.read_text("utf-8"), re.MULTILINE) is not None


@pytest.mark.parametrize(
    ("question", "file", "name"),
    [
        ("where a status is decided", "tui/atm_tui/model/status.py", "decide_status"),
        ("a column of the tree", "tui/atm_tui/view/columns.py", "write_row"),
        ("a key", "tui/atm_tui/commands.py", "COMMANDS"),
        ("a price", "tui/atm_tui/cost/pricing.toml", "prices"),
        ("a hook event", "tui/atm_tui/settings/options.py", "EVENTS"),
        ("a terminal", "tui/atm_tui/jump/terminals.py", "TERMINALS"),
        ("a danger", "tui/atm_tui/risk/rules.py", "DANGERS"),
    ],
)
def test_the_table_leads_to_the_right_place(question: str, file: str, name: str) -> None:
    assert PLACES[question][:2] == (ROOT / file, name)


@pytest.mark.parametrize("question", PLACES)
def test_the_named_file_contains_what_the_table_says(question: str) -> None:
    place = PLACES[question]
    assert place.file.is_file()
    assert defines(place.file, place.name), f"{place.file} defines no {place.name}"
    names = re.findall(r"`([^`]+)`", place.more)
    assert names
    for each in names:
        if each.isidentifier():
            assert defines(place.file, each), f"{place.file} defines no {each}"
        else:
            assert any(found for root in (ROOT, PACKAGE, ROOT / "hooks/atm_hooks") for found in root.glob(each)), each


def test_the_named_code_does_what_the_table_says() -> None:
    """The names are not only there: what they hold is used for what the table says."""
    from atm_hooks.payload import EVENTS as READ
    from atm_tui.config import MEANINGS, Config
    from atm_tui.jump.terminals import TERMINALS
    from atm_tui.model import resolve, status
    from atm_tui.model.session import Terminal
    from atm_tui.settings.options import EVENTS

    assert resolve.decide_status is status.decide_status
    assert {rule.name for rule in EVENTS} <= READ
    assert set(TERMINALS) <= set(re.findall(r'"(\w+)"', (PACKAGE / "model" / "terminal.py").read_text("utf-8")))
    assert Terminal().kind not in TERMINALS
    assert set(MEANINGS) == set(Config.__struct_fields__)


def test_the_map_names_every_room() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    rooms |= {path.stem for path in PACKAGE.glob("*.py") if not path.stem.startswith("__")}
    assert {name for layer in read_layers() for name in layer} == rooms
    [picture] = [block for block in FENCE.findall(TEXT) if "┌" in block]
    packages = {room for room in rooms if (PACKAGE / room).is_dir()}
    assert {room for room in packages if not re.search(rf"\b{room}\b", picture)} == set()


def test_every_folder_of_tests_is_described() -> None:
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"}
    section = TEXT.split("## Tests")[1].split("\n## ")[0]
    mirrored = folders & {path.name for path in PACKAGE.iterdir()} | {"hooks"}
    assert {each for each in folders - mirrored if f"`tests/{each}/`" not in section} == set()


def test_the_glossary_is_short_and_has_the_projects_terms() -> None:
    lines = [line for line in TEXT.split("## Glossary")[1].splitlines() if line]
    assert len(lines) <= 30
    words = set(re.findall(r"\*\*([^*]+)\*\*", "\n".join(lines).lower()))
    wanted = "session turn wait request subagent teammate evidence liveness seen arm lease verdict journal fold fleet"
    assert {*wanted.split(), "state file", "monitor", "view", "pane"} <= words


def list_anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", CHECKED, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_has_a_target(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", page.read_text("utf-8"))):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), f"{page.name}: {link}"
        assert target.is_relative_to(ROOT), f"{page.name}: {link}"
        assert not anchor or anchor in list_anchors(target), f"{page.name}: {link}"


def test_every_page_of_the_documentation_is_linked() -> None:
    linked = {
        (page.parent / link.partition("#")[0]).resolve()
        for page in PAGES
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8"))
    }
    assert {page for page in PAGES if page.name != "README.md"} <= linked


def test_every_mentioned_path_exists() -> None:
    roots = (ROOT, ROOT / "tui", PACKAGE, ROOT / "hooks" / "atm_hooks")
    for page in PAGES:
        for name in re.findall(r"`([\w.*-]+/[\w./*-]*)`", page.read_text("utf-8")):
            if name.startswith((".", "answers/")) or name == "project/name" or "NAME" in name:
                continue
            assert any(list(root.glob(name.rstrip("/"))) for root in roots), f"{page.name}: {name}"


def test_no_file_is_long() -> None:
    files = [file for name in ("tui", "hooks", "tests", "screenshots") for file in (ROOT / name).rglob("*.py")]
    assert len(files) > 600
    counts = {file.relative_to(ROOT): len(file.read_text("utf-8").splitlines()) for file in files}
    assert {file: lines for file, lines in counts.items() if lines > 400} == {}
