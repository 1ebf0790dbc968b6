"""Feeds of what the app reads of sessions: state, journal, registry, transcripts, projects, recordings."""

import json
import os
import random
from unittest.mock import patch

from atm_tui.config import Config
from atm_tui.jump.resume import find_session_directory
from atm_tui.jump.transcripts import list_transcripts, read_label
from atm_tui.model.conversation import Entry
from atm_tui.model.liveness import decide_liveness
from atm_tui.model.request import Request
from atm_tui.model.session import Liveness
from atm_tui.model.wait import Reason, Wait
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.recording import RecordingError, describe_entry, read_entries
from atm_tui.monitor.replay import Replay
from atm_tui.screens.controllers.conversation_search import ConversationSearch
from atm_tui.sources import folders
from atm_tui.sources.conversation import Conversation
from atm_tui.sources.conversation_files import describe_transcript, list_conversation, read_piece
from atm_tui.sources.mirror import MirroredConversation
from atm_tui.sources.plan import find_plan
from atm_tui.sources.process import ProcessTable
from atm_tui.sources.project import find_project
from atm_tui.sources.registry import RegistrySource
from atm_tui.sources.state import StateSource, read_state
from atm_tui.sources.task_files import TaskFiles, name_lists
from atm_tui.sources.team_file import read_membership
from atm_tui.sources.tool_input import find_tool_input
from atm_tui.sources.transcript import TranscriptReader
from atm_tui.sources.transcript_agents import AgentMetaFile
from atm_tui.timeline.feed import TimelineFeed
from atm_tui.timeline.journals import JournalReader, read_history
from tests.readers.recorded import ENTRIES, EVENTS, LINES, TRANSCRIPT, pick
from tests.readers.rendering import render_conversation, render_events, render_fleet, render_live
from tests.readers.table import ReaderSandbox, feeds
from tests.support.damage import ODD, damage_lines, damage_text, damage_value
from tests.support.full_home import AGENT, SESSION, write

WIDTHS = [40, 80, 120]


@feeds("atm_tui.sources.state:read_state", "atm_tui.sources.state:_read", fed="a state file")
def feed_state(sandbox: ReaderSandbox, dice: random.Random) -> str:
    path = write(sandbox.places["state"], damage_lines([json.loads(sandbox.good["state"])], dice))
    source = StateSource(sandbox.state)
    source.refresh()
    try:
        read_state(str(path))
    except ValueError:
        assert source.unreadable[SESSION].problem
        return "an unreadable row"
    assert not source.unreadable
    return "a state"


@feeds("atm_tui.sources.state:_read", fed="a state file that is older than those that are kept")
def feed_old_state(sandbox: ReaderSandbox, dice: random.Random) -> str:
    path, newest = sandbox.places["state"], sandbox.places["state"].with_name("newest.json")
    state = json.loads(sandbox.good["state"])
    if dice.random() < 0.5:
        state |= {"session_active": False, "ended": {"at": state["updated_at"], "reason": "other"}}
    write(path, damage_lines([state], dice) if dice.random() < 0.3 else _damage_json(state, dice))
    write(newest, json.dumps(state))
    os.utime(path, (1e9, 1e9))
    now = dice.choice([state["updated_at"] + 60, state["updated_at"] + 9 * 3600])
    source = StateSource(sandbox.state, most_whole=1)
    source.refresh(now=now)
    assert [SESSION in each for each in (source.states, source.closed, source.unreadable)].count(True) == 1
    if SESSION in source.states:
        return "may run"
    try:
        whole = read_state(str(path))
    except ValueError:
        return "an unreadable row" if SESSION in source.unreadable else "over, and partly unreadable"
    table = ProcessTable()
    running = {int(pid): each for pid in whole.processes if pid and (each := table.look_up(int(pid)))}
    liveness, _ = decide_liveness(whole, (), running, {}, 0.0, now)
    assert SESSION in source.closed
    assert liveness is not Liveness.LIVE
    return "over"


@feeds(
    "atm_tui.sources.state:_read",
    "atm_tui.sources.registry:refresh",
    "atm_tui.sources.transcript_tail:read_lines",
    "atm_tui.timeline.journals:read_history",
    "atm_tui.timeline.journals:read_lines",
    "atm_tui.sources.app_file:read",
    fed="state, journal, registry and transcript at once, up to every list, pane and print",
)
def feed_monitor(sandbox: ReaderSandbox, dice: random.Random) -> str:
    state = json.loads(sandbox.good["state"])
    write(sandbox.places["state"], damage_lines([state], dice) if dice.random() < 0.3 else _damage_json(state, dice))
    write(sandbox.places["journal"], damage_lines(pick(EVENTS, dice), dice))
    write(
        sandbox.places["registry"],
        damage_lines([{**dice.choice(ENTRIES), "sessionId": SESSION, "pid": sandbox.pid}], dice),
    )
    write(sandbox.transcript, damage_lines(pick(TRANSCRIPT, dice), dice))
    write(sandbox.agents / f"agent-{AGENT}.jsonl", damage_lines(pick(TRANSCRIPT, dice), dice))
    monitor = LiveMonitor(sandbox.state, [sandbox.claude], Config(), table=sandbox.table)
    monitor.refresh()
    monitor.refresh()
    render_live(monitor, dice.choice(WIDTHS))
    unreadable = monitor.fleet.unreadable or any(each.problem for each in monitor.fleet.sessions.values())
    return "an unreadable row" if unreadable else f"{len(monitor.fleet.sessions)} sessions"


def _damage_json(value: object, dice: random.Random) -> str:
    for _ in range(dice.choice([0, 1, 2])):
        value = damage_value(value, dice)
    return json.dumps(value)


@feeds(
    "atm_tui.timeline.journals:read_history",
    "atm_tui.timeline.journals:read_lines",
    "atm_tui.timeline.journals:_read_first",
    "atm_tui.timeline.journals:_read_rest_of_old",
    fed="a journal that is read whole, and followed while it grows, shrinks and is rotated",
)
def feed_journal(sandbox: ReaderSandbox, dice: random.Random) -> str:
    path, old = sandbox.places["journal"], sandbox.places["old journal"]
    reader, all_of_it = JournalReader(sandbox.state, SESSION), JournalReader(sandbox.state, SESSION, None)
    feed = TimelineFeed(sandbox.state, lambda _: [])
    found = 0
    for _ in range(3):
        data = damage_lines(pick(EVENTS, dice, 30), dice)
        kind = dice.choice(["grow", "grow", "rotate", "replace", "shrink"])
        if kind == "grow" and path.exists():
            data = path.read_bytes() + data
        elif kind == "rotate" and path.exists():
            path.replace(old)
        elif kind == "replace":
            path.unlink(missing_ok=True)
        write(path, data)
        found += len(reader.read_events()) + len(all_of_it.read_events())
        feed.read([SESSION])
    events = read_history(sandbox.state, SESSION)
    render_events(SESSION, events, sandbox.now, dice.choice(WIDTHS))
    return "events" if events or found else "no events"


@feeds("atm_tui.sources.registry:refresh", fed="a process record of the client")
def feed_registry(sandbox: ReaderSandbox, dice: random.Random) -> str:
    path = write(sandbox.places["registry"], damage_lines([dice.choice(ENTRIES)], dice))
    source = RegistrySource(sandbox.claude)
    source.refresh()
    source.refresh()
    return "an entry" if path.name in source.entries else "no entry: half written or not the client's"


@feeds(
    "atm_tui.sources.transcript_tail:read_lines",
    "atm_tui.sources.transcript_tail:_holds_what_was_read",
    fed="transcripts of a session and its agents, that grow and are rewritten",
)
def feed_transcript(sandbox: ReaderSandbox, dice: random.Random) -> str:
    agent = sandbox.agents / f"agent-{AGENT}.jsonl"
    reader = TranscriptReader(str(sandbox.transcript), sandbox.table)
    for _ in range(2):
        for path in (sandbox.transcript, agent):
            data = damage_lines(pick(TRANSCRIPT, dice, 30), dice)
            write(path, data if dice.random() < 0.5 else path.read_bytes()[-20_000:] + data)
        reader.read()
    return "lines skipped" if reader.facts.skipped_lines else "lines"


@feeds("atm_tui.sources.transcript_agents:read", fed="the .meta.json of an agent")
def feed_agent_meta(sandbox: ReaderSandbox, dice: random.Random) -> str:
    meta = {
        "agentType": "Explore",
        "name": "a",
        "description": "b",
        "toolUseId": "t",
        "finished": False,
        "parentAgentId": "p",
        "taskKind": "in_process_teammate",
        "teamName": "session-3f0e4b12",
        "color": "blue",
        "model": "m",
        "stoppedByUser": True,
    }
    write(sandbox.places["meta"], damage_lines([meta], dice))
    changed = AgentMetaFile(str(sandbox.agents / f"agent-{AGENT}.jsonl")).read()
    return "what has the right type" if changed else "nothing"


@feeds("atm_tui.sources.task_files:refresh", fed="the files of a task list, that come, change and go")
def feed_tasks(sandbox: ReaderSandbox, dice: random.Random) -> str:
    files = TaskFiles(str(sandbox.claude))
    task = {"id": "1", "subject": "a", "status": "in_progress", "owner": "writer", "blockedBy": ["2"]}
    found = None
    for name in dice.choices(["1", "2", "30", ".lock", "x"], k=3):
        path = write(sandbox.places["task"].with_name(f"{name}.json"), damage_lines([task], dice))
        if dice.random() < 0.2:
            path.unlink()
        files.refresh()
        found = files.read(name_lists(SESSION, [dice.choice([each for each in ODD if isinstance(each, str)])]))
    return "tasks" if found else "none"


@feeds("atm_tui.sources.team_file:read_membership", fed="the list of a team's members, and odd names of teams")
def feed_team(sandbox: ReaderSandbox, dice: random.Random) -> str:
    team = {"leadSessionId": SESSION, "members": [{"name": "writer", "color": "blue"}, {"name": "lead"}]}
    write(sandbox.claude / "teams/session-1/config.json", damage_lines([team], dice))
    name = dice.choice(["session-1", "session-1", *(each for each in ODD if isinstance(each, str))])
    found = read_membership(str(sandbox.claude), name, "writer")
    return "a color" if found.color else "a lead" if found.lead else "nothing"


@feeds("atm_tui.sources.tool_input:_read_calls", fed="the end of a transcript that should hold a waiting call")
def feed_tool_input(sandbox: ReaderSandbox, dice: random.Random) -> str:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    calls = [
        {**each, "message": {**each["message"], "content": [call]}}
        for each in TRANSCRIPT
        if isinstance(each.get("message"), dict)
    ]
    agent = dice.choice(["", AGENT, *(each for each in ODD if isinstance(each, str))])
    for path in (sandbox.transcript, sandbox.agents / f"agent-{AGENT}.jsonl"):
        write(path, damage_lines(pick(calls, dice, 30), dice))
    path = (
        str(sandbox.transcript) if dice.random() < 0.9 else dice.choice([each for each in ODD if isinstance(each, str)])
    )
    wait = Wait(key="|Bash|0", agent_id=agent, tool="Bash", reason=dice.choice([Reason.QUESTION, Reason.PERMISSION]))
    return "an input" if find_tool_input(path, wait) else "none"


def compare_mirrored(path: str, entries: list[Entry]) -> None:
    """A mirror of damaged transcripts has the same entries as they have."""
    paths = list_conversation(path)
    mirrored = MirroredConversation(
        lambda: [describe_transcript(*each) for each in paths.items()],
        lambda name, begin, size: read_piece(paths[name], begin, size),
    )
    try:
        mirrored.check()
        mirrored.open_agents(mirrored.agents)
        mirrored.check()
        while mirrored.is_behind:
            mirrored.read_older()
        assert mirrored.list_all_entries() == entries
    finally:
        mirrored.close()


@feeds(
    "atm_tui.sources.thread_index:_open",
    "atm_tui.sources.thread_index:read_older",
    "atm_tui.sources.thread_index:fetch_text",
    "atm_tui.sources.thread_index:list_lines",
    "atm_tui.sources.conversation:_read_start",
    "atm_tui.sources.conversation_files:describe_transcript",
    "atm_tui.sources.conversation_files:read_piece",
    fed="transcripts of a session and a subagent, up to every line of the conversation",
)
def feed_conversation(sandbox: ReaderSandbox, dice: random.Random) -> str:
    write(sandbox.agents / f"agent-{AGENT}.jsonl", damage_lines(pick(TRANSCRIPT, dice, 20), dice))
    data = damage_lines(pick(TRANSCRIPT, dice, 40), dice)
    write(sandbox.transcript, data)
    conversation = Conversation(str(sandbox.transcript))
    conversation.check()
    conversation.open_agents(conversation.agents)
    conversation.check()
    while conversation.is_behind:
        conversation.read_older(dice.choice([10, 1000, 1 << 20]))
    entries = conversation.list_all_entries()
    if dice.random() < 0.1:
        compare_mirrored(str(sandbox.transcript), entries)
    if dice.random() < 0.2:
        write(sandbox.transcript, data[: len(data) // 2])  # cut between index and look
    search = ConversationSearch(conversation, dice.choice(["a", "the file", '"', "\u65e5"]))
    while search.run():
        pass
    if search.found.total:
        search.found.find_match(search.found.total - 1)
    render_conversation(conversation, entries, dice.choice(WIDTHS))
    return "entries" if entries else "nothing"


@feeds(
    "atm_tui.sources.plan:_find_slug",
    "atm_tui.sources.plan:find_plan",
    fed="a plan file, and the transcript that names it",
)
def feed_plan(sandbox: ReaderSandbox, dice: random.Random) -> str:
    line = {
        "type": "assistant",
        "slug": "brave-fox",
        "message": {"content": [{"type": "tool_use", "name": "ExitPlanMode"}]},
    }
    write(sandbox.transcript, damage_lines([line, *pick(TRANSCRIPT, dice), line], dice))
    write(sandbox.places["plan"], damage_text("# Plan\n\n1. Look\n2. Leap\n", dice))
    given = dice.choice([{}, {}, {}, {"plan": dice.choice(ODD)}])
    request = Request(
        nonce="0", session_id=SESSION, key="|ExitPlanMode|0", digest="", tool="ExitPlanMode", input=given,
        transcript_path=str(sandbox.transcript),
    )  # fmt: skip
    found = find_plan(request)
    return "no text" if found is None else "from its file" if found[1] else "from the call"


@feeds("atm_tui.sources.project:_read_line", fed=".git, HEAD and commondir, and odd working directories")
def feed_project(sandbox: ReaderSandbox, dice: random.Random) -> str:
    write(sandbox.places["worktree"], damage_text(f"gitdir: {sandbox.work}/api/.git/worktrees/tree\n", dice))
    write(sandbox.work / "api/.git/worktrees/tree/commondir", damage_text("../..\n", dice))
    write(sandbox.work / "api/.git/worktrees/tree/HEAD", damage_text("ref: refs/heads/other\n", dice))
    write(sandbox.places["branch"], damage_text("ref: refs/heads/main\n", dice))
    odd = dice.choice([each for each in ODD if isinstance(each, str)])
    found = [
        find_project(str(each))[0]
        for each in (sandbox.work / "tree", sandbox.work / "api", odd, f"/{odd}", f"{sandbox.work}/{odd}")
    ]
    return "a worktree" if found[0].worktree else "a repository" if found[0].branch else "a folder"


@feeds("atm_tui.jump.transcripts:_read_ends", fed="a transcript of which only the ends are read, for its name")
def feed_label(sandbox: ReaderSandbox, dice: random.Random) -> str:
    gap = b"x" * dice.choice([0, 0, 200_000])
    write(
        sandbox.transcript,
        damage_lines(pick(TRANSCRIPT, dice, 30), dice) + gap + damage_lines(pick(TRANSCRIPT, dice), dice),
    )
    assert {each.session_id for each in list_transcripts([str(sandbox.claude)])} >= {SESSION}
    label = read_label(str(sandbox.transcript))
    return "a label" if label.name or label.prompt or label.cwd else "no label"


@feeds("atm_tui.jump.resume:_read_directories", fed="the start of a transcript, for the directory to resume in")
def feed_directory(sandbox: ReaderSandbox, dice: random.Random) -> str:
    lines = [{**each, "cwd": dice.choice([str(sandbox.work), *ODD])} for each in pick(TRANSCRIPT, dice)]
    write(sandbox.transcript, damage_lines(lines, dice))
    odd = [each for each in ODD if isinstance(each, str)]
    stated, cwd = dice.choice(["", *odd]), dice.choice(["", *odd])
    with patch.object(folders, "_MAX_LISTED", 20):
        found = find_session_directory(str(sandbox.transcript), stated, cwd)
    return f"by its {found.source}" if found else "none"


@feeds("atm_tui.monitor.recording:read_entries", fed="a recording or journal that is replayed")
def feed_recording(sandbox: ReaderSandbox, dice: random.Random) -> str:
    lines = pick(EVENTS if dice.random() < 0.3 else LINES, dice, 30)
    path = write(sandbox.folder / "r.jsonl", damage_lines(lines, dice))
    try:
        entries = read_entries(path)
    except RecordingError:
        return "refused, with the reason"
    replay = Replay(entries, lambda: 0.0)
    for at in (replay.end, replay.begin, replay.end):
        replay.seek(at)
        replay.refresh()
        replay.describe_entry()
    for entry in entries:
        describe_entry(entry)
    render_fleet(replay.fleet, replay.now(), dice.choice(WIDTHS))
    for key in replay.fleet.sessions:
        render_events(key, replay.read_events(key), replay.now(), 80)
    return "replayed"
