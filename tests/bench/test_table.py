"""The table of the benches: medians, aims, and its forms."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.bench import __main__ as bench
from tests.bench import table
from tests.bench.options import Options
from tests.bench.parts import PARTS, Part
from tests.bench.pty_screen import Screen
from tests.bench.row import Aim, Row, compute_spread, summarize

ROWS = (
    Row("status", 53.04, "ms", "bare interpreter", 8.04, Aim(8), 0.021),
    Row("first call", 512.4, "MB/s", "disk", 0.91, Aim(400, "figure", "at least")),
    Row("other", None, note="needs npm"),
)


@pytest.mark.parametrize(
    ("row", "met"),
    [
        (Row("at the limit", 1.0, ratio=8.0, aim=Aim(8)), True),
        (Row("above", 1.0, ratio=8.01, aim=Aim(8)), False),
        (Row("of the figure", 70.0, ratio=9.0, aim=Aim(80, "figure")), True),
        (Row("not fast enough", 399.0, aim=Aim(400, "figure", "at least")), False),
        (Row("no aim", 1.0), None),
        (Row("no figure", None, aim=Aim(8)), None),
    ],
    ids=lambda value: value.name if isinstance(value, Row) else None,
)
def test_an_aim_is_met_missed_or_neither(row: Row, met: bool | None) -> None:
    assert row.is_met is met


def test_one_slow_run_changes_no_median() -> None:
    row = summarize("x", [10.0, 11.0, 500.0, 10.0, 12.0], "ms", [5.0, 5.0, 5.0, 5.0, 5.0], reference="bare")
    assert (row.figure, row.ratio) == (11.0, 2.2)


def test_ratios_are_computed_per_pair_so_machine_speed_cancels_out() -> None:
    assert summarize("x", [10.0, 20.0, 40.0], "ms", [5.0, 10.0, 20.0], reference="bare").ratio == 2.0


def test_the_spread_needs_three_runs() -> None:
    assert compute_spread([1.0, 2.0]) is None
    assert compute_spread([2.0, 2.0, 2.0]) == 0
    assert compute_spread([1.0, 2.0, 3.0]) == pytest.approx(0.5)


def test_a_line_says_figure_spread_ratio_aim_and_whether_it_is_met() -> None:
    lines = [" ".join(table.format_line(table.format_cells(row)).split()) for row in ROWS]
    assert lines == [
        "status 53.0 ms ±2% 8.04 x bare interpreter at most 8 x no",
        "first call 512 MB/s 0.91 x disk at least 400 MB/s yes",
        "other needs npm",
    ]


def test_columns_are_aligned() -> None:
    heading, line = (table.format_line(cells) for cells in (table.COLUMNS, table.format_cells(ROWS[0])))
    assert heading.index("ratio to") == line.index("8.04 x")


def test_json_has_all_rows_of_all_parts() -> None:
    rows = json.loads(table.format_json({"a": ROWS[:1], "b": ROWS[1:]}, "2 cores", (0.1, 0.2)))["rows"]
    assert [(row["part"], row["name"], row["is_met"]) for row in rows] == [
        ("a", "status", False),
        ("b", "first call", True),
        ("b", "other", None),
    ]


def test_the_table_of_a_document_is_replaced_and_nothing_else() -> None:
    lines = table.format_markdown({"Commands": ROWS}, "2 cores")
    written = table.replace_table("above\n<!-- measured -->\nold\n<!-- /measured -->\nbelow\n", lines)
    assert "old" not in written
    assert written.startswith("above\n<!-- measured -->\n2 cores\n")
    assert "| status | 53.0 ms | ±2% | 8.04 x bare interpreter | at most 8 x | no |\n" in written
    assert written.endswith("<!-- /measured -->\nbelow\n")
    assert table.replace_table(written, lines) == written


def test_a_document_without_table_markers_is_left_alone() -> None:
    with pytest.raises(ValueError, match="no place for the table"):
        table.replace_table("text\n", ["line"])


@pytest.mark.parametrize(
    ("words", "reason"),
    [(("nothing",), "there is no part nothing"), (("--write", "rest"), "a thorough run of all parts")],
)
def test_invalid_arguments_are_explained(
    words: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        bench.main(words)
    assert reason in capsys.readouterr().err


def test_only_the_named_part_is_measured_and_missing_programs_are_listed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ATM_BENCH_PEERS", raising=False)
    bench.main(["--json", "peers"])
    [row] = json.loads(capsys.readouterr().out)["rows"]
    assert (row["part"], row["figure"]) == (PARTS["peers"].title, None)
    assert "ATM_BENCH_PEERS=1" in row["note"]


def test_a_thorough_run_of_all_parts_is_written_into_the_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = tmp_path / "performance.md"
    document.write_text("# What it takes\n<!-- measured -->\n<!-- /measured -->\n")
    monkeypatch.setattr(bench, "DOCUMENT", document)
    monkeypatch.setattr(
        bench, "PARTS", {"a": Part("Commands", lambda _: iter(ROWS)), "b": Part("None", lambda _: iter(()))}
    )
    bench.main(["--write"])
    text = document.read_text()
    assert "load average" in text
    assert "| **Commands** | | | | | |\n| status | 53.0 ms |" in text
    assert "**None**" not in text


def run_command_that_fails(_: Options) -> Iterator[Row]:
    yield ROWS[0]
    script = "import sys; sys.exit('one\\nno room on the disk')"
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def wait_for_nothing(_: Options) -> Iterator[Row]:
    yield ROWS[0]
    screen = Screen(["cat"], {"PATH": os.environ["PATH"]}, (4, 20))
    try:
        screen.wait("1 of", 0.1)
    finally:
        screen.close()


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        (run_command_that_fails, "failed in run_command_that_fails: .*exit code 1 and said: no room on the disk"),
        (wait_for_nothing, "failed in wait_for_nothing > wait: '1 of' did not come onto the screen in 0 s"),
    ],
)
def test_a_failing_part_is_a_row_that_says_what_failed(
    measure: Callable[[Options], Iterator[Row]],
    reason: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(PARTS, "rest", Part("The app", measure))
    bench.main(["--json", "rest"])
    out, err = capsys.readouterr()
    first, failed = json.loads(out)["rows"]
    assert (first["name"], first["note"], failed["name"]) == ("status", "", "The app")
    assert re.fullmatch(reason, failed["note"])
    assert "Traceback" in err
