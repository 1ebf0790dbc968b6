"""What a search finds does not depend on how far another thread has read when it looks."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from atm_tui.screens.controllers.conversation_search import ConversationSearch, Matches
from atm_tui.sources import conversation
from atm_tui.sources.conversation import Conversation
from atm_tui.sources.conversation_lines import FoundLine
from atm_tui.sources.thread_index import ThreadIndex
from tests.support.conversations import Transcript

PARTS = 40


def write_calls(told: Transcript) -> None:
    """Each result has a match, which counts as one of its call."""
    for part in range(PARTS):
        told.call(f"{told.agent}{part}", "Bash", command=f"make {part}")
        told.result(f"{told.agent}{part}", f"the needle {part} " + "x" * 200)


def write_conversation(path: Path) -> None:
    told = Transcript(path)
    write_calls(told)
    told.call("agent", "Agent", description="Look", prompt="Look", subagent_type="Explore")
    write_calls(told.add_agent("a1", "agent", agentType="Explore"))


def find_all(search: ConversationSearch) -> Matches:
    while search.run():
        pass
    return search.found


@pytest.mark.parametrize("moment", ["before", "amid", "after"])
def test_lines_that_are_being_indexed_are_searched_once_their_results_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    path = tmp_path / "s.jsonl"
    write_conversation(path)
    monkeypatch.setattr(conversation, "FIRST", 1500)
    read = Conversation(str(path))
    search = ConversationSearch(read, "needle")
    add_really = ThreadIndex._add

    def add(index: ThreadIndex, found: Sequence[FoundLine], *, newer: bool) -> None:
        if moment == "amid":
            find_all(search)
        add_really(index, found, newer=newer)
        if moment == "after":
            find_all(search)

    monkeypatch.setattr(ThreadIndex, "_add", add)
    if moment == "before":
        find_all(search)
    read.check()
    read.open_agents(read.agents)
    find_all(search)
    read.check()
    while read.is_behind:
        read.read_older(1500)
    assert find_all(search).total == 2 * PARTS
    assert search.found == find_all(ConversationSearch(read, "needle"))


def test_matches_that_were_found_stay_as_they_are_while_more_are_found(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    told = Transcript(path)
    told.reply("a needle")
    read = Conversation(str(path))
    read.check()
    search = ConversationSearch(read, "needle")
    before = find_all(search)
    told.reply("needle needle")
    read.check()
    assert (before.total, find_all(search).total) == (1, 3)
    assert before.find_match(0)[0] == search.found.find_match(0)[0]
    entries = read.list_all_entries()
    assert [search.found.find_number(each, entries) for each in entries] == [0, 1]
