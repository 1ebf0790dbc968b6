"""A conversation that is elsewhere, mirrored: the same as one that is here, whatever its size, and whatever the link does."""

import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from atm_tui.model.stream_commands import ConversationFile
from atm_tui.sources import mirror
from atm_tui.sources.conversation import Conversation
from atm_tui.sources.mirror import MirroredConversation
from tests.support.conversations import Transcript, write_long, write_work
from tests.support.waiting import PATIENCE


class Elsewhere:
    """A transcript with those of its subagents, read as over a link."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_cut = False
        self.fetched = 0
        self.more: tuple[ConversationFile, ...] = ()

    def list_files(self) -> list[ConversationFile]:
        self._check()
        agents = sorted(self.path.with_suffix("").glob("subagents/agent-*.jsonl"))
        found = [self._describe("main", self.path), *(self._describe(each.name, each) for each in agents)]
        return [*found, *self.more]

    def _describe(self, name: str, path: Path) -> ConversationFile:
        meta = path.with_name(path.stem + ".meta.json")
        there = path.stat()
        given = b"" if name == "main" else meta.read_bytes()
        return ConversationFile(name=name, size=there.st_size, inode=there.st_ino, meta=given)

    def fetch(self, name: str, begin: int, size: int) -> bytes:
        self._check()
        path = self.path if name == "main" else self.path.with_suffix("") / "subagents" / name
        data = path.read_bytes()[begin : begin + size]
        self.fetched += len(data)
        return data

    def _check(self) -> None:
        if self.is_cut:
            raise OSError(0, "the link to gpu was cut")


@pytest.fixture
def there(tmp_path: Path) -> Elsewhere:
    return Elsewhere(tmp_path / "s.jsonl")


@pytest.fixture
def mirrored(there: Elsewhere) -> Iterator[MirroredConversation]:
    conversation = MirroredConversation(there.list_files, there.fetch)
    yield conversation
    conversation.close()


def read_whole(conversation: Conversation) -> list[object]:
    """All entries with their texts, of the session and its subagents."""
    conversation.check()
    conversation.open_agents(list(conversation.agents))
    conversation.check()
    while conversation.is_behind:
        conversation.read_older()
    return [(each, conversation.fetch_text(each, 1 << 30)) for each in conversation.list_all_entries()]


def test_it_is_the_same_as_one_that_is_here(there: Elsewhere, mirrored: MirroredConversation) -> None:
    write_long(there.path, 1)
    told = write_work(there.path)
    assert read_whole(mirrored) == read_whole(Conversation(str(there.path)))
    assert len(mirrored.agents) == 2

    before = there.fetched
    told.reply("One more.")
    told.append(b'{"half')
    assert mirrored.check()
    assert there.fetched - before < 4096
    assert mirrored.problem is None
    assert read_whole(mirrored) == read_whole(Conversation(str(there.path)))

    there.path.rename(there.path.with_name("old"))  # another file takes its place
    Transcript(there.path).prompt("Anew.")
    assert read_whole(mirrored) == read_whole(Conversation(str(there.path)))
    assert mirrored.generation


def test_the_end_comes_first_and_a_line_longer_than_any_piece_is_whole(
    there: Elsewhere, mirrored: MirroredConversation
) -> None:
    told = Transcript(there.path)
    told.prompt("The very first prompt")
    told.reply("x" * (3 * mirror.PAGE))
    told.reply("The end.")
    mirrored.check()
    assert there.fetched < mirror.PAGE + 2 * mirror.STEP
    assert [mirrored.fetch_text(each, 99).text for each in mirrored.list_entries(set())] == ["The end."]
    assert read_whole(mirrored) == read_whole(Conversation(str(there.path)))


def test_a_cut_link_is_told_and_all_goes_on_when_it_is_back(there: Elsewhere, mirrored: MirroredConversation) -> None:
    told = Transcript(there.path)
    for number in range(3):
        told.reply(f"{number} " + "x" * mirror.PAGE)
    told.reply("The end.")
    mirrored.check()
    there.is_cut = True
    for _ in range(2):
        mirrored.read_older()
        mirrored.check()
        assert mirrored.problem == "the link to gpu was cut"
        assert mirrored.is_behind
        assert len(mirrored.list_entries(set())) == 1
    there.is_cut = False
    told.reply("And on.")
    assert mirrored.check()
    assert mirrored.problem is None
    assert len(read_whole(mirrored)) == 5


def test_no_more_than_a_bound_is_fetched(
    there: Elsewhere, mirrored: MirroredConversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "MOST", 1 << 19)
    size = write_long(there.path, 2)
    found = read_whole(mirrored)
    assert (1 << 19) < there.fetched < (1 << 20) < size
    assert found
    assert mirrored.main.begin > 0


@pytest.mark.parametrize(
    "name",
    [
        "../agent-x.jsonl",
        "/tmp/agent-x.jsonl",
        "a/../../agent-x.jsonl",
        "agent-x",
        ".a/agent-x.jsonl",
        "x\0/agent-x.jsonl",
    ],
)
def test_names_from_elsewhere_lead_nowhere_else(
    there: Elsewhere, mirrored: MirroredConversation, tmp_path: Path, name: str
) -> None:
    Transcript(there.path).prompt("Hello.")
    there.more = (ConversationFile(name=name, size=5, inode=1, meta=b"{}"),)
    before = sorted(tmp_path.rglob("*"))
    mirrored.check()
    assert not mirrored.agents
    assert mirrored.problem is None
    assert sorted(tmp_path.rglob("*")) == before


def test_the_files_are_private_and_go(there: Elsewhere) -> None:
    write_work(there.path)
    mirrored = MirroredConversation(there.list_files, there.fetch)
    mirrored.check()
    root = Path(mirrored.main.path).parent
    for each in (root, *root.rglob("*")):
        assert stat.S_IMODE(each.stat().st_mode) == (0o700 if each.is_dir() else 0o600)
    mirrored.close()
    assert not root.exists()


def test_what_is_being_fetched_when_it_closes_goes_as_well(there: Elsewhere) -> None:
    write_work(there.path)
    asked, goes_on = threading.Event(), threading.Event()

    def fetch_late(name: str, begin: int, size: int) -> bytes:
        asked.set()
        assert goes_on.wait(PATIENCE)
        return there.fetch(name, begin, size)

    mirrored = MirroredConversation(there.list_files, fetch_late)
    root = Path(mirrored.main.path).parent
    reading = threading.Thread(target=mirrored.check)
    reading.start()
    assert asked.wait(PATIENCE)
    mirrored.close()
    assert not root.exists()
    goes_on.set()
    reading.join()
    assert not root.exists()


def test_a_link_that_is_cut_in_the_first_look_is_told(there: Elsewhere, mirrored: MirroredConversation) -> None:
    """Of the lines before those that come first, when the index asks for them."""
    told = Transcript(there.path)
    for number in range(8):
        told.reply(f"{number} " + "x" * mirror.STEP)

    def cut(*_: object) -> bytes:
        there.is_cut = there.fetched > mirror.STEP
        return there.fetch(*_)  # type: ignore[arg-type]

    mirrored._find_mirror("main")._fetch = cut
    mirrored.check()
    assert mirrored.problem == "the link to gpu was cut"
    there.is_cut = False
    mirrored._find_mirror("main")._fetch = there.fetch
    assert len(read_whole(mirrored)) == 8
