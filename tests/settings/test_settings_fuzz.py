"""Random JSON in random styles: install adds nothing but ours, and uninstall gives back each byte, edits of the user kept."""

import contextlib
import json
import random
from dataclasses import dataclass, field

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atm_tui.settings.document import Document
from atm_tui.settings.errors import JsonError
from atm_tui.settings.options import EVENT_NAMES, EventSet, Options
from atm_tui.settings.plan import plan_install, plan_uninstall
from tests.settings.conftest import SETTINGS
from tests.support.effort import examples
from tests.support.installing import COMMANDS

EXAMPLES = settings(
    max_examples=examples(120),
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
SPACES = ["", "", " ", "  ", "\n", "\n  ", "\r\n\t", " \n\n    ", "\t"]
STRINGS = ['"a"', '"ü"', r'"\u00e9"', '"\U0001f642"', r'"\ud800"', r'"x\"y"', '"#"', '"//"', '""', r'"\/"', '"{[,"']
SCALARS = ["1", "1.10", "1e5", "-0", "12345678901234567890123", "true", "false", "null", *STRINGS]
KEYS = ["model", "x", "y", "ü", "env2", "permissions2"]
EVENTS = [*random.Random(1).sample(EVENT_NAMES, 6), "Future"]
OPTIONS = [
    Options(),
    Options(answers=True),
    Options(events=EventSet.LEAN),
    Options(agent_teams=True),
    Options(statusline=False),
]


@dataclass
class JsonWriter:
    """Writes JSON text with white space of its own choice; `slots` are places where a user's edit may go."""

    random: random.Random
    tidy: int | None
    slots: list[str] = field(default_factory=list)

    def gap(self, depth: int) -> str:
        if self.tidy is None:
            return self.random.choice(SPACES)
        return "" if self.tidy < 0 else "\n" + " " * (self.tidy * depth)

    def blank(self) -> str:
        return self.random.choice(SPACES) if self.tidy is None else ""

    def container(self, brackets: str, parts: list[str], depth: int) -> str:
        if not parts:
            return brackets[0] + self.blank() + brackets[1]
        gaps = [self.gap(depth + 1) + part + self.blank() for part in parts[:-1]]
        last = self.gap(depth + 1) + parts[-1] + self.gap(depth)
        return brackets[0] + ",".join([*gaps, last]) + brackets[1]

    def write_member(self, key: str, value: str) -> str:
        return f'"{key}"{self.blank()}:{self.blank() or (" " if self.tidy else "")}{value}'

    def scalar(self) -> str:
        slot = f'"slot{len(self.slots)}"'
        if self.random.random() < 0.3:
            self.slots.append(slot)
            return slot
        return self.random.choice(SCALARS)

    def value(self, depth: int) -> str:
        kind = self.random.random()
        if depth > 4 or kind < 0.6:
            return self.scalar()
        count = self.random.randrange(4)
        if kind < 0.8:
            return self.container("[]", [self.value(depth + 1) for _ in range(count)], depth)
        keys = [self.random.choice(KEYS) for _ in range(count)]
        return self.container("{}", [self.write_member(key, self.value(depth + 1)) for key in keys], depth)

    def group(self, depth: int) -> str:
        handlers = [
            self.container(
                "{}", [self.write_member("type", '"command"'), self.write_member("command", self.scalar())], depth + 2
            )
            for _ in range(self.random.randrange(3))
        ]
        members = [self.write_member("hooks", self.container("[]", handlers, depth + 1))]
        if self.random.random() < 0.4:
            members.insert(
                self.random.randrange(2), self.write_member("matcher", self.random.choice(['""', '"Bash"', '"*"']))
            )
        return self.container("{}", members, depth)

    def hooks(self) -> str:
        if self.random.random() < 0.15:
            return "null"
        members = []
        for event in self.random.sample(EVENTS, self.random.randrange(4)):
            groups = [self.group(3) for _ in range(self.random.randrange(3))]
            members.append(
                self.write_member(event, "null" if self.random.random() < 0.1 else self.container("[]", groups, 2))
            )
        return self.container("{}", members, 1)

    def document(self) -> str:
        members = [self.write_member(self.random.choice(KEYS), self.value(1)) for _ in range(self.random.randrange(4))]
        if self.random.random() < 0.7:
            members.insert(self.random.randrange(len(members) + 1), self.write_member("hooks", self.hooks()))
        if self.random.random() < 0.4:
            command = self.random.choice([*STRINGS[:4], '"a | b"', '"#slot"'])
            line = self.container(
                "{}", [self.write_member("type", '"command"'), self.write_member("command", command)], 1
            )
            line = self.random.choice([line, line, line, "null", "{}", "{ }", '"odd"'])
            members.insert(self.random.randrange(len(members) + 1), self.write_member("statusLine", line))
        if self.random.random() < 0.3:
            env = self.container(
                "{}", [self.write_member("A", self.scalar()) for _ in range(self.random.randrange(2))], 1
            )
            members.append(self.write_member("env", env))
        return self.blank() + self.container("{}", members, 0) + self.random.choice(["", "\n", self.blank()])


def write_settings(seed: int, style: int) -> tuple[bytes, list[str]]:
    writer = JsonWriter(random.Random(seed), [None, -1, 2, 4, 0][style])
    text = writer.document()
    if seed % 7 == 0:
        text = "\ufeff" + text
    return text.encode("utf-8"), writer.slots


SEEDS = st.integers(0, 2**48)
STYLES = st.sampled_from([0, 0, 0, 1, 2, 3, 4])


@given(SEEDS, STYLES, st.sampled_from(OPTIONS), st.integers(0, 2))
@EXAMPLES
def test_the_round_trip_restores_every_byte_with_and_without_an_edit_in_between(seed, style, options, edits):
    original, slots = write_settings(seed, style)
    plan = plan_install(SETTINGS, original, options, COMMANDS, None)
    if seed % 3 == 0:
        again = plan_install(SETTINGS, plan.after, options, COMMANDS, plan.receipt)
        assert (again.after, again.changes, again.receipt) == (plan.after, (), plan.receipt)
    after, expected = plan.after, original
    for slot in slots[:edits]:
        edit = random.Random(seed).choice(['"changed"', "[1, 2]", "{ }", "17", '{"hooks":{"a":[\n]}}'])
        after, expected = (text.replace(slot.encode(), edit.encode()) for text in (after, expected))
    gone = plan_uninstall(SETTINGS, after, plan.receipt)
    assert gone.after == expected


@given(SEEDS, STYLES)
@settings(EXAMPLES, max_examples=examples(60))
def test_nothing_but_ours_is_added_and_all_old_lines_stay_in_their_order(seed, style):
    original, _ = write_settings(seed, style)
    plan = plan_install(SETTINGS, original, Options(statusline=False), COMMANDS, None)
    before, after = (Document(data).root for data in (original, plan.after))
    texts = [item.format_text().strip() for item in after.items if item.name != "hooks"]
    assert texts == [item.format_text().strip() for item in before.items if item.name != "hooks"]
    decoded = after.get("hooks").decode()
    for event, groups in ((before.get("hooks") and before.get("hooks").decode()) or {}).items():
        if event in EVENT_NAMES:
            assert decoded[event][:-1] == (groups or [])
        else:
            assert decoded[event] == groups


@given(SEEDS, STYLES, st.integers(0, 2**16))
@settings(EXAMPLES, max_examples=examples(60))
def test_a_user_who_adds_around_ours_keeps_what_they_added(seed, style, where):
    """A key at the end of the file, a group behind ours, a handler beside ours: all stay, and nothing of ours does."""
    original, _ = write_settings(seed, style)
    plan = plan_install(SETTINGS, original, Options(), COMMANDS, None)
    document = Document(plan.after)
    hooks = document.root.get("hooks")
    event = hooks.items[where % len(hooks.items)].value
    mine = {"type": "command", "command": "mine"}
    document.append(document.root, True, "added")
    if event.items:
        document.append(event.items[-1].value.get("hooks"), mine)
        document.append(event, {"hooks": [mine]})
    left = Document(plan_uninstall(SETTINGS, document.encode(), plan.receipt).after)
    assert b"atm_hooks/" not in left.encode()
    assert left.root.get("added").raw == "true"
    assert json.dumps(left.root.decode()).count('"mine"') == (2 if event.items else 0)


@given(
    SEEDS,
    STYLES,
    st.integers(0, 2**16),
    st.sampled_from(["", ",", "}", "]", '"', "\\", "/", "1", "-", "\t", "\x01", "é"]),
)
@EXAMPLES
def test_a_damaged_file_is_refused_exactly_when_a_strict_parser_refuses_it(seed, style, where, damage):
    text = write_settings(seed, style)[0].decode("utf-8-sig")
    at = where % (len(text) + 1)
    text = text[:at] + damage + text[at + (where % 2) :]
    try:
        wanted = json.loads(text, parse_constant=_refuse)
    except ValueError:
        wanted = None
    try:
        document = Document(text.encode())
    except JsonError:
        assert not isinstance(wanted, dict)
    else:
        assert document.encode() == text.encode()
        assert document.root.decode() == wanted


def _refuse(name: str) -> None:
    raise ValueError(name)


@given(st.binary(max_size=60))
@settings(EXAMPLES, max_examples=examples(60))
def test_random_bytes_never_raise_anything_but_a_refusal(data):
    with contextlib.suppress(JsonError):
        assert Document(data).encode() == data
