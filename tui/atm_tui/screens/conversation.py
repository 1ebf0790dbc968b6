"""The conversation of a session: prompts, replies, tools and subagents, as its transcript has them."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.widgets import Static

from atm_tui import commands
from atm_tui.config import Config
from atm_tui.keys.table import CommandKeys
from atm_tui.model.fleet import Delta
from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.command_screen import CommandScreen
from atm_tui.screens.controllers.conversation_search import ConversationSearch
from atm_tui.sources.conversation import Conversation
from atm_tui.text import clean, cut_width
from atm_tui.view.command import Selection, format_key
from atm_tui.view.present import Glyphs, Part, fit_keys, fit_parts, make_content, spread
from atm_tui.view.timeline_row import format_clock
from atm_tui.widgets.conversation_lines import ConversationLines
from atm_tui.widgets.header import Header
from atm_tui.widgets.search_line import SearchLine

CHECK = 0.5
"""Seconds between two looks for new lines."""
NOTES = 52
"""Cells that stay free for what stands beside the name of the session."""
MESSAGE_SECONDS = 5.0
"""Seconds for which a message is shown."""


class ConversationScreen(CommandScreen):
    """Shows a transcript from its end, and follows it; reads older lines meanwhile. Stores nothing."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        *commands.make_bindings("conversation"),
        Binding("question_mark", "app.help", show=False),
    ]

    def __init__(
        self,
        session: Session,
        path: str,
        monitor: Monitor,
        config: Config,
        glyphs: Glyphs,
        keys: CommandKeys,
        open_raw: Callable[[], None],
        agent_id: str | None = None,
    ) -> None:
        """`path`: where the transcript is, for a person; `open_raw` shows it in the user's pager; `agent_id`: the subagent to
        begin with.
        """
        super().__init__()
        self.keys = keys
        self._session = session
        self._path = path
        self._monitor = monitor
        self._glyphs = glyphs
        self._conversation: Conversation = monitor.contents.open_conversation(session)
        self._agents: set[str] = set()
        """The subagents that are unfolded."""
        self._first_agent = agent_id or ""
        """The subagent to unfold once it is known."""
        self._is_read = False
        self._is_all_indexed = False
        """Whether all of it, with the subagents that a search includes, was indexed when the reading thread was asked last.
        While that thread reads, the conversation itself may say so too early.
        """
        self._count = 0
        self._new = 0
        """Entries that came while it did not follow."""
        self._search: ConversationSearch | None = None
        self._ongoing: ConversationSearch | None = None
        """The search that still goes on."""
        self._is_searching = False
        self._is_more_indexed = False
        """Whether lines were indexed that the search that goes on may not see."""
        self._match: int | None = None
        """The number of the match that the cursor was put on."""
        self._wanted: list[int] = []
        """The steps to a match that wait until one is found."""
        self._message: tuple[str, bool] | None = None
        self._header = Header(glyphs, monitor.home, config.budget_day)
        self._title = Static(id="conversation-title")
        self._state = Static(id="conversation-state")
        self._lines = ConversationLines(self._conversation, glyphs)
        self._line = SearchLine(lambda: self.set_focus(self._lines))
        self._keys = Static(id="conversation-keys")
        self.handlers = {
            "toggle_entry": self._lines.toggle,
            "search": self.open_search,
            "next_match": lambda: self.show_match(+1),
            "previous_match": lambda: self.show_match(-1),
            "raw": open_raw,
            "conversation_close": self.close,
        }

    def compose(self) -> ComposeResult:
        """Yields header, title, lines, and the line to search above the keys."""
        yield self._header
        with Vertical():
            yield self._title
            yield self._state
            yield self._lines
            yield self._line
            yield self._keys

    def on_mount(self) -> None:
        """Starts to read."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._line.display = False
        self._state.display = False
        self._header.show(self._monitor.fleet, self._monitor.now())
        self.set_interval(1.0, lambda: self._header.tick(self._monitor.now()))
        self._lines.focus()
        self.run_worker(self._read(), group="read")

    def on_unmount(self) -> None:
        """Ends the conversation."""
        self._conversation.close()

    @property
    def selection(self) -> Selection:
        """The session."""
        return Selection("session", self._session, empty=False)

    def handle_fleet_change(self, delta: Delta) -> None:  # noqa: ARG002 (the base's name)
        """Updates the header."""
        self._header.show(self._monitor.fleet, self._monitor.now())

    # Reading

    async def _read(self) -> None:
        """Reads the end, then what is older, and then what comes."""
        conversation = self._conversation
        while True:
            before, was_all = conversation.generation, self._is_all_indexed
            changed = await asyncio.to_thread(conversation.check)
            if conversation.generation != before:
                self._lines.forget()
                self._search_anew()
            self._note_indexed()
            if changed or not self._is_read or self._is_all_indexed != was_all:
                self._show(is_newer=self._is_read)
                self._search_more()
            self._is_read = True
            if conversation.is_behind:
                await asyncio.to_thread(conversation.read_older)
                self._note_indexed()
                self._show()
                self._search_more()
            else:
                await asyncio.sleep(CHECK)

    def _note_indexed(self) -> None:
        """Notes whether all is indexed. Call it while no thread reads."""
        self._is_all_indexed = not (self._conversation.is_behind or self._conversation.is_opening)
        if self._search is not None:
            self._open_agents()

    def _open_agents(self) -> None:
        """Has all subagents read, since a search includes them."""
        agents = self._conversation.agents
        if not all(each.is_open for each in agents.values()):
            self._conversation.open_agents(agents)
            self._is_all_indexed = False

    def _show(self, *, is_newer: bool = False) -> None:
        conversation = self._conversation
        was_following = self._lines.follows
        if agent := conversation.agents.get(self._first_agent):
            conversation.open_agents([agent.id])
            self._agents.add(agent.id)
        entries = conversation.list_entries(self._agents)
        if is_newer and not was_following:
            self._new += max(0, len(entries) - self._count)
        self._count = len(entries)
        self._lines.set_entries(entries, frozenset(self._agents))
        if agent and (found := next((each for each in entries if each.name == agent.id), None)):
            self._lines.show_match(found, 0)
            self._first_agent = ""
        problem = conversation.problem
        is_empty = not entries and not conversation.is_behind
        text = problem or ("nothing has been said yet" if is_empty else "")
        where = [("\n", "plain"), (clean(self._path), "muted")] if problem else []
        self._state.update(make_content((clean(text), "needs" if problem else "muted"), *where))
        self._state.display = bool(text)
        self._paint()

    # Title and keys

    def _paint(self) -> None:
        width = self.size.width - 2
        if width < 10:
            return
        lines, entry = self._lines, self._lines.entry
        left: list[Part] = [(cut_width(clean(self._session.name), max(12, width - NOTES)), "title")]
        if lines.follows:
            self._new = 0
            left.append(("   follows the end", "muted"))
        else:
            new = f"{self._new} new below, " if self._new else "not following, "
            left.append((f"   {new}", "needs" if self._new else "muted"))
            left.append(("G goes to the end", "muted"))
        right: list[Part] = []
        main = self._conversation.main
        if main.is_behind:
            right.append((f"reading {100 * (main.size - main.begin) // max(1, main.size)}%  ", "faint"))
        elif main.begin and self._session.machine:
            right.append((f"what is older stays on {clean(self._session.machine)}  ", "faint"))
        if entry is not None:
            when = format_clock(entry.at, short=True) if entry.at is not None else ""
            share = 100 if lines.follows else 100 * entry.place.offset // max(1, main.size)
            right.append((f"{when}  {share}%" if not entry.thread else when, "muted"))
        self._title.update(make_content(*spread(left, [("  ", "plain"), *right], width)), layout=False)
        self._show_keys(width)

    def _show_keys(self, width: int) -> None:
        if self._message is not None:
            text, trouble = self._message
            self._keys.update(
                make_content(*fit_parts([(clean(text), "needs" if trouble else "muted")], width)), layout=False
            )
            return
        keys = [
            (format_key(each.keys[0], ascii_only=self._glyphs.ascii), each.title)
            for each in self.keys.commands
            if each.group == "conversation" and each.footer and each.keys and (each.id not in _MATCHES or self._search)
        ]
        self._keys.update(make_content(*fit_keys(keys, width)), layout=False)

    def show_message(self, text: str, *, trouble: bool = False) -> None:
        """Shows a message in place of the keys."""
        self._message = (text, trouble)
        self._paint()
        self.set_timer(MESSAGE_SECONDS, self._clear_message)

    def _clear_message(self) -> None:
        self._message = None
        self._paint()

    def on_resize(self, _: Resize) -> None:
        """Writes title and keys for the new width."""
        self._paint()

    def on_conversation_lines_moved(self) -> None:
        """Shows where the cursor is."""
        self._paint()

    def on_conversation_lines_agent_toggled(self, message: ConversationLines.AgentToggled) -> None:
        """Unfolds or folds a subagent."""
        self._agents ^= {message.agent_id}
        self._conversation.open_agents(self._agents)
        self._lines.follows = False
        self._show()

    def close(self) -> None:
        """Ends the search, or closes the screen."""
        if self._search is not None:
            self._end_search()
        else:
            self.dismiss()

    # Search

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Returns False for the key that opens the search while it is typed as text of the search."""
        return not (action == "command" and parameters[:1] == ("search",) and self._line.is_typing)

    def open_search(self) -> None:
        """Lets the user type what to find."""
        self._line.open()

    def on_search_line_changed(self, message: SearchLine.Changed) -> None:
        """Searches while typing."""
        self._match, self._wanted = None, []
        if not message.text.strip():
            self._search = self._ongoing = None
            self._lines.search(None)
            self._line.show_count("")
            return
        self._open_agents()
        self._search = ConversationSearch(self._conversation, message.text)
        self._lines.search(self._search.pattern)
        self._start(self._search)

    def _search_anew(self) -> None:
        """Searches all again: a file was replaced."""
        if self._search is not None:
            self._match = None
            self._search = ConversationSearch(self._conversation, self._search.text)
            self._start(self._search)

    def _search_more(self) -> None:
        self._is_more_indexed = True
        if self._search is not None and self._ongoing is not self._search:
            self._start(self._search)

    def _start(self, search: ConversationSearch) -> None:
        self._ongoing = search
        if not self._is_searching:
            self._is_searching = True
            self.run_worker(self._find(), group="search")

    async def _find(self) -> None:
        """Searches until nothing is left to search now, for one text after the other as they are typed."""
        while (search := self._ongoing) is not None:
            is_left = await asyncio.to_thread(search.run)
            if not is_left and self._is_more_indexed:
                is_left, self._is_more_indexed = True, False
            if self._ongoing is search:
                self._ongoing = search if is_left else None
                self._show_found(is_done=self._is_searched)
        self._is_searching = False

    @property
    def _is_searched(self) -> bool:
        """Whether the search has seen all there is."""
        return self._ongoing is None and self._is_all_indexed

    def _show_found(self, *, is_done: bool) -> None:
        """Shows the count, and goes to the match that was asked for before it was found."""
        self._show_count(is_done=is_done)
        if self._search is not None and (is_done or self._search.found.total):
            steps, self._wanted = self._wanted, []
            for step in steps:
                self.show_match(step)

    def _show_count(self, *, is_done: bool) -> None:
        if self._search is None:
            return
        total = self._search.found.total
        found = f"{total:,} match" if total == 1 else f"{total:,} matches"
        text = f"{self._match + 1:,} of {found}" if self._match is not None and total else found
        self._line.show_count(text if is_done else f"{text} …", none=is_done and not total)

    def on_search_line_kept(self) -> None:
        """Goes to the first match from the cursor on."""
        if self._search is None:
            self._line.clear()
        else:
            self.show_match(0)

    def on_search_line_ended(self) -> None:
        """Ends the search."""
        self._end_search()

    def _end_search(self) -> None:
        self._search = self._ongoing = self._match = self._message = None
        self._wanted = []
        self._line.clear()
        self._lines.search(None)
        self.set_focus(self._lines)
        self._paint()

    def show_match(self, step: int) -> None:
        """Goes to the next match, or with -1 to the previous one; with 0 to the first from the cursor on."""
        search, entry = self._search, self._lines.entry
        if search is None:
            self.show_message("nothing is searched: press /", trouble=True)
            return
        found = search.found
        if not found.total and not self._is_searched:
            self._wanted.append(step)
            return
        if not found.total or entry is None:
            self.show_message(f"no match for {search.text}", trouble=True)
            return
        first = found.find_number(entry, self._conversation.list_all_entries()) - (step < 0)
        number = first if self._match is None else self._match + step
        self._match = number % found.total
        matching, at = found.find_match(self._match)
        self._unfold_around(matching.thread)
        self._lines.show_match(matching, at)
        self._show_count(is_done=self._is_searched)

    def _unfold_around(self, thread: str) -> None:
        """Unfolds a subagent, and those that it is in."""
        wanted = set()
        while thread and thread not in wanted:
            wanted.add(thread)
            agent = self._conversation.agents.get(thread)
            thread = (agent.meta.parent_agent_id or "") if agent else ""
        if not wanted <= self._agents:
            self._agents |= wanted
            self._lines.follows = False
            self._show()


_MATCHES = ("next_match", "previous_match")
"""The commands that only a search has."""
