"""The incremental reader of lines: nothing lost, nothing twice, whatever happens to the file."""

import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atm_tui.sources import transcript_tail
from atm_tui.sources.transcript_tail import FileChange, Tail


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def read_lines(tail: Tail) -> list[bytes]:
    return list(tail.read_lines()) if tail.check() in (FileChange.GREW, FileChange.REPLACED) else []


def test_half_a_line_waits_for_its_end(path: Path) -> None:
    path.write_bytes(b"one\ntw")
    tail = Tail(str(path))
    assert read_lines(tail) == [b"one"]
    assert tail.offset == 4
    assert read_lines(tail) == []
    with path.open("ab") as out:
        out.write(b"o\nthree\n")
    assert read_lines(tail) == [b"two", b"three"]
    assert tail.check() is FileChange.SAME


def test_only_newlines_end_lines(path: Path) -> None:
    path.write_bytes("a\u2028b\u0085c\x0bd\x0ce\x1cf\rg\n\n".encode())
    assert read_lines(Tail(str(path))) == ["a\u2028b\u0085c\x0bd\x0ce\x1cf\rg".encode(), b""]


@given(st.binary(max_size=400), st.lists(st.integers(0, 400), max_size=8))
def test_reads_of_any_size_give_the_same_lines(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, cuts: list[int]
) -> None:
    path = tmp_path_factory.mktemp("cut") / "t"
    tail = Tail(str(path))
    found: list[bytes] = []
    ends = sorted({min(c, len(data)) for c in cuts} | {len(data)})
    start = 0
    for end in ends:
        with path.open("ab") as out:
            out.write(data[start:end])
        start = end
        found += read_lines(tail)
    assert found == data.split(b"\n")[:-1]
    assert tail.offset == len(data) - len(data.split(b"\n")[-1])


def test_a_missing_file_is_read_once_it_appears(path: Path) -> None:
    tail = Tail(str(path))
    assert tail.check() is FileChange.SAME
    path.write_bytes(b"a\n")
    assert read_lines(tail) == [b"a"]
    path.unlink()
    assert tail.check() is FileChange.GONE
    assert tail.check() is FileChange.SAME
    path.write_bytes(b"b\n")
    assert read_lines(tail) == [b"b"]


@pytest.mark.parametrize("new", [b"x\n", b"first\nsecond\nthird\nfourth\n", b"FIRST\nsecond\n"])
def test_a_replaced_file_is_read_from_its_start(path: Path, new: bytes) -> None:
    path.write_bytes(b"first\nsecond\n")
    tail = Tail(str(path))
    read_lines(tail)
    other = path.with_name("new")
    other.write_bytes(new)
    other.replace(path)
    assert tail.check() is FileChange.REPLACED
    assert list(tail.read_lines()) == new.split(b"\n")[:-1]


def test_a_file_rewritten_in_place_is_read_from_its_start(path: Path) -> None:
    path.write_bytes(b"first\nsecond\n")
    tail = Tail(str(path))
    for new in (
        b"1\n",
        b"other first\nsecond\nthird\n",
        b"other first\nsecond\nthirD\n",
        b"other first\nsecond and\nthirD\n",
    ):
        read_lines(tail)
        path.write_bytes(new)
        stamp = path.stat().st_mtime_ns + 10_000_000
        os.utime(path, ns=(stamp, stamp))
        assert tail.check() is FileChange.REPLACED, new
        assert b"\n".join(tail.read_lines()) + b"\n" == new


@pytest.mark.parametrize("start", [b"", b"before\n"])
@pytest.mark.parametrize(("inside", "counted"), [(b"x", 0), (b'"usage"', 1)])
def test_an_overlong_line_is_skipped_in_bounded_memory(path: Path, start: bytes, inside: bytes, counted: int) -> None:
    huge = 40 << 20
    with path.open("wb") as out:
        out.write(start)
        for _ in range(huge >> 20):
            out.write(b"y" * (1 << 20))
        out.seek(len(start) + (5 << 20) - 3)
        out.write(inside)
        out.seek(0, os.SEEK_END)
        out.write(b"\nafter\n")
    tail = Tail(str(path), longest=4 << 20)
    tracemalloc.start()
    found = read_lines(tail)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [*([start[:-1]] if start else []), b"after"]
    assert tail.overlong == counted
    assert peak < 12 << 20
    assert tail.offset == path.stat().st_size


def test_a_long_line_below_the_limit_is_read(path: Path) -> None:
    line = b"z" * (3 << 20)
    path.write_bytes(line + b"\nb\n")
    assert read_lines(Tail(str(path))) == [line, b"b"]


def test_memory_of_long_lines_is_used_again_only_when_nothing_refers_to_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_tail, "_CHUNK", 64)
    lines = [letter * (100 + 50 * number) for number, letter in enumerate([b"a", b"b", b"c", b"d"])]
    path.write_bytes(b"\n".join(lines) + b"\n")
    assert read_lines(Tail(str(path))) == lines
    tail, found, used = Tail(str(path)), [], []  # type: Tail, list[bytes], list[object]
    tail.check()
    for line in tail.read_lines():
        found.append(bytes(line))
        used.append(line.obj)
        del line
    assert found == lines
    assert len({id(memory) for memory in used}) < len(used)


def test_an_overlong_line_still_being_written_is_skipped_once(path: Path) -> None:
    tail = Tail(str(path), longest=1000)
    path.write_bytes(b"a\n" + b"y" * 3000)
    assert read_lines(tail) == [b"a"]
    with path.open("ab") as out:
        out.write(b"y" * 3000 + b"\nb\n")
    assert read_lines(tail) == [b"b"]


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        tail = Tail(str(path))
        assert tail.check() is FileChange.SAME
        assert list(tail.read_lines()) == []


def test_a_file_replaced_after_the_check_is_read_next_time(path: Path) -> None:
    path.write_bytes(b"a\n")
    tail = Tail(str(path))
    assert read_lines(tail) == [b"a"]
    with path.open("ab") as out:
        out.write(b"b\n")
    assert tail.check() is FileChange.GREW
    other = path.with_name("new")
    other.write_bytes(b"x\ny\n")
    other.replace(path)
    assert list(tail.read_lines()) == []
    assert tail.check() is FileChange.REPLACED
    assert list(tail.read_lines()) == [b"x", b"y"]


def test_reading_continues_from_a_saved_state(path: Path) -> None:
    path.write_bytes(b"a\nb\nhalf")
    first = Tail(str(path))
    assert read_lines(first) == [b"a", b"b"]
    again = Tail(str(path), state=first.state)
    assert again.check() is FileChange.SAME
    with path.open("ab") as out:
        out.write(b" line\n")
    assert read_lines(again) == [b"half line"]
    path.write_bytes(b"other\n")
    late = Tail(str(path), state=first.state)
    assert late.check() is FileChange.REPLACED


def test_a_file_rewritten_in_place_is_noticed_even_with_the_same_beginning(path: Path) -> None:
    head = b"x" * 300 + b"\n"
    path.write_bytes(head + b"one\ntwo\n")
    tail = Tail(str(path))
    tail.check()
    assert list(tail.read_lines()) == [head[:-1], b"one", b"two"]
    for reader in (tail, Tail(str(path), state=tail.state)):
        with path.open("r+b") as file:
            file.write(head + b"1\n2\n3\n4\n5\n6\n")
        assert reader.check() is FileChange.REPLACED
        assert list(reader.read_lines())[1:] == [b"1", b"2", b"3", b"4", b"5", b"6"]
        path.write_bytes(head + b"one\ntwo\n")
