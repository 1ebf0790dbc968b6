"""Editing JSON text entry by entry: what goes takes its own comma and white space, what stays keeps its own."""

import pytest

from atm_tui.settings.document import Document, remove
from atm_tui.settings.errors import JsonError, find_line_column


def remove_item(text: str, index: int) -> str:
    document = Document(text.encode())
    remove(document.root, document.root.items[index])
    return document.encode().decode()


@pytest.mark.parametrize(
    ("text", "index", "left"),
    [
        ('{"a":1,"b":2,"c":3}', 0, '{"b":2,"c":3}'),
        ('{"a":1,"b":2,"c":3}', 1, '{"a":1,"c":3}'),
        ('{"a":1,"b":2,"c":3}', 2, '{"a":1,"b":2}'),
        ('{\n  "a": 1, "b": 2\n}', 0, '{\n  "b": 2\n}'),
        ('{\n  "a": 1,\n\n  "b": 2\n}\n', 0, '{\n  "b": 2\n}\n'),
        ('{"a":1,"b":2 , "c":3 }', 1, '{"a":1 , "c":3 }'),
        ('{"a":1 , "b":2 }', 1, '{"a":1 }'),
        ('{ "a":1 }', 0, "{}"),
        ('\ufeff{"a":1,\r\n"b":2\r\n}\r\n', 1, '\ufeff{"a":1\r\n}\r\n'),
    ],
)
def test_remove(text, index, left):
    assert remove_item(text, index) == left


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("{}", '{\n  "new": {\n    "x": [\n      1\n    ]\n  }\n}'),
        ('{"a":1}', '{"a":1,"new":{"x":[1]}}'),
        ('{"a": 1}', '{"a": 1, "new": {"x": [1]}}'),
        ('{ "a": 1 }', '{ "a": 1, "new": { "x": [1] } }'),
        ('{"a" : 1,  "b" : 2}', '{"a" : 1,  "b" : 2,  "new" : {"x" : [1]}}'),
        ('{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"new": {\n\t\t"x": [\n\t\t\t1\n\t\t]\n\t}\n}\n'),
        ('{\r\n "a": 1\r\n}', '{\r\n "a": 1,\r\n "new": {\r\n  "x": [\r\n   1\r\n  ]\r\n }\r\n}'),
        ('{\n    "a": 1\n}', '{\n    "a": 1,\n    "new": {\n        "x": [\n            1\n        ]\n    }\n}'),
        ('{"a": 1 }', '{"a": 1, "new": {"x": [1]} }'),
        ('{\r "a": 1\r}', '{\r "a": 1,\r "new": {\r  "x": [\r   1\r  ]\r }\r}'),
        ("  {\n  }", '  {\n    "new": {\n      "x": [\n        1\n      ]\n    }\n  }'),
    ],
)
def test_append_follows_the_style(text, after):
    document = Document(text.encode())
    document.append(document.root, {"x": [1]}, "new")
    assert document.encode().decode() == after


def test_foreign_text_is_written_unchanged():
    document = Document(b"{}")
    document.append(document.root, "a && b > 'c' \u00e9 \U0001f642", "k\u00fc")
    assert document.encode().decode() == '{\n  "kü": "a && b > \'c\' é 🙂"\n}'


@pytest.mark.parametrize(
    ("data", "line", "column", "reason"),
    [
        (b'{"a": 1 // x\n}', 1, 9, "a comment; JSON has none"),
        (b'{\r\n"a": "\r\n}', 2, 6, "a string that is not closed on its line"),
        (b'{"a": "x\\q"}', 1, 9, "an escape that JSON does not have"),
        (b'{"a": "x\x02"}', 1, 9, "a control character (0x02) in a string"),
        (b'{"a": "x', 1, 7, "the text ends within a string"),
        (b'{"\xc3\xbc": \xff}', 1, 7, "byte 0xff is not UTF-8"),
        (b'{"a": 1}\r{', 2, 1, "text after the end of the JSON value"),
        (b"\xff\xfe{\x00}\x00", 1, 1, "the file is UTF-16, not UTF-8"),
        (b"[1]", 1, 1, "the file holds a JSON array, not an object"),
    ],
)
def test_errors_name_the_place(data, line, column, reason):
    with pytest.raises(JsonError) as caught:
        Document(data)
    assert (caught.value.line, caught.value.column, caught.value.reason) == (line, column, reason)


def test_a_long_string_that_is_not_closed_is_refused_at_once():
    with pytest.raises(JsonError, match="ends within a string"):
        Document(b'{"a": "' + b"x" * 2_000_000)


def test_line_ends_are_recognized_as_in_editors():
    assert find_line_column("a\r\nb\rc\nd", 7) == (4, 1)
    assert find_line_column("a\u2028b", 2) == (1, 3)
