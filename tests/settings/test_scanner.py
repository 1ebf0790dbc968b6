"""The scanner of settings files: every byte is kept, values are those of JSON.parse, and a fault is named with its place."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atm_tui.settings.document import Document
from atm_tui.settings.errors import JsonError
from atm_tui.settings.scanner import MAX_DEPTH, Item, Value, scan
from tests.support.effort import examples


def read(text: str) -> Value:
    """The root of a JSON text."""
    return scan(text)[1]


def find_fault(text: str) -> tuple[int, int, str]:
    """Line, column and reason of the first fault in a text."""
    with pytest.raises(JsonError) as caught:
        scan(text)
    return caught.value.line, caught.value.column, caught.value.reason


# --- values


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ('"a"', "string", "a"),
        ('""', "string", ""),
        ("true", "word", True),
        ("false", "word", False),
        ("null", "word", None),
        ("0", "number", 0),
        ("{}", "object", {}),
        ("[]", "array", []),
    ],
)
def test_each_kind_of_value(text, kind, value):
    root = read(text)
    assert (root.kind, root.decode(), root.format_text()) == (kind, value, text)
    assert root.is_null == (text == "null")


@pytest.mark.parametrize(
    "text", ["-0", "1.10", "1e5", "1E+5", "1.5e-3", "-1.0", "12345678901234567890123", "0.0", "10"]
)
def test_a_number_keeps_its_spelling(text):
    root = read(text)
    assert (root.kind, root.raw, root.format_text()) == ("number", text, text)
    assert root.decode() == json.loads(text)


def test_a_number_with_too_many_digits_is_decoded_as_a_float():
    text = "9" * 5000
    assert read(text).format_text() == text
    assert read(text).decode() == float("inf")
    assert read("1" + "0" * 300).decode() == 1e300


@pytest.mark.parametrize(
    "text", ["01", "+1", ".5", "1.", "-", "1e", "1e+", "0x10", "NaN", "Infinity", "-Infinity", "1_000", "٣"]
)
def test_invalid_numbers_are_refused(text):
    with pytest.raises(JsonError):
        scan(f"[{text}]")


@pytest.mark.parametrize("text", ["True", "NULL", "nul", "nulll", "truefalse", "undefined", "true1"])
def test_invalid_literals_are_refused(text):
    with pytest.raises(JsonError):
        scan(f"[{text}]")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\"\\\/\b\f\n\r\t"', '"\\/\b\f\n\r\t'),
        (r'"\u00e9\u00C9"', "éÉ"),
        (r'"\ud83d\ude42"', "🙂"),
        (r'"\ud800"', "\ud800"),
        ('"ü日\u2028\x7f"', "ü日\u2028\x7f"),
        ('"//, {[ #"', "//, {[ #"),
    ],
)
def test_escapes_are_decoded_and_keep_their_spelling(text, value):
    assert read(text).decode() == value
    assert read(text).format_text() == text


@pytest.mark.parametrize("escape", [r"\x41", r"\u12", r"\u12g4", r"\'", r"\0", r"\U0001f642", "\\\n"])
def test_an_invalid_escape_is_reported_at_its_backslash(escape):
    assert find_fault(f'{{"a": "ok{escape}"}}') == (1, 10, "an escape that JSON does not have")


# --- the tree


def test_white_space_belongs_to_the_adjacent_tokens():
    head, root, tail = scan(' \n{ "a"\t: [1 ,\r\n 2\n] ,"b":{ }\n}\n\n')
    assert (head, tail) == (" \n", "\n\n")
    a, b = root.items
    assert (a.gap, a.key, a.colon, a.after) == (" ", '"a"', "\t: ", " ")
    assert (b.gap, b.key, b.colon, b.after) == ("", '"b"', ":", "")
    assert root.tail == "\n"
    assert b.value.tail == " "
    assert [(item.gap, item.after) for item in a.value.items] == [("", " "), ("\r\n ", "")]
    assert a.value.tail == "\n"
    assert head + root.format_text() + tail == ' \n{ "a"\t: [1 ,\r\n 2\n] ,"b":{ }\n}\n\n'


def test_each_value_knows_where_it_starts():
    text = '{\n  "a": [true, "x"],\n  "b": {"c": 1}\n}'
    root = read(text)
    for value, beginning in (
        (root, "{"),
        (root.get("a"), "[true"),
        (root.get("a").items[1].value, '"x"'),
        (root.get("b"), '{"c"'),
        (root.get("b").get("c"), "1}"),
    ):
        assert text[value.start :].startswith(beginning)
    assert Value("word", "null").start == -1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_containers_indent_is_that_of_its_first_line(end):
    text = end.join(["\t{", '\t\t"a": {', '   "b": [', " ]}}"])
    root = read(text)
    assert root.indent == "\t"
    assert root.get("a").indent == "\t\t"
    assert root.get("a").get("b").indent == "   "


def test_the_last_of_duplicate_keys_counts_and_all_are_kept():
    text = '{"a": 1, "b": 2, "\\u0061": {"c": 3}}'
    root = read(text)
    assert [item.name for item in root.items] == ["a", "b", "a"]
    assert len(root.find_members("a")) == 2
    assert root.find_member("a") is root.items[2]
    assert root.decode() == {"a": {"c": 3}, "b": 2}
    assert root.format_text() == text


def test_a_missing_key_is_none():
    root = read('{"a": "x", "b": 1, "c": [1]}')
    assert root.get("d") is None
    assert root.find_member("d") is None
    assert (root.get_string("a"), root.get_string("b"), root.get_string("d")) == ("x", None, None)
    assert root.get("c").find_members("a") == []
    assert root.get("a").get("b") is None


def test_changed_items_are_written_between_unchanged_text():
    root = read('{"a" : 1 , "b": 2}')
    root.items[0].value = Value("string", '"new"')
    root.items.append(Item(Value("word", "null"), " ", '"c"', ":"))
    assert root.format_text() == '{"a" : "new" , "b": 2, "c":null}'


# --- bytes


@pytest.mark.parametrize("text", ['{"a": 1}\n', '{\r\n\t"a": 1\r\n}\r\n', '{\r"a": 1\r}'])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_byte_order_mark_and_line_ends_stay(text, mark):
    data = (mark + text).encode()
    assert Document(data).encode() == data
    assert Document(data).root.decode() == {"a": 1}


def test_only_the_first_byte_order_mark_is_one():
    with pytest.raises(JsonError) as caught:
        Document("\ufeff\ufeff{}".encode())
    assert (caught.value.line, caught.value.column) == (1, 1)


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\v", "\f", "\u2028", "\x00"])
def test_white_space_outside_json_is_refused(space):
    with pytest.raises(JsonError):
        scan(f'{{{space}"a": 1}}')


# --- faults


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("", 1, 1, "the file is empty"),
        (" \n ", 2, 2, "the file holds nothing but white space"),
        ('{"a": 1} x', 1, 10, "text after the end of the JSON value"),
        ('{\n  "a": 1,\n}', 2, 9, "trailing comma"),
        ("[1, 2 ,]", 1, 7, "trailing comma"),
        ('{"a": 1 "b": 2}', 1, 9, "\",\" or \"}\" expected, found '\"'"),
        ("[1 2]", 1, 4, "\",\" or \"]\" expected, found '2'"),
        ('{a: 1}', 1, 2, "a key in double quotes expected, found 'a'"),
        ("{'a': 1}", 1, 2, "a key in double quotes expected, found \"'\""),
        ('{"a" 1}', 1, 6, "\":\" expected, found '1'"),
        ('{"a": }', 1, 7, "a value expected, found '}'"),
        ("[,]", 1, 2, "a value expected, found ','"),
        ('{"a": 1, // x\n"b": 2}', 1, 10, "a comment; JSON has none"),
        ('{\r\n/* x */}', 2, 1, "a comment; JSON has none"),
        ('{"a": [1', 1, 9, "the text ends too early: a bracket is not closed"),
        ('{"a": "x', 1, 7, "the text ends within a string"),
        ('{"a": "x\ny"}', 1, 7, "a string that is not closed on its line"),
        ('{"a\tb": 1}', 1, 4, "a control character (0x09) in a string"),
        ('{"a": "\x1f"}', 1, 8, "a control character (0x1f) in a string"),
        ('{"é🙂": x}', 1, 8, "a value expected, found 'x'"),
    ],
)  # fmt: skip
def test_an_error_names_line_column_and_reason(text, line, column, reason):
    assert find_fault(text) == (line, column, reason)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_has_a_limit(opening, closing):
    inner = "[]" if opening == "[" else "{}"
    deepest = opening * (MAX_DEPTH - 1) + inner + closing * (MAX_DEPTH - 1)
    assert read(deepest).format_text() == deepest
    _, column, reason = find_fault(opening + deepest + closing)
    assert reason == f"more than {MAX_DEPTH} containers within each other"
    assert column == len(opening) * MAX_DEPTH + 1


# --- any text

SPACES = st.text(" \t\r\n", max_size=3)
SCALARS = st.one_of(
    st.text(max_size=8).map(json.dumps),
    st.text(max_size=8).map(lambda text: json.dumps(text, ensure_ascii=False)),
    st.from_regex(r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?", fullmatch=True).filter(str.isascii),
    st.sampled_from(["true", "false", "null"]),
)


def draw_containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Arrays and objects of such values, with white space wherever it may stand."""
    padded = st.tuples(SPACES, inner, SPACES).map("".join)
    member = st.tuples(SPACES, st.sampled_from(['"a"', '"b"', r'"\u0061"']), SPACES, st.just(":"), padded).map("".join)
    arrays = st.lists(padded, min_size=1, max_size=4).map(",".join).map("[{}]".format)
    objects = st.lists(member, min_size=1, max_size=4).map(",".join).map(lambda text: "{" + text + "}")
    empty = SPACES.flatmap(lambda space: st.sampled_from([f"[{space}]", f"{{{space}}}"]))
    return arrays | objects | empty


TEXTS = st.tuples(SPACES, st.recursive(SCALARS, draw_containers, max_leaves=12), SPACES).map("".join)


@given(TEXTS)
@settings(max_examples=examples(150), deadline=None)
def test_any_json_keeps_its_bytes_and_decodes_as_in_python(text):
    head, root, tail = scan(text)
    assert head + root.format_text() + tail == text
    assert root.decode() == json.loads(text)


@given(TEXTS, st.integers(0, 2**16), st.sampled_from(["", ",", ":", "}", "]", '"', "\\", "-", "0", "\x01", "e"]))
@settings(max_examples=examples(150), deadline=None)
def test_damaged_json_is_refused_exactly_when_python_refuses_it(text, where, damage):
    at = where % (len(text) + 1)
    damaged = text[:at] + damage + text[at + where % 2 :]
    try:
        wanted = json.loads(damaged)
    except ValueError:
        with pytest.raises(JsonError) as caught:
            scan(damaged)
        assert 1 <= caught.value.line <= len(damaged) + 1
    else:
        head, root, tail = scan(damaged)
        assert (head + root.format_text() + tail, root.decode()) == (damaged, wanted)
