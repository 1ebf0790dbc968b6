"""Reads the commands that a shell text would run: their words, redirections, pipes and here-documents.

It runs nothing: globs and functions are not expanded, variables only if the text gives them a single value. All other
expansions stay in a word as they are written.
"""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from atm_tui.risk.syntax import UnreadableError, parse_shell
from atm_tui.risk.tables import read_names
from atm_tui.risk.words import SUBSTITUTIONS, WordReader, find_substitutions, is_split

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DEPTH = 12
"""Largest depth of substitutions that are followed."""
_MAX_BLOCKS = 60
"""Largest depth of loops, conditions, groups and functions that are followed."""
_REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
UNSEEN = "#..."
"""The text of an unterminated here-document."""
_OPEN_DOCUMENT = re.compile(r"<<-?[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([\w.-]+))")


class Redirect(NamedTuple):
    """A file to which output is redirected."""

    path: str
    appends: bool = False


@dataclass
class ShellCommand:
    """A program with its arguments, or only assignments and redirections."""

    words: list[str] = field(default_factory=list)
    """The program and its arguments, without quotes, redirections and leading assignments."""
    assignments: list[tuple[str, str]] = field(default_factory=list)
    """Names and values that are set before the program, by `export` and similar commands, or alone."""
    writes: list[Redirect] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    """Files from which its input is redirected."""
    body: str | None = None
    """Its here-document or here-string."""
    source: "ShellCommand | None" = field(default=None, repr=False)
    """The command whose output is its input."""
    inner: "list[ShellCommand]" = field(default_factory=list)
    """The commands in substitutions in its words."""
    loops: bool = False
    """Whether it is in a loop."""
    is_filtered: bool = False
    """Whether another command shows only part of its output; set by the checks."""

    @property
    def program(self) -> str:
        """The program's name without its folder; "" if there is none."""
        return self.words[0].rpartition("/")[2] if self.words else ""


def read_commands(text: str, depth: int = 0) -> list[ShellCommand]:
    """Returns all commands of a text in order, each followed by those of its substitutions. Raises UnreadableError."""
    if depth > MAX_DEPTH:
        raise UnreadableError("nested too deeply")
    source = text.encode("utf-8", "replace")
    try:
        root = parse_shell(source)
    except UnreadableError:
        # to a shell, the rest of the text belongs to an unterminated here-document
        names = ["".join(each) for each in _OPEN_DOCUMENT.findall(text)]
        if not names:
            raise
        ends = "".join(f"\n{name}" for name in dict.fromkeys(reversed(names)))
        is_cut_off = "\n" not in text[text.rindex("<<") :].rstrip()
        source += ((f"\n{UNSEEN}" if is_cut_off else "") + f"{ends}\n").encode("utf-8", "replace")
        root = parse_shell(source)
    return _Reader(source, depth).read(root)


def pack_commands(commands: list[ShellCommand]) -> list[list[Any]]:
    """Converts commands to JSON values: a list each, references to other commands as indices."""
    at = {id(command): index for index, command in enumerate(commands)}
    return [
        [
            each.words,
            each.assignments,
            each.writes,
            each.reads,
            each.body,
            each.loops,
            at.get(id(each.source)),
            [at[id(inner)] for inner in each.inner if id(inner) in at],
        ]
        for each in commands
    ]


def unpack_commands(rows: list[list[Any]]) -> list[ShellCommand]:
    """Returns the commands that `pack_commands` packed."""
    found = [
        ShellCommand(
            words,
            [(name, value) for name, value in assignments],
            [Redirect(*each) for each in writes],
            reads,
            body,
            loops=loops,
        )
        for words, assignments, writes, reads, body, loops, *_ in rows
    ]
    for command, (*_, source, inner) in zip(found, rows, strict=True):
        command.source = None if source is None else found[source]
        command.inner = [found[each] for each in inner]
    return found


class _Reader:
    """Reads the commands of one syntax tree."""

    def __init__(self, source: bytes, depth: int) -> None:
        self._source = source
        self._words = WordReader(source)
        self._depth = depth
        self._blocks = 0
        self._loops = 0
        self._found: list[ShellCommand] = []
        self._varying: set[str] = set()
        """Variables that have more than one value."""

    def read(self, root: "Node") -> list[ShellCommand]:
        for each in root.named_children:
            self._read_statement(each)
        return self._found

    def _read_statement(self, node: "Node") -> None:
        self._blocks += 1
        if self._blocks > _MAX_BLOCKS:
            raise UnreadableError("nested too deeply")
        match node.type:
            case "comment" | "heredoc_body" | "heredoc_start" | "heredoc_end":
                pass
            case "command" | "declaration_command" | "unset_command" | "test_command":
                self._read_command(node)
            case "variable_assignment" | "variable_assignments":
                self._read_command(node)
            case "pipeline":
                self._read_pipeline(node.named_children, None)
            case "list":
                for each in _flatten_list(node):
                    self._read_statement(each)
            case "redirected_statement":
                self._read_redirected(node)
            case "for_statement" | "c_style_for_statement" | "while_statement":
                self._read_loop(node)
            case _:
                self._read_parts(node)
        self._blocks -= 1

    def _read_parts(self, node: "Node") -> None:
        """Reads the statements in a compound one, and the substitutions in its words."""
        for each in node.named_children:
            if each.type in _WORDS or each.type.endswith("_expression"):
                self._read_words_only([each])
            else:
                self._read_statement(each)

    def _read_loop(self, node: "Node") -> None:
        variable = node.child_by_field_name("variable")
        if variable is not None:
            name = self._words.get_text(variable)
            self._forget(name)
            values = [self._words.expand(each) for each in node.children_by_field_name("value")]
            if values:
                self._add(ShellCommand(assignments=[(name, each) for each in values], loops=True))
        self._loops += 1
        self._read_parts(node)
        self._loops -= 1

    def _read_pipeline(self, parts: "list[Node]", source: ShellCommand | None) -> None:
        for each in parts:
            start = len(self._found)
            self._read_statement(each)
            new = self._found[start:]
            for command in new:
                if source is not None and command.source is None:
                    command.source = source
            source = _find_last(new) or source

    def _read_redirected(self, node: "Node") -> None:
        body = node.child_by_field_name("body")
        start = len(self._found)
        if body is not None:
            self._read_statement(body)
        # the grammar puts the redirection of the last command of a list around the list
        last = body if body is None or body.type != "list" else _flatten_list(body)[-1]
        plain = last is not None and last.type in _PLAIN
        command = _find_last(self._found[start:]) if plain else None
        if command is None:
            # a redirection without a program is equivalent to `:` with it
            command = self._add(ShellCommand([":"] if body is None else []))
        at = node.start_byte
        for each in node.children:
            # the grammar has no node for a lone "-" before a here-document
            command.words += self._source[at : each.start_byte].decode("utf-8", "replace").split()
            at = each.end_byte
            if each.type in _REDIRECTS:
                self._read_redirect(each, command)

    def _read_command(self, node: "Node") -> None:
        command = self._add(ShellCommand(loops=self._loops > 0))
        prefixed = node.type == "command"
        end = 0
        for at, child in enumerate([node] if node.type == "variable_assignment" else node.children):
            kind = child.type
            if kind in _REDIRECTS:
                self._read_redirect(child, command)
            elif kind == "variable_assignment":
                self._read_assignment(child, command, keeps=not prefixed)
            elif kind in ("export", "declare", "typeset", "local", "readonly", "unset", "unsetenv") and at == 0:
                command.words.append(kind)
            elif kind == "comment" or not (child.is_named or kind in ("==", "=~")):
                continue
            elif node.type != "test_command":
                # the grammar splits a word that continues on the next line
                self._read_word(child, command, joins=self._source[end : child.start_byte] == b"\\\n")
                end = child.end_byte
        self._read_substitutions(node, command)
        if not command.words and not command.assignments and not command.inner and not command.writes:
            self._found.remove(command)
        elif command.program in ("read", "readarray", "mapfile", "unset", "getopts"):
            for each in command.words[1:]:
                self._forget(each)

    def _read_word(self, node: "Node", command: ShellCommand, *, joins: bool = False) -> None:
        text = self._words.expand(node)
        if joins and command.words:
            command.words[-1] += text
        elif is_split(node) and text != self._words.get_text(node):
            command.words.extend(text.split())
        else:
            command.words.append(text)

    def _read_assignment(self, node: "Node", command: ShellCommand, *, keeps: bool) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        key = self._words.get_text(name) if name is not None else ""
        text = self._words.expand(value) if value is not None else ""
        command.assignments.append((key, text))
        if command.words:
            command.words.append(f"{key}={text}")
        known = value is None or text == "$!" or not any(mark in text for mark in "$`(")
        if keeps and known and "+=" not in self._words.get_text(node)[: len(key) + 2]:
            if key not in self._varying and self._words.variables.setdefault(key, text) != text:
                self._forget(key)
        elif keeps:
            self._forget(key)

    def _forget(self, name: str) -> None:
        self._varying.add(name)
        self._words.variables.pop(name, None)

    def _read_words_only(self, nodes: "list[Node]") -> None:
        command = ShellCommand(loops=self._loops > 0)
        start = len(self._found)
        for each in nodes:
            self._read_substitutions(each, command)
        if command.inner:
            self._found.insert(start, command)

    def _read_substitutions(self, node: "Node", command: ShellCommand) -> None:
        """Reads the substitutions in the words of a command, but not in its here-documents."""
        is_one = node.type in SUBSTITUTIONS or not node.children
        parts = [node] if is_one else [each for each in node.children if each.type not in _REDIRECTS]
        for substitution in (each for part in parts for each in find_substitutions(part)):
            self._read_substitution(substitution, command)

    def _read_substitution(self, node: "Node", command: ShellCommand) -> None:
        text = self._words.get_text(node)
        if "\\`" in text and text.startswith("`"):
            inner = read_commands(text[1:-1].replace("\\`", "`"), self._depth + 1)
        else:
            if self._depth >= MAX_DEPTH:
                raise UnreadableError("nested too deeply")
            reader = _Reader(self._source, self._depth + 1)
            reader._words.variables.update(self._words.variables)
            reader._varying |= self._varying
            inner = reader.read(node)
        command.inner += inner
        self._found += inner

    def _read_redirect(self, node: "Node", command: ShellCommand) -> None:
        if node.type == "file_redirect":
            self._read_file_redirect(node, command)
            return
        if node.type == "herestring_redirect":
            command.body = (command.body or "") + "".join(
                self._words.expand(each) for each in node.named_children if each.type != "file_descriptor"
            )
            self._read_substitutions(node, command)
            return
        source: ShellCommand = command
        quoted = False
        for child in node.children:
            if child.type == "heredoc_start":
                quoted = any(mark in self._words.get_text(child) for mark in "'\"\\")
            elif child.type == "heredoc_body":
                body = self._words.get_text(child)
                command.body = (command.body or "") + body
                if not quoted and ("$(" in body or "`" in body):
                    bare = body.replace('"', "")  # the grammar does not parse backticks there
                    inner = [each for each in read_commands(f': "{bare}"', self._depth + 1) if each.program != ":"]
                    command.inner += inner
                    self._found += inner
            elif child.type in _REDIRECTS:
                self._read_redirect(child, command)
            elif child.type == "pipeline":
                self._read_pipeline(child.named_children, source)
            elif node.field_name_for_child(node.children.index(child)) == "argument":
                self._read_word(child, command)
                self._read_substitutions(child, command)
            elif node.field_name_for_child(node.children.index(child)) == "right":
                self._read_statement(child)

    def _read_file_redirect(self, node: "Node", command: ShellCommand) -> None:
        mark = next((each.type for each in node.children if not each.is_named), "")
        paths = [self._words.expand(each) for each in node.children_by_field_name("destination")]
        self._read_substitutions(node, command)
        if mark in ("<", "<&", "<&-"):
            command.reads += paths[:1]
        elif not (mark in (">&", ">&-") and paths and (paths[0].isdigit() or paths[0] == "-")):
            command.writes += [Redirect(each, appends=">>" in mark) for each in paths[:1]]
        # the grammar treats arguments after a redirection as further destinations
        command.words += paths[1:]

    def _add(self, command: ShellCommand) -> ShellCommand:
        self._found.append(command)
        return command


_WORDS = SUBSTITUTIONS | read_names("""
    word string raw_string ansi_c_string translated_string concatenation simple_expansion expansion number
    arithmetic_expansion variable_name brace_expression extglob_pattern regex array subscript
""")


_PLAIN = frozenset({"command", "pipeline", "declaration_command", "redirected_statement", "negated_command"})
"""Statements whose redirections are those of their last command."""


def _find_last(found: list[ShellCommand]) -> ShellCommand | None:
    """Returns the last command that is not in a substitution of another one."""
    inner = {id(each) for command in found for each in command.inner}
    return next((each for each in reversed(found) if id(each) not in inner), None)


def _flatten_list(node: "Node") -> "list[Node]":
    """Yields the statements of `a && b || c`, which the grammar nests to the left."""
    parts: list[Node] = []
    while node.type == "list":
        left, *rest = node.named_children
        parts[:0] = rest
        node = left
    return [node, *parts]
