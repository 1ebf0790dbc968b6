"""Plays steps: writes the files of the client, and passes to the real hook code what the client would pass to a hook."""

import json
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from atm_hooks import journal, payload, sample
from atm_tui.cost.pricing import PriceTable
from atm_tui.demo.clients import Clients
from atm_tui.demo.conversation import Conversation
from atm_tui.demo.place import Place
from atm_tui.demo.scenario import HOME, ROUND, Head, Track
from atm_tui.demo.schedule import Step
from atm_tui.demo.tally import Tally

VERSION = "2.1.332"
"""The client's version in the recordings."""


class Stage:
    """Plays steps in the folder of the demo."""

    def __init__(
        self, tracks: Iterable[Track], place: Place, clients: Clients, table: PriceTable, opened: float
    ) -> None:
        self._heads = tuple(track.head for track in tracks)
        self._place = place
        self._clients = clients
        self._table = table
        self._opened = opened
        self._entries: dict[str, dict[str, Any]] = {}
        self._tallies: dict[str, Tally] = {}
        self._conversations: dict[tuple[str, str], Conversation] = {}
        """By session and agent, "" for the main thread."""

    def play(self, step: Step, at: float, started: float) -> None:
        """Plays a step at time `at`, in a session that began at `started` (both epoch seconds).

        Raises OSError when a file can't be written, and RefusedError when a hook's input is no event.
        """
        head = self._heads[step.track]
        session = head.session.replace(ROUND, f"{step.round:02d}")
        data = self._fill_in(step.line.data, step.round)
        agent = self._fill_in(step.line.agent, step.round)
        match step.line.kind:
            case "hook":
                self._run_hook(head, session, data, at)
            case "statusline":
                self._run_statusline(head, session, data, at, started)
            case "registry":
                self._write_registry(head, session, data, at, started)
            case "transcript":
                self._append_to_transcript(head, session, agent, data, at)
            case "agent":
                path = self._place.find_transcript(session, self._fill_in(head.cwd, 0), agent)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.with_name(f"agent-{agent}.meta.json").write_text(json.dumps(data), "utf-8")
            case "forget":
                self._remove_session(head, session)

    def _fill_in(self, given: Any, number: int) -> Any:
        """Returns the value with the number of the round and the demo's folder filled in."""
        text = json.dumps(given).replace(ROUND, str(number))
        return json.loads(text.replace(HOME, json.dumps(str(self._place.home))[1:-1]))

    def _run_hook(self, head: Head, session: str, data: dict[str, Any], at: float) -> None:
        cwd = self._fill_in(head.cwd, 0)
        data |= {"session_id": session, "cwd": cwd, "transcript_path": str(self._place.find_transcript(session, cwd))}
        environ = {
            "CLAUDE_PID": str(self._clients.start(session)),
            "CLAUDE_PROJECT_DIR": cwd,
            "CLAUDE_CODE_ENTRYPOINT": head.entrypoint,
            **self._fill_in(head.terminal, 0),
        }
        self._get_conversation(session, data.get("agent_id")).add_hook(data)
        event = payload.parse_event(json.dumps(data).encode(), at, environ)
        if event["event"] == "SessionStart":
            event["pid_start"] = self._clients.find_start(session)
        journal.record_event(str(self._place.state_dir), event)

    def _run_statusline(self, head: Head, session: str, data: dict[str, Any], at: float, started: float) -> None:
        cwd = self._fill_in(head.cwd, 0)
        tally = self._tallies.setdefault(session, Tally())
        data = tally.make_sample(head, data["lines"], at, started, self._opened) | {
            "session_id": session,
            "cwd": cwd,
            "transcript_path": str(self._place.find_transcript(session, cwd)),
            "version": VERSION,
            "session_name": self._entries.get(session, {}).get("name") if self._has_user_name(session) else None,
        }
        environ = {"CLAUDE_PID": str(self._clients.start(session))}
        journal.record_event(str(self._place.state_dir), sample.parse_sample(json.dumps(data).encode(), at, environ))

    def _has_user_name(self, session: str) -> bool:
        return self._entries.get(session, {}).get("nameSource") == "user"

    def _write_registry(self, head: Head, session: str, data: dict[str, Any] | None, at: float, started: float) -> None:
        pid = self._clients.start(session)
        path = self._place.registry / f"{pid}.json"
        if data is None:
            path.unlink(missing_ok=True)
            self._entries.pop(session, None)
            self._clients.end(session)
            return
        milliseconds = int(at * 1000)
        kept = self._entries.get(session) or {"name": head.name, "nameSource": "derived"}
        entry = {
            "pid": pid,
            "procStart": self._clients.find_start(session),
            "sessionId": session,
            "cwd": self._fill_in(head.cwd, 0),
            "startedAt": int(started * 1000),
            "version": VERSION,
            "kind": "interactive",
            "entrypoint": head.entrypoint,
            "name": kept["name"],
            "nameSource": kept["nameSource"],
            **({"tmux": head.tmux} if head.tmux else {}),
            "updatedAt": milliseconds,
            "statusUpdatedAt": milliseconds,
            **data,
        }
        self._entries[session] = entry
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(entry), "utf-8")
        fresh.replace(path)

    def _append_to_transcript(
        self, head: Head, session: str, agent: str | None, data: dict[str, Any], at: float
    ) -> None:
        cwd = self._fill_in(head.cwd, 0)
        path = self._place.find_transcript(session, cwd, agent)
        path.parent.mkdir(parents=True, exist_ok=True)
        when = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        conversation = self._get_conversation(session, agent)
        marks = {key: data[key] for key in ("agentId", "isSidechain") if key in data}
        lines = [conversation.fill_in(data), *({**each, **marks} for each in conversation.take_results())]
        with path.open("a", encoding="utf-8") as file:
            for line in lines:
                whole = {**line, "timestamp": when, "sessionId": session, "cwd": cwd, "version": VERSION}
                file.write(json.dumps(whole) + "\n")
                self._tallies.setdefault(session, Tally()).add(whole, at, self._table, main=agent is None)

    def _get_conversation(self, session: str, agent: str | None) -> Conversation:
        return self._conversations.setdefault((session, agent or ""), Conversation())

    def _remove_session(self, head: Head, session: str) -> None:
        """Removes all files of an ended session."""
        transcript = self._place.find_transcript(session, self._fill_in(head.cwd, 0))
        transcript.unlink(missing_ok=True)
        shutil.rmtree(transcript.with_suffix(""), ignore_errors=True)
        journal.remove_session(str(self._place.state_dir), session)
        self._tallies.pop(session, None)
        for key in [key for key in self._conversations if key[0] == session]:
            del self._conversations[key]
