"""Reads a shell command by its grammar (tree-sitter-bash): which programs it would run, and which files it writes.

Nothing is expanded: variables, globs and functions stay in the text of a word.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

DEPTH = 12
"""How deep substitutions and the scripts of `sh -c` are followed."""
SECONDS = 1.0
"""How long the reading of one command may take, with all scripts in it."""
_CHUNK = 4096
_ASCII = bytes(range(128)) + b"x" * 128
"""To the shell a character outside ASCII is a letter like any other."""
NODES_DEEP = 200
"""How deep the syntax tree of one script may be."""
STARTS = 40
"""Words of a program at which another one that it runs may begin."""
SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "ash"})
WRAPPERS = frozenset(
    "sudo doas su pkexec env nohup nice ionice time timeout xargs command exec builtin stdbuf setsid watch parallel "  # noqa: SIM905
    "strace ssh chroot unshare flock caffeinate busybox npx docker podman kubectl".split()
)
"""Programs whose arguments can be another command."""
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.DOTALL)
_IN_QUOTES = re.compile(r'\\(["\\$`\n])')
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_WRITING = frozenset({">", ">>", "&>", "&>>", ">|", ">&", "<>"})


class UnreadableError(Exception):
    """The text is no shell command, as far as the grammar tells, or it is nested too deeply."""


@dataclass
class ShellCommand:
    """One program with its arguments."""

    words: list[str] = field(default_factory=list)
    """Program and arguments, without quotes, redirections and the assignments in front of them."""
    piped: bool = False
    """Whether the output of another command is its input."""
    writes: list[str] = field(default_factory=list)
    """Files that its output is redirected to."""
    inner: "list[ShellCommand]" = field(default_factory=list)
    """What the substitutions in its words run."""
    body: str = ""
    """Its here-document or here-string."""

    @property
    def program(self) -> str:
        """The program's name without its folder; "" when there is none."""
        return self.words[0].rpartition("/")[2] if self.words else ""

    def argument_lists(self) -> Iterator[list[str]]:
        """Program and arguments; behind programs that run another one, also whatever that may be."""
        if not self.words:
            return
        yield [self.program, *self.words[1:]]
        starts: list[int] = []
        if self.program in WRAPPERS:
            starts = list(range(1, min(len(self.words), STARTS)))
        elif self.program in ("find", "fd"):
            starts = [at + 1 for at, word in enumerate(self.words) if word in ("-exec", "-execdir", "-ok", "-x", "-X")]
            del starts[STARTS:]
        for at in starts:
            if rest := self.words[at:]:
                yield [rest[0].rpartition("/")[2], *rest[1:]]


def read_commands(text: str) -> list[ShellCommand]:
    """All that a command runs, in the order in which it stands there: substitutions and the scripts of `sh -c` too.

    Raises UnreadableError.
    """
    return _read_script(text, 0, time.monotonic() + SECONDS)


def _read_script(text: str, depth: int, until: float) -> list[ShellCommand]:
    if depth > DEPTH:
        raise UnreadableError("nested too deeply")
    found: list[ShellCommand] = []
    for command in _Reader(text, depth, until).read():
        found.append(command)
        found += command.inner
        for script in dict.fromkeys(_find_scripts(command)):
            found += _read_script(script, depth + 1, until)
    return found


def _find_scripts(command: ShellCommand) -> Iterator[str]:
    """Texts in a command that another shell runs."""
    for program, *rest in command.argument_lists():
        if program in SHELLS or program == "su":
            for at, word in enumerate(rest[:-1]):
                if word.startswith("-") and not word.startswith("--") and "c" in word:
                    yield rest[at + 1]
                    break
            if command.body and program in SHELLS:
                yield command.body
        elif program == "eval":
            yield " ".join(rest)
        elif program == "trap" and rest:
            yield rest[0]
        elif program == "alias":
            yield from (word.partition("=")[2] for word in rest)
        elif program == "script" and "-c" in rest[:-1]:
            yield rest[rest.index("-c") + 1]
        elif program == "env" and "-S" in rest[:-1]:
            yield rest[rest.index("-S") + 1]
        elif program in ("ssh", "watch", "xargs", "parallel", "timeout"):
            yield from (word for word in rest if " " in word)


@cache
def _language() -> Language:
    return Language(tree_sitter_bash.language())


def _parse(source: bytes, until: float) -> Node:
    """The root of the syntax tree, whose offsets count bytes.

    Raises UnreadableError for a syntax error, and when time is up: some texts that are no commands take the parser minutes.
    """
    if b"\0" in source:
        raise UnreadableError("a NUL character")
    # The grammar's own scanner looks characters outside ASCII up in tables that are too short for them.
    source = source.translate(_ASCII)
    parser = Parser(_language())
    try:
        tree = parser.parse(
            lambda offset, _: source[offset : offset + _CHUNK],
            progress_callback=lambda *_: time.monotonic() > until,
        )
    except ValueError:
        raise UnreadableError("took too long") from None
    if tree.root_node.has_error:
        raise UnreadableError("a syntax error")
    return tree.root_node


class _Reader:
    """Walks over the syntax tree of one script."""

    def __init__(self, text: str, depth: int, until: float) -> None:
        """Raises UnreadableError for a syntax error."""
        self._source = text.encode("utf-8", "replace")
        self._depth, self._until = depth, until
        self._found: list[ShellCommand] = []
        self._root = _parse(self._source, until)

    def read(self) -> list[ShellCommand]:
        """The commands of the script, without those in their substitutions."""
        self._visit(self._root, piped=False, level=0)
        return self._found

    def _visit(self, node: Node, *, piped: bool, level: int) -> None:
        """Adds the commands at and below a node."""
        if level > NODES_DEEP:
            raise UnreadableError("nested too deeply")
        match node.type:
            case "command" | "declaration_command" | "unset_command":
                self._found.append(self._read_command(node, piped))
            case "redirected_statement":
                self._visit_redirected(node, piped=piped, level=level)
            case "pipeline":
                for index, child in enumerate(node.named_children):
                    self._visit(child, piped=piped or index > 0, level=level + 1)
            case "command_substitution" | "process_substitution" | "string" | "heredoc_body":
                self._add_inner(node)
            case _:
                for child in node.named_children:
                    self._visit(child, piped=piped, level=level + 1)

    def _visit_redirected(self, node: Node, *, piped: bool, level: int) -> None:
        """A statement with redirections: those of a single command are its own, those of a group stand alone."""
        body = node.child_by_field_name("body")
        first = len(self._found)
        if body is not None:
            self._visit(body, piped=piped, level=level + 1)
        is_one = body is not None and body.type == "command" and len(self._found) == first + 1
        command = self._found[first] if is_one else ShellCommand(piped=piped)
        at = node.start_byte
        for child in node.children:
            # The grammar leaves a lone "-" before a here-document without a node.
            command.words += self._source[at : child.start_byte].decode("utf-8", "replace").split()
            at = child.end_byte
            if child.type.endswith("_redirect"):
                self._read_redirection(child, command, level)
        if not is_one and (command.writes or command.inner or command.body):
            self._found.append(command)

    def _read_command(self, node: Node, piped: bool) -> ShellCommand:
        command, at = ShellCommand(piped=piped), 0
        if node.type != "command":
            command.words.append(self._text(node.children[0]))
        for child in node.children if node.type == "command" else node.named_children:
            if child.type.endswith("_redirect"):
                self._read_redirection(child, command, 0)
                continue
            if child.type in ("$", "comment"):  # the sign of $"…"; a comment between redirections and their command
                continue
            self._add_inner_of(child, command)
            if child.type == "variable_assignment" and node.type == "command":
                continue
            word = self._read_word(child)
            if command.words and self._source[at : child.start_byte] == b"\\\n":
                command.words[-1] += word  # a line end within a word
            else:
                command.words.append(word)
            at = child.end_byte
        return command

    def _read_redirection(self, node: Node, command: ShellCommand, level: int) -> None:
        """Where a redirection leads to; what follows the word of a here-document on its line belongs to it in the grammar."""
        if node.type == "herestring_redirect":
            for child in node.named_children:
                self._add_inner_of(child, command)
                command.body += self._read_word(child)
        elif node.type == "file_redirect":
            operator = next((child.type for child in node.children if child.type in _WRITING), "")
            for index, target in enumerate(node.children_by_field_name("destination")):
                self._add_inner_of(target, command)
                path = self._read_word(target)
                if index:  # in the grammar the words behind a redirection belong to it: `rm > log -rf build`
                    command.words.append(path)
                elif operator and not (operator == ">&" and (path.isdigit() or path == "-")):
                    command.writes.append(path)
        else:
            self._read_here_document(node, command, level)

    def _read_here_document(self, node: Node, command: ShellCommand, level: int) -> None:
        is_quoted, is_piped = False, False
        for child in node.children:
            if child.type == "heredoc_start":
                is_quoted = any(sign in self._text(child) for sign in "'\"\\")
            elif child.type == "heredoc_body":
                body = self._text(child)
                command.body += body
                if not is_quoted and ("$(" in body or "`" in body):
                    bare = body.replace('"', "")
                    command.inner += self._read_inner(f': "{bare}"')
            elif child.type.endswith("_redirect"):
                self._read_redirection(child, command, level)
            elif child.type in ("|", "|&"):
                is_piped = True
            elif child.is_named and child.type not in ("heredoc_end", "file_descriptor"):
                if node.field_name_for_child(node.children.index(child)) == "argument":
                    command.words.append(self._read_word(child))
                self._visit(child, piped=is_piped or child.type == "pipeline", level=level + 1)

    # --- substitutions

    def _add_inner(self, node: Node) -> None:
        """Substitutions that stand in no command: in assignments, tests, loops and arithmetic."""
        command = ShellCommand()
        self._add_inner_of(node, command)
        if command.inner:
            self._found.append(command)

    def _add_inner_of(self, node: Node, command: ShellCommand, level: int = 0) -> None:
        if level > NODES_DEEP:
            raise UnreadableError("nested too deeply")
        if node.type in _SUBSTITUTIONS:
            text = self._text(node)
            script = text[1:-1] if text.startswith("`") else text[2:-1]
            command.inner += self._read_inner(script.removeprefix("<") if text.startswith("$(<") else script)
            return
        for child in node.named_children:
            self._add_inner_of(child, command, level + 1)

    def _read_inner(self, script: str) -> list[ShellCommand]:
        return _read_script(script, self._depth + 1, self._until)

    # --- words

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _read_word(self, node: Node) -> str:
        """A word without its quotes; expansions stay as they are written."""
        text = self._text(node)
        match node.type:
            case "raw_string":
                return text[1:-1]
            case "ansi_c_string":
                return _ESCAPE.sub(_unescape, text[2:-1])
            case "translated_string":
                return self._read_word(node.named_children[0]) if node.named_children else text
            case "string":
                return _IN_QUOTES.sub(lambda match: match[1].strip("\n"), text[1:-1])
            case "concatenation" | "command_name" | "variable_assignment":
                return self._read_parts(node)
            case "word" | "number" | "extglob_pattern" | "regex":
                return _unescape_word(text)
        return text

    def _read_parts(self, node: Node) -> str:
        """The parts of a word, and what stands between them without a node of its own."""
        parts, at = [], node.start_byte
        for child in node.children:
            parts.append(self._source[at : child.start_byte].decode("utf-8", "replace"))
            parts.append(self._read_word(child))
            at = child.end_byte
        parts.append(self._source[at : node.end_byte].decode("utf-8", "replace"))
        return "".join(parts)


def _unescape_word(text: str) -> str:
    """A word outside quotes: a backslash is taken away, with the line end behind it."""
    return re.sub(r"\\(.?)", lambda match: match[1].strip("\n"), text, flags=re.DOTALL)


def _unescape(match: re.Match[str]) -> str:
    """A character in $'…'."""
    hexed, wide, wider, octal, plain = match.groups()
    if code := hexed or wide or wider:
        return chr(int(code, 16)) if int(code, 16) < 0x110000 else ""
    if octal:
        return chr(int(octal, 8) & 0xFF)
    return {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b", "E": "\x1b", "a": "\a", "b": "\b"}.get(plain, plain)
