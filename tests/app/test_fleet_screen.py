"""The main screen as text: header, rows, panes, footer, help, sizes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle

import msgspec
import pytest
from rich.cells import cell_len
from textual.geometry import Region

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.fleet import Delta, Health
from atm_tui.model.session import Context, Cost, Project, Session, State
from atm_tui.screens.help import HelpScreen
from atm_tui.screens.renewal import renew_fleet_screen
from atm_tui.view.columns import fit_columns
from atm_tui.widgets import session_tree
from atm_tui.widgets.painting import Cells, show_cells
from atm_tui.widgets.session_tree import SessionTree
from tests.support.effort import sample
from tests.support.fleets import BROKEN, HEALTHY, NOW, UNHEARD, make_busy_fleet, make_large_fleet
from tests.support.memory_monitor import MemoryMonitor

SHOP = Project(root="/src/shop", name="shop")

HOSTILE = [
    "[00] fix",
    "[/]",
    "[b",
    "[red]x",
    "a [/#888888] b",
    "[link=file:///]",
    "x\x1b]52;c;ZXZpbA==\x07y\x1b[2J\x9b31mz\r\nq\u202e",
    "日本語プロジェクト",
    "👩\u200d💻 fix",
    "⚠\ufe0f warn",
    "e\u0301",
    "🇯🇵",
    "a\u200bb",
    "\ud800 lone",
]


@contextmanager
def watch_paints(tree: SessionTree) -> Iterator[list[int]]:
    """The lines that are painted again, in order; -1 is the whole tree."""
    paints: list[int] = []
    refresh = tree.refresh

    def watched(*regions: Region, **options: bool) -> object:
        paints.extend([region.y + tree.scroll_offset.y for region in regions] or [-1])
        return refresh(*regions, **options)

    def show_watched(widget: SessionTree, cells: Sequence[Cells]) -> None:
        paints.extend(y + tree.scroll_offset.y for _, y, _ in cells)
        show_cells(widget, cells)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "refresh", watched)
        patch.setattr(session_tree, "show_cells", show_watched)
        yield paints


async def test_the_header_counts_and_sums(drive) -> None:
    async with drive(make_busy_fleet()) as app:
        assert " ".join(app.lines[0].split()).startswith("atm-tui ● 3 need you ◐ 3 working ○ 3 idle 5h ")
        assert app.lines[0].endswith("total $23.90 ")


async def test_a_notice_has_a_line_only_when_there_is_one(drive) -> None:
    async with drive(make_busy_fleet(), health=HEALTHY) as app:
        assert "⚠" not in app.text
        await app.put(*make_busy_fleet(), health=UNHEARD)
        assert app.lines[1].startswith(" ⚠ 2 of 5 live sessions started before")
        await app.put(*make_busy_fleet(), health=HEALTHY)
        assert "⚠" not in app.text


async def test_of_several_notices_the_first_is_shown_and_the_rest_counted(drive) -> None:
    async with drive(make_busy_fleet(), health=Health(notices=("First [/].", "Second.", "Third."))) as app:
        assert app.lines[1].split("  ")[0] == " ⚠ First [/]."
        assert app.lines[1].rstrip().endswith("+2 more  D shows all")


async def test_rows_hold_state_context_cost_and_age(drive) -> None:
    async with drive(make_busy_fleet()) as app:
        assert app.line_with("Plan").split("│ └")[0].split()[:8] == [
            "├▾◐", "Plan", "plan", "the", "r…", "Read", "model.py", "╸───",
        ]  # fmt: skip
        assert "84%   $8.78   41s" in app.line_with("refactor-db")
        assert app.line_with("nightly-report").split("│")[0].split()[-3:] == ["–", "–", "2h30"]


async def test_ages_advance_and_only_changed_lines_are_rendered(drive) -> None:
    async with drive(make_busy_fleet()) as app:
        await app.tick(2)
        assert "1m14s" in app.line_with("my-feature")
        assert " 31m" in app.line_with("Why is")
        with watch_paints(app.tree) as paints:
            await app.tick(0.4)
            assert paints == []
            await app.tick(0.6)
            assert paints == [
                app.ids.index(row.id) for row in app.tree.rows if row.counts_seconds and NOW - (row.since or 0) < 600
            ]


async def test_an_idle_fleet_is_rendered_a_few_times_a_minute(drive) -> None:
    async with drive(make_large_fleet(54)) as app:
        with watch_paints(app.tree) as paints:
            moments = 0
            for _ in range(75):
                before = len(paints)
                await app.tick(1)
                await app.pilot.pause(0.01)
                moments += len(paints) > before
        visible = app.tree.rows[: app.tree.size.height]
        assert len(paints) == sum(row.since is not None for row in visible)
        assert moments <= 5


async def test_a_pane_shows_each_second_what_it_would_if_it_were_written_anew(drive) -> None:
    left = cycle([3.0, 61.0, 600.0, 3_600.0])
    warm = [msgspec.structs.replace(each, cache_until=NOW + next(left)) for each in make_busy_fleet()]
    async with drive(warm, size=(140, 80)) as app:
        pane, counted = app.main.panes.widget.panes["status"], 0
        for row in [each for each in app.tree.rows if each.id[0] in ("session", "agent")]:
            app.tree.select(row.id)
            await app.pilot.pause()
            before = pane.lines[0]
            for _ in range(2):
                await app.tick(1)
                ticked = list(pane.lines)
                app.main._show_selected()
                assert pane.lines == ticked, row.id
            counted += row.counts_seconds and pane.lines[0] != before
    assert counted > 3


async def test_one_change_touches_one_line(drive) -> None:
    fleet = make_large_fleet(54)
    async with drive(fleet) as app:
        with watch_paints(app.tree) as paints:
            fleet[3] = msgspec.structs.replace(fleet[3], activity=Activity(kind=ActivityKind.INTERRUPTED))
            await app.put(*fleet)
        assert paints == [app.ids.index(("session", "s0003"))]


async def test_the_panes_show_a_project_a_session_with_its_waits_and_an_agent(drive) -> None:
    async with drive(make_busy_fleet(), size=(140, 80)) as app:
        await app.press("g")
        for text in (
            "─ shop-api ─", "● 1 needs you", "live    3 sessions", "closed  1 session", "$13.52", "+1,516  -1,077",
        ):  # fmt: skip
            assert text in app.text, text
        await app.press("j")
        for text in (
            "─ my-feature ─", "Explore wants to run Bash", "npm run migrate -- --env test", "prompt  Add the migration",
            "reply   Two agents look", "model   opus 4.5 · high", "mode    manual", "folder  ~/src/shop-api",
            "branch  main", "runs in tmux main:2 %14", "pid     9020", "─ context ─",
            "610K of 1.0M tokens", "─ cost ─", "$3.20", "cache read   608K", "compacts in ~14 turns",
            "5 Explore", "+312  -87", "Bash\xa017", "─ tasks 3/7 ─", "○ Run it against", "─ files 5 ─",
        ):  # fmt: skip
            assert text in app.text, text

        await app.press("j")
        for text in ("─ Explore ─", "task    explore the schema", "session my-feature", "36K of 200K tokens", "$0.40",
                     "started 3m ago"):  # fmt: skip
            assert text in app.text, text


async def test_unknown_figures_are_not_shown_as_zero(drive) -> None:
    async with drive([Session(session_id="s", name="new", project=SHOP, is_reported=False)]) as app:
        assert "not known yet" in app.text
        assert "its hooks have reported nothing" in " ".join(app.text.split())
        assert "$0.00" not in app.text
        assert " 0%" not in app.text


async def test_contradicting_figures_are_marked(drive) -> None:
    session = Session(
        session_id="s", name="odd", project=SHOP,
        context=Context(used_tokens=680_000, window_tokens=200_000, problem="680,000 are more", source="transcript"),
        cost=Cost(usd=1.0, unpriced_tokens=24_000, disagrees="the transcript says $2.00: a fork was counted twice"),
    )  # fmt: skip
    async with drive([session], size=(160, 40)) as app:
        assert "%" not in app.line_with("○ odd")
        assert "a figure is wrong" in app.text
        assert "24K tokens without a known price" in app.text
        assert "a fork was counted" in app.text


async def test_an_unreadable_file_is_a_row_and_a_pane(drive) -> None:
    async with drive(make_busy_fleet(), unreadable=BROKEN) as app:
        assert "unreadable unexpected end at byte 512" in app.line_with("3f9a77c0.json")
        await app.press("G", "k", "k", "k")
        assert app.tree.selected == ("unreadable", BROKEN[0].path)
        assert "The next event of its session" in app.text
        assert "─ context ─" not in app.text


async def test_the_last_good_values_stay_when_a_state_file_breaks(drive) -> None:
    broken = msgspec.structs.replace(make_busy_fleet()[1], problem="3f9a.json: unexpected end at byte 512")
    async with drive([broken]) as app:
        assert "⚠ unreadable" in app.line_with("◐ refactor-db")
        assert "84%   $8.78" in app.line_with("◐ refactor-db")


async def test_an_empty_fleet_says_what_to_do_next(drive) -> None:
    async with drive([], health=Health(hooks="installed")) as app:
        for hooks in sample(("installed", "missing", "stale", "disabled", "unreadable"), "installed", "missing"):
            await app.put(health=Health(hooks=hooks))
            line = app.line_with("atm-tui install")
            assert ("✓" in line) == (hooks == "installed"), hooks
            assert "any terminal" in app.line_with("claude")
            assert "recorded" in app.line_with("atm-tui demo")
            await app.put(*make_busy_fleet())
            assert "No sessions yet" not in app.text, hooks
            assert "my-feature" in app.text, hooks


async def test_the_fleet_is_not_called_empty_before_the_first_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = MemoryMonitor()
    app = AtmApp(monitor, Config())
    monkeypatch.setattr(app, "_refresh", _never)
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.pause(0.05)
        text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "No sessions" not in text


async def _never(*, first: bool = False) -> None:
    return None


async def test_columns_are_aligned_at_every_size(drive) -> None:
    names = [msgspec.structs.replace(each, name=name) for each, name in zip(make_large_fleet(14), HOSTILE, strict=True)]
    sizes = [(40, 10), (59, 20), (60, 24), (80, 24), (99, 30), (100, 24), (140, 45), (300, 100)]
    sizes = sample(sizes, (40, 10), (80, 24), (140, 45))
    async with drive(names, size=sizes[-1]) as app:
        for size in sizes:
            await app.resize(size)
            assert len(app.lines) == size[1]
            assert {cell_len(line) for line in app.lines} == {size[0]}
            at = fit_columns(app.tree.outer_size.width - 1)
            starts = set()
            for line in app.lines:
                if (found := line.find("finished")) > 15 and "○" in line[:12]:
                    starts.add(cell_len(line[:found]))
            assert starts == {1 + at.name + 2 + (at.note + 2 if at.note else 0)}, size


async def test_panes_move_below_and_disappear_as_the_screen_narrows(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 40)) as app:
        beside, below, hidden = "┬─ upgrade-postgres", "─ upgrade-postgres ─", ""
        sizes = [
            (120, 40, beside),
            (80, 24, below),
            (59, 24, hidden),
            (116, 10, beside),
            (80, 10, hidden),
            (120, 40, beside),
        ]
        for width, height, expected in sample(sizes, *sizes[:4]):
            await app.pilot.resize_terminal(width, height)
            await app.pilot.pause(0.05)
            assert ("─ upgrade-postgres" in app.text) == bool(expected), (width, height)
            assert expected in app.text
            assert app.tree.selected == ("session", "0c11")
            assert "upgrade-po" in app.line_with("▌")


def name_all(title: str) -> Session:
    """A session with the same text wherever text is from outside."""
    (session,) = make_large_fleet(1)
    return msgspec.structs.replace(
        session, name=title, activity=Activity(kind=ActivityKind.TOOL, tool=title, what=title),
        last_prompt=title, last_reply=title, model=title, permission_mode=title,
        cwd=title, project=Project(root=title, name=title, branch=title, worktree=title), state=State.WORKING,
        tools_used={title: 3},
    )  # fmt: skip


async def test_hostile_text_is_shown_literally_everywhere(drive) -> None:
    async with drive([name_all(HOSTILE[0])], size=(160, 50), health=Health(notices=(HOSTILE[0],))) as app:
        for title in sample(HOSTILE, "[/]", "[red]x", HOSTILE[6], "👩\u200d💻 fix", "\ud800 lone"):
            await app.put(name_all(title), health=Health(notices=(title,)))
            for bad in ("\x1b", "\x9b", "\x07", "\r", "\u202e", "\u200d", "\ud800"):
                assert bad not in app.text, ascii(title)
            if "[" in title and "\x1b" not in title:
                assert app.text.count(title) > 6, ascii(title)
            await app.press("j", "k")
        await app.press("question_mark", "escape")
        assert app.app.screen is app.main


async def test_help_lists_every_command_and_closes(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 50)) as app:
        for close in ("escape", "question_mark", "q"):
            await app.press("question_mark")
            await app.wait_until(lambda: isinstance(app.app.screen, HelpScreen))
            await app.press(close)
            assert not isinstance(app.app.screen, HelpScreen)
            assert app.app.is_running


async def test_the_fleet_is_updated_behind_the_help(drive) -> None:
    async with drive(make_busy_fleet()[:1]) as app:
        await app.press("question_mark")
        await app.put(*make_busy_fleet())
        await app.press("escape")
        assert "login-bug" in app.text


async def test_keys_that_do_not_work_here_explain_why(drive) -> None:
    async with drive(make_busy_fleet()) as app:
        await app.press("g", "space")
        assert app.lines[-1].strip() == "peek: this is a project; select one of its sessions"
        await app.press("d")
        assert app.lines[-1].strip() == "deny: not armed: press A"
    async with drive([]) as app:
        await app.press("enter")
        assert app.lines[-1].strip() == "jump: there is no session to select yet"
        await app.press("n")
        assert app.lines[-1].strip() == "next waiting: no session needs you"


async def test_tab_goes_to_the_panes_and_back(drive) -> None:
    async with drive(make_busy_fleet()) as app:
        await app.press("tab")
        assert app.app.focused is not None
        assert app.app.focused.id == "pane-status"
        await app.press("escape")
        assert app.app.focused is app.tree


async def test_a_click_in_the_footer_runs_the_command(drive) -> None:
    async with drive(make_busy_fleet()) as app:
        at = app.lines[-1].index("help")
        await app.pilot.click(offset=(at, 39))
        await app.pilot.pause()
        await app.wait_until(lambda: isinstance(app.app.screen, HelpScreen))


async def test_q_quits(drive) -> None:
    async with drive(make_busy_fleet()) as app:
        await app.press("q")
        assert not app.app.is_running
        assert app.app.return_code == 0


async def test_ascii_mode_writes_ascii(drive) -> None:
    ascii_only = [each for each in make_busy_fleet() if each.name.isascii()]
    async with drive(ascii_only, size=(120, 140), config=Config(ascii=True), health=UNHEARD, unreadable=BROKEN) as app:
        assert app.text.isascii(), sorted({each for each in app.text if not each.isascii()})
        assert "! my-feature" in app.text
        await app.press("question_mark")
        assert app.text.isascii(), sorted({each for each in app.text if not each.isascii()})


async def test_a_new_session_is_shown_without_waiting_for_the_clock(drive) -> None:
    async with drive([]) as app:
        await app.put(Session(session_id="n", name="brand-new", project=SHOP, since=NOW))
        assert "0s" in app.line_with("○ brand-new")


async def test_a_change_before_the_screen_is_composed_is_shown_afterwards(drive) -> None:
    async with drive(make_busy_fleet()) as app:
        renewed = app.app.get_default_screen()
        renewed.handle_fleet_change(Delta())
        await renew_fleet_screen(app.app, app.app.fleet_screen, renewed)
        assert app.app.fleet_screen is renewed
        await app.pilot.pause()
        assert "login-bug" in app.text


async def test_a_change_while_the_screen_is_taken_down_does_no_harm(drive) -> None:
    async with drive(make_busy_fleet()) as app:
        await app.main.query_one("#queue").remove()
        app.main.on_side_panes_shown()
        await app.resize((100, 30))
        await app.put(*make_busy_fleet()[:1])
        assert app.app.screen is app.main
