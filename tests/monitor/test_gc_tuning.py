"""The garbage collector ignores what the app loads at its start, and nothing else."""

import ctypes
import subprocess
import sys

import pytest

SCRIPT = """
import gc
from atm_tui.monitor import gc_tuning
class Cycle: pass
def make_garbage():
    cycle = Cycle(); cycle.itself = cycle
{}
print(gc.isenabled(), gc.get_freeze_count() > 1000, sum(type(each) is Cycle for each in gc.get_objects()))
"""


def run_steps(*steps: str) -> str:
    """Whether the collector is on, whether objects are frozen, and how many cycles without a reference are left."""
    command = [sys.executable, "-c", SCRIPT.format("\n".join(steps))]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_nothing_is_collected_during_the_start_and_garbage_is_collected_afterwards() -> None:
    assert run_steps("gc_tuning.pause()", "make_garbage()") == "False False 1"
    assert run_steps("gc_tuning.pause()", "make_garbage()", "gc_tuning.resume()") == "True True 0"
    assert run_steps("gc_tuning.pause()", "gc_tuning.resume()", "make_garbage()", "gc.collect()") == "True True 0"


def test_objects_that_become_garbage_later_are_collected_eventually() -> None:
    steps = [
        "gc_tuning.pause()",
        "gc_tuning.resume()",
        "cycle = Cycle()",
        "cycle.itself = cycle",
        "gc_tuning.collect(0)",
    ]
    steps += ["del cycle"]
    assert run_steps(*steps, "gc_tuning.collect(1)", "gc.unfreeze()") == "True False 1", "frozen: not looked at"
    assert run_steps(*steps, "gc_tuning.collect(gc_tuning.WHOLE_EVERY - 1)") == "True True 0"


def test_no_full_collection_is_triggered_automatically() -> None:
    steps = ["gc_tuning.pause()", "gc_tuning.resume()", "before = gc.get_stats()[2]['collections']"]
    steps += ["kept = [[] for _ in range(500_000)]", "assert gc.get_stats()[2]['collections'] == before"]
    assert run_steps(*steps) == "True True 0"


def test_nothing_is_collected_while_the_user_types() -> None:
    steps = [
        "gc_tuning.pause()",
        "gc_tuning.resume()",
        "now = [5.0]",
        "quiet = gc_tuning.QuietCollector(lambda: now[0])",
    ]
    steps += ["now[0] += 59", "quiet.collect()", "now[0] += 1"]  # nor before a minute is over
    steps += ["quiet.note_key()", "make_garbage()", "now[0] += 1", "quiet.collect()"]
    assert run_steps(*steps) == "True True 1"
    assert run_steps(*steps, "now[0] += 1", "quiet.collect()") == "True True 0"


def test_an_app_inside_another_program_leaves_the_collector_alone() -> None:
    assert run_steps("make_garbage()", "gc_tuning.resume()", "gc_tuning.collect(9)") == "True False 1"


def test_large_caches_are_emptied_with_the_whole_collection() -> None:
    steps = [
        "from functools import cache, lru_cache",
        "large, small, kept = lru_cache(4096)(len), lru_cache(4096)(len), cache(len)",
        "list(map(large, map(str, range(300)))), list(map(kept, map(str, range(300)))), small('')",
        "sizes = lambda: [each.cache_info().currsize for each in (large, small, kept)]",
        "gc_tuning.pause()",
        "gc_tuning.resume()",
    ]
    steps += ["gc_tuning.collect(1)", "assert sizes() == [300, 1, 300]"]
    steps += ["gc_tuning.collect(gc_tuning.WHOLE_EVERY - 1)", "assert sizes() == [0, 1, 300]"]
    assert run_steps(*steps) == "True True 0"


COUNT_HEAPS = """
import ctypes, os, tempfile, threading
def count_heaps():
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    with tempfile.NamedTemporaryFile() as file:
        stream = ctypes.c_void_p(libc.fopen(os.fsencode(file.name), b"w"))
        assert libc.malloc_info(0, stream) == 0 == libc.fclose(stream)
        return file.read().count(b"<heap nr=")
kept = []
def use_a_thread():
    thread = threading.Thread(target=lambda: kept.append(bytearray(5000)))
    thread.start(), thread.join()
"""
needs_glibc = pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_info"), reason="of the GNU C library"
)


@needs_glibc
def test_threads_that_begin_while_the_app_starts_have_no_heap_of_their_own() -> None:
    assert run_steps(COUNT_HEAPS, "use_a_thread()", "assert count_heaps() == 2", "gc_tuning.pause()") == "False False 0"
    assert run_steps(COUNT_HEAPS, "gc_tuning.pause()", "use_a_thread()", "assert count_heaps() == 1") == "False False 0"


@needs_glibc
def test_memory_in_which_nothing_is_left_goes_back_to_the_system_with_the_whole_collection() -> None:
    measure = "measure = lambda: int(open('/proc/self/statm').read().split()[1]) * os.sysconf('SC_PAGE_SIZE')"
    steps = [COUNT_HEAPS, measure, "gc_tuning.pause()", "gc_tuning.resume()"]
    steps += ["pieces = [bytearray(60_000) for _ in range(500)]", "last = bytearray(60_000)", "del pieces"]
    steps += ["gc_tuning.collect(1)", "full = measure()"]
    assert run_steps(*steps, "gc_tuning.collect(2)", "assert measure() > full - (20 << 20)") == "True True 0"
    whole = "gc_tuning.collect(gc_tuning.WHOLE_EVERY - 1)"
    assert run_steps(*steps, whole, "assert measure() < full - (20 << 20)") == "True True 0"
