"""A shell command taken apart, as far as its text alone tells: which programs it would run, and where it writes. Pure.

No shell: variables, globs and functions are not followed. What can't be told apart stays in the text of a word.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

DEPTH = 12
"""How deep substitutions and `sh -c` are followed."""
STARTS = 40
"""Words of a program at which the other one that it runs may begin."""
SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "ash"})
WRAPPERS = frozenset(
    "sudo doas su pkexec env nohup nice ionice time timeout xargs command exec builtin stdbuf setsid watch parallel "  # noqa: SIM905
    "strace ssh chroot unshare flock caffeinate busybox npx docker podman kubectl".split()
)
"""Programs whose arguments can be another command."""
_KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "{", "}", "!", "time", "in", "coproc"})
_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|(.))", re.DOTALL)


class TooDeepError(Exception):
    """The command is nested deeper than DEPTH."""


@dataclass
class Simple:
    """One program with its arguments."""

    words: list[str] = field(default_factory=list)
    """Without quotes, redirections, assignments in front and keywords."""
    piped: bool = False
    """Whether another command's output is its input."""
    writes: list[str] = field(default_factory=list)
    """Files that its output is redirected to."""
    inner: "list[Simple]" = field(default_factory=list)
    """What the substitutions in its words run."""
    body: str = ""
    """Its here-document or here-string."""

    @property
    def head(self) -> str:
        """The program's name without its folder; "" when there is none."""
        return self.words[0].rpartition("/")[2] if self.words else ""

    def argvs(self) -> Iterator[list[str]]:
        """Program and arguments; behind programs that run another one, also whatever that may be."""
        if not self.words:
            return
        yield [self.head, *self.words[1:]]
        starts: list[int] = []
        if self.head in WRAPPERS:
            starts = list(range(1, min(len(self.words), STARTS)))
        elif self.head in ("find", "fd"):
            starts = [at + 1 for at, word in enumerate(self.words) if word in ("-exec", "-execdir", "-ok", "-x", "-X")]
            del starts[STARTS:]
        for at in starts:
            if rest := self.words[at:]:
                yield [rest[0].rpartition("/")[2], *rest[1:]]


def commands(text: str, depth: int = 0) -> list[Simple]:
    """All that a command runs, in the order in which it stands there: substitutions and the scripts of `sh -c` too.

    Raises TooDeepError.
    """
    if depth > DEPTH:
        raise TooDeepError
    found: list[Simple] = []
    for simple in _Parser(text, depth).parse():
        found.append(simple)
        found += simple.inner
        for script in dict.fromkeys(_scripts(simple)):
            found += commands(script, depth + 1)
    return found


def _scripts(simple: Simple) -> Iterator[str]:
    """Texts in a command that another shell runs."""
    for argv in simple.argvs():
        head, *rest = argv
        if head in SHELLS or head == "su":
            for at, word in enumerate(rest[:-1]):
                if word.startswith("-") and not word.startswith("--") and "c" in word:
                    yield rest[at + 1]
                    break
            if simple.body and head in SHELLS:
                yield simple.body
        elif head == "eval":
            yield " ".join(rest)
        elif head == "trap" and rest:
            yield rest[0]
        elif head == "alias":
            yield from (word.partition("=")[2] for word in rest)
        elif head == "script" and "-c" in rest[:-1]:
            yield rest[rest.index("-c") + 1]
        elif head == "env" and "-S" in rest[:-1]:
            yield rest[rest.index("-S") + 1]
        elif head in ("ssh", "watch", "xargs", "parallel", "timeout"):
            yield from (word for word in rest if " " in word)


class _Parser:
    """Walks over the text once."""

    def __init__(self, text: str, depth: int) -> None:
        self._text = text
        self._depth = depth
        self._at = 0
        self._done: list[Simple] = []
        self._now = Simple()
        self._word: list[str] | None = None
        self._redirect = ""
        self._documents: list[tuple[str, bool, bool, Simple]] = []
        self._was_quoted = False
        """Whether a part of the word was: then nothing in its here-document is run."""

    def parse(self) -> list[Simple]:
        text = self._text
        while self._at < len(text):
            here = text[self._at]
            if here == "\n":
                self._end()
                self._at += 1
                self._read_documents()
            elif here in " \t\r":
                self._end_word()
                self._at += 1
            elif here == "#" and self._word is None:
                end = text.find("\n", self._at)
                self._at = len(text) if end < 0 else end
            elif here in "<>" and text[self._at + 1 : self._at + 2] == "(":
                self._substitute(self._at + 2, ")")
            elif here in "<>" or text.startswith("&>", self._at):
                self._redirection()
            elif here in ";&|()":
                self._separator(here)
            else:
                self._character(here)
        self._end()
        return self._done

    # --- words

    def _character(self, here: str) -> None:
        text = self._text
        self._was_quoted |= here in "\\'\""
        if here == "\\":
            if text[self._at + 1 : self._at + 2] != "\n":
                self._add(text[self._at + 1 : self._at + 2])
            self._at += 2
        elif here == "'":
            end = text.find("'", self._at + 1)
            self._quoted(text[self._at + 1 : end], end)
        elif text.startswith("$'", self._at):
            end = _unescaped(text, "'", self._at + 2)
            self._quoted(_ESCAPE.sub(_escaped, text[self._at + 2 : end]), end)
        elif here == '"':
            self._double()
        elif text.startswith("$(", self._at):
            self._substitute(self._at + 2, ")")
        elif here == "`":
            self._substitute(self._at + 1, "`")
        else:
            self._add(here)
            self._at += 1

    def _quoted(self, content: str, end: int) -> None:
        if end < 0:  # a quote without its partner hides nothing of what follows
            self._add("")
            self._at += 1
        else:
            self._add(content)
            self._at = end + 1

    def _double(self) -> None:
        text, end = self._text, _double_end(self._text, self._at + 1)
        if end < 0:
            self._quoted("", -1)
            return
        self._at += 1
        self._add("")
        while self._at < end:
            here = text[self._at]
            if here == "\\" and text[self._at + 1] in '"\\$`\n':
                self._add(text[self._at + 1].strip("\n"))
                self._at += 2
            elif text.startswith("$(", self._at):
                self._substitute(self._at + 2, ")")
            elif here == "`":
                self._substitute(self._at + 1, "`")
            else:
                self._add(here)
                self._at += 1
        self._at = max(self._at, end + 1)

    def _substitute(self, start: int, closing: str) -> None:
        end = _balanced(self._text, start) if closing == ")" else _unescaped(self._text, "`", start)
        end = len(self._text) if end < 0 else end
        self._now.inner += commands(self._text[start:end], self._depth + 1)
        self._add(self._text[self._at : end + 1])
        self._at = end + 1

    def _add(self, text: str) -> None:
        if self._word is None:
            self._word = []
        self._word.append(text)

    # --- what stands between words

    def _redirection(self) -> None:
        text = self._text
        if self._word and (fd := "".join(self._word)).isdigit() and text[self._at] in "<>":
            self._word = None if fd else self._word
        self._end_word()
        for mark in ("<<<", "<<-", "<<", "&>>", "&>", ">>", ">|", ">&", "<>", "<&", ">", "<"):
            if text.startswith(mark, self._at):
                self._at += len(mark)
                self._redirect = mark
                return

    def _separator(self, here: str) -> None:
        doubled = self._text[self._at : self._at + 2]
        self._end()
        self._at += 2 if doubled in ("&&", "||", ";;", "|&") else 1
        self._now.piped = here == "|" and doubled != "||"

    def _end_word(self) -> None:
        if self._word is None:
            return
        word, self._word = "".join(self._word), None
        mark, self._redirect = self._redirect, ""
        quoted, self._was_quoted = self._was_quoted, False
        if not mark:
            if self._now.words or not (word in _KEYWORDS or _ASSIGNED.match(word)):
                self._now.words.append(word)
        elif mark == "<<<":
            self._now.body += word
        elif mark in ("<<", "<<-"):
            self._documents.append((word, mark == "<<-", quoted, self._now))
        elif mark not in ("<", "<&") and not (mark == ">&" and (word.isdigit() or word == "-")):
            self._now.writes.append(word)

    def _end(self) -> None:
        self._end_word()
        self._redirect = ""
        now = self._now
        if now.words or now.writes or now.inner or now.body or any(each[3] is now for each in self._documents):
            self._done.append(now)
            self._now = Simple()

    def _read_documents(self) -> None:
        for delimiter, stripped, quoted, simple in self._documents:
            lines = []
            while self._at < len(self._text):
                end = self._text.find("\n", self._at)
                end = len(self._text) if end < 0 else end
                line = self._text[self._at : end]
                self._at = end + 1
                if (line.lstrip("\t") if stripped else line) == delimiter:
                    break
                lines.append(line)
            body = "\n".join(lines)
            simple.body += body
            if not quoted and ("$(" in body or "`" in body):
                bare = body.replace('"', "")
                simple.inner += commands(f': "{bare}"', self._depth + 1)
        self._documents = []


def _unescaped(text: str, wanted: str, at: int) -> int:
    """Where `wanted` stands next without a backslash before it; -1 when nowhere."""
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == wanted:
            return at
        else:
            at += 1
    return -1


def _double_end(text: str, at: int) -> int:
    """Where a double-quoted text that began before `at` ends; -1 when nowhere."""
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text.startswith("$(", at):
            end = _balanced(text, at + 2)
            at = len(text) if end < 0 else end + 1
        elif text[at] == '"':
            return at
        else:
            at += 1
    return -1


def _balanced(text: str, at: int) -> int:
    """Where the parenthesis that opened before `at` closes; -1 when nowhere."""
    open_ones = 1
    while at < len(text):
        here = text[at]
        if here == "\\":
            at += 2
            continue
        if here in "'\"":
            end = text.find("'", at + 1) if here == "'" else _unescaped(text, '"', at + 1)
            at = end if end > 0 else at
        open_ones += {"(": 1, ")": -1}.get(text[at], 0)
        if not open_ones:
            return at
        at += 1
    return -1


def _escaped(match: re.Match[str]) -> str:
    """A character in $'…'."""
    hexed, wide, octal, plain = match.groups()
    if hexed or wide:
        return chr(int(hexed or wide, 16))
    if octal:
        return chr(int(octal, 8) & 0xFF)
    return {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b"}.get(plain, plain)
