"""The parts of the table, by the names under which `python -m tests.bench NAME …` measures them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.bench import (
    bench_answers,
    bench_commands,
    bench_conversation,
    bench_fleet,
    bench_following,
    bench_history,
    bench_hooks,
    bench_hosts,
    bench_load,
    bench_memory,
    bench_peers,
    bench_rest,
    bench_watch,
)
from tests.bench.options import Options
from tests.bench.row import Row


@dataclass(frozen=True)
class Part:
    """Rows of the table that are measured together."""

    title: str
    measure: Callable[[Options], Iterator[Row]]


PARTS = {
    "commands": Part("One-shot commands, 54 sessions", bench_commands.measure),
    "rest": Part("The app at rest, and bytes to the terminal", bench_rest.measure),
    "start": Part("Start", bench_rest.measure_start),
    "load": Part("Under load", bench_load.measure),
    "events": Part("From an event to the screen", bench_load.measure_events),
    "watch": Part("From an event to a line of `watch`", bench_watch.measure),
    "hosts": Part("Other machines, over ssh", bench_hosts.measure),
    "fleet": Part("A fleet through NATS", bench_fleet.measure),
    "memory": Part("Memory over a week", bench_memory.measure),
    "hooks": Part("Hooks", bench_hooks.measure),
    "answers": Part("Answers", bench_answers.measure),
    "following": Part("Transcripts that grow", bench_following.measure),
    "usage": Part("Usage of months", bench_history.measure_usage),
    "history": Part("The history", bench_history.measure_screen),
    "conversation": Part("A large conversation", bench_conversation.measure),
    "peers": Part("Other programs, in the same run", bench_peers.measure),
}
