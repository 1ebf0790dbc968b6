"""What the shell reader makes of a command: programs with their arguments, what is piped, what is written."""

import pytest

from atm_tui.risk import shell, syntax
from atm_tui.risk.shell import pack_commands, read_commands, unpack_commands
from atm_tui.risk.syntax import UnreadableError


def list_words(text):
    return [command.words for command in read_commands(text) if command.words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls -l a", [["ls", "-l", "a"]]),
        ("", []),
        ("# only a comment", []),
        ("ls # rm -rf x", [["ls"]]),
        ("echo a#b", [["echo", "a#b"]]),
        # quotes and escapes
        ("echo 'a b' \"c d\" e\\ f", [["echo", "a b", "c d", "e f"]]),
        ("echo 'it'\\''s'", [["echo", "it's"]]),
        ('echo "a \\"b\\" \\$c \\x"', [["echo", 'a "b" $c \\x']]),
        ("echo $'a\\tb\\x41\\u00e9\\101\\''", [["echo", "a\tbAéA'"]]),
        ('echo $"a"', [["echo", "a"]]),
        ("rm > log -rf build", [["rm", "-rf", "build"]]),
        ("> log rm -rf build", [["rm", "-rf", "build"]]),
        (" 2>&1 2>&1 # c\n\nrm -rf build", [["rm", "-rf", "build"]]),
        ("a # c\nrm b", [["a"], ["rm", "b"]]),
        ("echo für ‘a b’ \U000e0041", [["echo", "für", "‘a", "b’", "\U000e0041"]]),
        ("test a == b", [["test", "a", "==", "b"]]),
        ("cat - a", [["cat", "-", "a"]]),
        ("r\\m 'r'm \"r\"'m'", [["rm", "rm", "rm"]]),
        ("r\\\nm -rf \\\n  x", [["rm", "-rf", "x"]]),
        ("echo $HOME ${X:-y} $((1 + 2)) *.py {a,b}", [["echo", "$HOME", "${X:-y}", "$((1 + 2))", "*.py", "{a,b}"]]),
        # assignments
        ("A=1 B='x y' env", [["env"]]),
        ("A=1", []),
        ("A=(1 2 3); echo", [["echo"]]),
        ("export A=1 B", [["export", "A=1", "B"]]),
        # lists, groups and compound commands
        ("a; b & c && d || e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("(a; b)", [["a"], ["b"]]),
        ("{ a; b; }", [["a"], ["b"]]),
        ("! a", [["a"]]),
        ("if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("while a; do b; done; until c; do d; done", [["a"], ["b"], ["c"], ["d"]]),
        ("for x in 1 2; do a $x; done", [["a", "$x"]]),
        ("for ((i=0; i<3; i++)); do a; done", [["a"]]),
        ("case $x in a) b;; *) c;; esac", [["b"], ["c"]]),
        ("f() { a; }; f", [["a"], ["f"]]),
        ("function f { a; }", [["a"]]),
        ("[[ -f a ]] && b", [["b"]]),
        ("[ -f a ] && b", [["b"]]),
        # substitutions, wherever they stand
        ("echo $(a)", [["echo", "$(a)"], ["a"]]),
        ("echo `a`", [["echo", "`a`"], ["a"]]),
        ('echo "x $(a "b $(c)") y"', [["echo", 'x $(a "b $(c)") y'], ["a", "b $(c)"], ["c"]]),
        ("X=$(a)", [["a"]]),
        ("X=$(a) b", [["b"], ["a"]]),
        ("diff <(a) >(b)", [["diff", "<(a)", ">(b)"], ["a"], ["b"]]),
        ("echo ${X:-$(a)}", [["echo", "${X:-$(a)}"], ["a"]]),
        ("((x = $(a)))", [["a"]]),
        ("[[ $(a) == b ]]", [["a"]]),
        ("for x in $(a); do b; done", [["a"], ["b"]]),
        ("case $(a) in b) c;; esac", [["a"], ["c"]]),
        ("a > $(b)", [["a"], ["b"]]),
        # here-documents
        ("cat <<E\n$(a) `b`\nE", [["cat"], ["a"], ["b"]]),
        ("cat <<'E'\n$(a)\nE", [["cat"]]),
        ("cat <<-E\n\ta\n\tE\nb", [["cat"], ["b"]]),
        ("cat <<E | sh\na\nE\nb", [["sh"], ["cat"], ["b"]]),
    ],
)
def test_the_programs_of_a_command(text, expected):
    found = list_words(text)
    assert sorted(found) == sorted(expected)
    if "<<E |" not in text:
        assert found == expected


@pytest.mark.parametrize(
    ("text", "writes"),
    [
        ("a > x", ["x"]),
        ("a >> 'x y' 2> z", ["x y", "z"]),
        ("a &> x", ["x"]),
        ("a &>> x", ["x"]),
        ("a >| x", ["x"]),
        ("> x", ["x"]),
        ("a < x", []),
        ("a 2>&1 >&-", []),
        ("a > x | b > y", ["x", "y"]),
        ("{ a; b; } > x", ["x"]),
        ("(a) > x", ["x"]),
        ("for i in 1; do a; done > x", ["x"]),
        ("if a; then b; fi >> x", ["x"]),
        ("cat > x <<E\ny\nE", ["x"]),
        ("cat <<E > x\ny\nE", ["x"]),
        ('a > "$HOME/x"', ["$HOME/x"]),
    ],
)
def test_the_files_that_a_command_writes(text, writes):
    assert [each.path for command in read_commands(text) for each in command.writes] == writes


@pytest.mark.parametrize(
    ("text", "piped"),
    [
        ("a | b", ["b"]),
        ("a |& b", ["b"]),
        ("a | b | c", ["b", "c"]),
        ("a || b", []),
        ("a | (b; c)", ["b", "c"]),
        ("a | { b; }", ["b"]),
        ("a | while read x; do b; done", ["read", "b"]),
        ("a | if b; then c; fi", ["b", "c"]),
        ("cat <<E | sh\na\nE", ["sh"]),
    ],
)
def test_commands_that_read_the_output_of_another(text, piped):
    assert [command.program for command in read_commands(text) if command.source is not None] == piped


def test_bodies_of_here_documents_belong_to_their_command():
    (command,) = read_commands("python3 - <<'E'\nprint(1)\nE")
    assert (command.words, command.body) == (["python3", "-"], "print(1)\n")


@pytest.mark.parametrize(
    "text",
    ["echo 'a", 'echo "a', "echo $(a", "a |", "if a; then", "(a", "a)", "echo `a", "for x in", "a\0b", "case a in"],
)
def test_a_syntax_error_is_not_a_command(text):
    with pytest.raises(UnreadableError):
        read_commands(text)


def test_deep_nesting_is_not_followed():
    nested = "x"
    for _ in range(shell.MAX_DEPTH + 1):
        nested = f"echo $({nested})"
    with pytest.raises(UnreadableError, match="too deeply"):
        read_commands(nested)
    with pytest.raises(UnreadableError):
        read_commands("(" * 3000 + "a" + ")" * 3000)


def test_parsing_that_takes_too_long_is_aborted(monkeypatch):
    monkeypatch.setattr(syntax, "MAX_SECONDS", 0.05)
    with pytest.raises(UnreadableError, match="too long"):
        read_commands("a@" * 10_000)


def test_a_long_command_is_read_whole():
    commands = read_commands("echo a; " * 5000 + "rm -rf x")
    assert len(commands) == 5001
    assert commands[-1].words == ["rm", "-rf", "x"]


@pytest.mark.parametrize(
    ("text", "assigned"),
    [
        ("A=1 B='x y' env", [("A", "1"), ("B", "x y")]),
        ("export PATH=/x:$PATH", [("PATH", "/x:$PATH")]),
        ("A=1", [("A", "1")]),
        ("A=$(b) c", [("A", "$(b)")]),
    ],
)
def test_assignments_of_a_command(text, assigned):
    assert read_commands(text)[0].assignments == assigned


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("X=rm; $X -rf y", ["rm", "-rf", "y"]),
        ("X='rm -rf'; $X y", ["rm", "-rf", "y"]),
        ('X="a b"; c "$X"', ["c", "a b"]),
        ("X=a; X=b; $X", ["$X"]),
        ("X=a; for X in b c; do $X; done", ["$X"]),
        ("X=a; read X; $X", ["$X"]),
        ("X=$(a); $X", ["$X"]),
    ],
)
def test_a_variable_with_one_value_is_filled_in(text, last):
    assert read_commands(text)[-1].words == last


def test_an_unterminated_here_document_reaches_to_the_end():
    (command,) = read_commands("cat > x <<'EOF'\na\nb")
    assert command.body == "a\nb\n"


def test_commands_survive_packing():
    commands = read_commands("A=1 a $(b) < c >> d | e <<E\nf\nE")
    again = unpack_commands(pack_commands(commands))
    assert [(each.words, each.assignments, each.writes, each.reads, each.body) for each in again] == [
        (each.words, each.assignments, each.writes, each.reads, each.body) for each in commands
    ]
    assert [each.source and each.source.words for each in again] == [
        each.source and each.source.words for each in commands
    ]
    assert [[inner.words for inner in each.inner] for each in again] == [
        [i.words for i in each.inner] for each in commands
    ]
