"""A simulated fleet: puts the records of many machines into a NATS server, and goes on changing some of their sessions.

`python -m tests.bench.fleet_load URL MACHINES SESSIONS RATE`: prints `ready` once all are there; each line of its stdin becomes
the command that the first session of the first machine asks to run.
"""

import asyncio
import random
import sys
import time

import msgspec
import nats

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.fleet_server import Level
from atm_tui.model.machine import StreamTotals
from atm_tui.model.published import BEAT, BUCKET, TTL, MachineRecord, make_key
from atm_tui.model.session import (
    Agent,
    AgentState,
    Context,
    ContextSample,
    Cost,
    Files,
    Project,
    Session,
    State,
)
from atm_tui.model.stream import PROTOCOL, Hello, SessionLine
from atm_tui.model.tokens import Tokens
from atm_tui.model.wait import Reason, Wait

STEP = 0.02
"""Seconds between two portions of changes."""


def make_machine(number: int) -> str:
    """Returns the name of a machine."""
    return f"m{number:03}"


def make_session(machine: int, number: int, turn: int, command: str = "") -> Session:
    """Makes a session of usual size, which works or, with a command, asks to run it."""
    now = time.time()
    kind = ActivityKind.PERMISSION if command else ActivityKind.TOOL
    what = command or f"pytest tests/part_{turn}.py"
    tokens = Tokens(input=turn, output=2 * turn, cache_read=1000 * turn)
    return Session(
        session_id=f"{machine:04}-{number:04}",
        name=f"part {machine:03} {number:02}",
        project=Project(root=f"/home/user/project-{number % 6}", name=f"project-{number % 6}", branch="main"),
        cwd=f"/home/user/project-{number % 6}",
        model="claude-opus-4-5",
        state=State.NEEDS_YOU if command else State.WORKING,
        activity=Activity(kind=kind, tool="Bash", what=what, count=1),
        waits=(Wait(key="w", reason=Reason.PERMISSION, tool="Bash", summary=what, since=now),) if command else (),
        since=now,
        started_at=1_790_000_000.0 + 100 * machine + number,
        updated_at=now,
        turns=turn,
        last_prompt="Look at the failing test and find out what changed. " * 5,
        last_reply="The test fails since the fixture was renamed in the last commit; I have put it back. " * 4,
        agents=tuple(
            Agent(
                agent_id=f"a{each}", type="Explore", state=AgentState.WORKING, tokens=tokens, description="Explore it"
            )
            for each in range(2)
        ),
        tools_used={"Bash": turn, "Edit": 3, "Read": 9},
        files=Files(edited=tuple(f"/home/user/src/module_{each}.py" for each in range(10))),
        context=Context(
            used_tokens=1000 * turn,
            window_tokens=1_000_000,
            percent=turn / 10,
            source="transcript",
            samples=tuple(ContextSample(now - 60 * each, 1000 * each, each) for each in range(20)),
        ),
        cost=Cost(usd=turn / 100, source="transcript", tokens=tokens, by_model={"claude-opus-4-5": turn / 100}),
    )


async def _follow_stdin(lines: "asyncio.Queue[str]") -> None:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        lines.put_nowait(line.decode().strip())
    lines.put_nowait("")


async def main(url: str, machines: int, sessions: int, rate: float) -> None:
    """Puts everything, then changes sessions until stdin ends."""
    client = await nats.connect(url)
    await client.jetstream().create_key_value(bucket=BUCKET, history=1, ttl=TTL)

    async def put(machine: int, number: int, turn: int, command: str = "") -> None:
        line = SessionLine(session=make_session(machine, number, turn, command), at=time.time())
        key = make_key(make_machine(machine), line.session.session_id)
        await client.publish(f"$KV.{BUCKET}.{key}", msgspec.json.encode(line))

    async def beat(machine: int) -> None:
        name = make_machine(machine)
        hello = Hello(protocol=PROTOCOL, at=time.time(), version="9", machine=name, heartbeat=BEAT)
        record = MachineRecord(hello=hello, level=Level.FULL, totals=StreamTotals(working=sessions))
        await client.publish(f"$KV.{BUCKET}.{make_key(name)}", msgspec.json.encode(record))

    for machine in range(machines):
        for number in range(sessions):
            await put(machine, number, 1)
        await beat(machine)
        await client.flush()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    lines: asyncio.Queue[str] = asyncio.Queue()
    following = asyncio.create_task(_follow_stdin(lines))
    chance = random.Random(1)
    turn, begun, beats, done = 1, time.monotonic(), 0.0, 0
    while not following.done():
        while not lines.empty():
            if command := lines.get_nowait():
                await put(0, 0, turn, command)
        passed = time.monotonic() - begun
        due = int(passed * rate)
        done = max(done, due - int(rate / 10))  # what a busy machine missed is not made up for
        while done < due:
            done, turn = done + 1, turn % 900 + 1
            machine, number = chance.randrange(machines), chance.randrange(1, sessions)
            await put(machine, number, turn)
        while beats < passed * machines / BEAT:
            await beat(int(beats) % machines)
            beats += 1
        await asyncio.sleep(STEP)
    await client.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
