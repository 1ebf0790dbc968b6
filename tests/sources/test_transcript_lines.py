"""Damaged lines of every kind: what is readable is read, the rest is counted, and nothing is raised."""

import json

import pytest

from atm_tui.model.tokens import Tokens
from atm_tui.sources.transcript_lines import decode_line, parse_time, read_request, read_text


def make_answer(**usage: object) -> dict:
    given = {"input_tokens": 3, "output_tokens": 7, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message = {"id": "m1", "role": "assistant", "model": "claude-opus-4-8", "content": [], "usage": given | usage}
    return {"type": "assistant", "uuid": "x", "timestamp": "2026-01-02T03:04:05.000Z", "message": message}


def make_tokens(line: bytes) -> list[Tokens]:
    requests = [read_request(record) for record in decode_line(line)[0]]
    return [r.tokens for r in requests if r]


SOUND = json.dumps(make_answer()).encode()
SEVEN = [Tokens(input=3, output=7)]


@pytest.mark.parametrize(
    ("line", "found", "damaged"),
    [
        (SOUND, SEVEN, False),
        (SOUND + b"\r", SEVEN, False),
        (b'{"type":"pr-link","prNu' + SOUND, SEVEN, True),
        (SOUND[:-20] + SOUND, SEVEN, True),
        (SOUND + SOUND, SEVEN * 2, True),
        (b'{"type":"user","message":{"content":[{"type":"text","text":"a"}],"usa' + SOUND, SEVEN, True),
        (b"\0" * 4096 + SOUND, SEVEN, True),
        (SOUND + b"\0\0", SEVEN, True),
        (SOUND[:-5], [], True),
        (b"", [], True),
        (b"[]", [], True),
        (b'"x"', [], True),
        (b"12", [], True),
        (b"null", [], True),
        (b'{"type":"assistant","message":"oops"}', [], True),
        (b'{"type":"assistant","message":{"usage":[]}}', [], True),
        (b'{"type":"assistant","message":{"usage":{"input_tokens":"7","output_tokens":null}}}', [], True),
        (b'{"type":"assistant","message":{"id":"m","content":[]}}', [], False),
        (json.dumps(make_answer(cache_read_input_tokens=None)).encode(), SEVEN, False),
        (json.dumps(make_answer(input_tokens=3.0)).encode(), SEVEN, False),
        (json.dumps(make_answer(input_tokens="3")).encode(), [Tokens(output=7)], False),
        (json.dumps(make_answer(input_tokens=-5)).encode(), [Tokens(output=7)], False),
        (json.dumps(make_answer(input_tokens=10**30)).encode(), [Tokens(output=7)], False),
        (json.dumps(make_answer(input_tokens=1e300)).encode(), [Tokens(output=7)], False),
        (json.dumps(make_answer(speed=4, server_tool_use=[])).encode(), SEVEN, False),
        (json.dumps(make_answer() | {"isSidechain": "no", "requestId": 7}).encode(), SEVEN, False),
        (SOUND.replace(b'"content": []', b'"content": "a \\udcb2 b"'), SEVEN, False),
        (SOUND.replace(b'"content": []', b'"content": "\xff\xfe"'), SEVEN, True),
        (SOUND.replace(b'"content": []', b'"content": "a\x00b"'), [], True),
        (b"[" * 100_000, [], True),
        (b'{"a":' * 100_000, [], True),
    ],
)
def test_a_line_is_parsed_as_far_as_possible(line: bytes, found: list[Tokens], damaged: bool) -> None:
    assert make_tokens(line) == found
    assert decode_line(line)[1] is damaged


def test_text_that_looks_like_usage_is_not_usage() -> None:
    inner = json.dumps(make_answer(output_tokens=9_999))
    told = {"type": "user", "message": {"role": "user", "content": inner}, "usage": {"output_tokens": 5}}
    assert make_tokens(json.dumps(told).encode()) == []
    quoted = make_answer()
    quoted["message"]["content"] = [{"type": "tool_use", "input": {"usage": {"output_tokens": 5}, "text": inner}}]
    assert make_tokens(json.dumps(quoted).encode()) == SEVEN


@pytest.mark.parametrize(
    ("usage", "five", "hour"),
    [
        ({"cache_creation_input_tokens": 100}, 100, 0),
        ({"cache_creation_input_tokens": 100, "cache_creation": None}, 100, 0),
        (
            {
                "cache_creation_input_tokens": 100,
                "cache_creation": {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 50},
            },
            50,
            50,
        ),
        ({"cache_creation_input_tokens": 40, "cache_creation": {"ephemeral_1h_input_tokens": 50}}, 0, 40),
        ({"cache_creation_input_tokens": None, "cache_creation": {"ephemeral_1h_input_tokens": 50}}, 0, 50),
    ],
)
def test_cache_writes_are_split_and_never_added_up(usage: dict, five: int, hour: int) -> None:
    (found,) = make_tokens(json.dumps(make_answer(**usage)).encode())
    assert (found.cache_write_5m, found.cache_write_1h) == (five, hour)


def test_synthetic_messages_of_the_client_are_not_requests() -> None:
    made_up = make_answer()
    made_up["message"]["model"] = "<synthetic>"
    assert make_tokens(json.dumps(made_up).encode()) == []


def test_other_charged_items_are_read() -> None:
    charged = make_answer(server_tool_use={"web_search_requests": 4}, speed="fast", inference_geo="us")
    (line,), _ = decode_line(json.dumps(charged | {"requestId": "r"}).encode())
    request = read_request(line, project="/p", session_id="s", agent_id="a")
    assert request is not None
    assert (request.web_searches, request.speed, request.region) == (4, "fast", "us")
    assert (request.message_id, request.request_id, request.line_id) == ("m1", "r", "x")
    assert (request.project, request.session_id, request.agent_id) == ("/p", "s", "a")
    assert request.at == 1767323045.0


def make_text(content: object) -> str | None:
    (line,), _ = decode_line(json.dumps({"type": "user", "message": {"content": content}}).encode())
    assert line.message is not None
    return read_text(line.message)


def test_text_of_messages() -> None:
    assert make_text("hi") == "hi"
    assert (
        make_text([{"type": "text", "text": "a"}, {"type": "image", "source": {}}, {"type": "text", "text": "b"}])
        == "a\nb"
    )
    assert make_text([{"type": "tool_result", "content": "x"}]) is None
    assert make_text(None) == ""
    assert make_text([3]) == ""
    assert make_text("a \udcb2 b") == "a � b"
    assert make_text("a\u2028b\u0085c") == "a\u2028b\u0085c"


def test_times() -> None:
    assert parse_time("2026-01-02T03:04:05.500Z") == 1767323045.5
    assert parse_time("2026-01-02T04:04:05.500+01:00") == 1767323045.5
    assert parse_time("2026-01-02T03:04:05") == 1767323045.0
    assert parse_time("yesterday") is None
    assert parse_time(None) is None
    assert parse_time("9999-99-99T00:00:00Z") is None
    assert parse_time("9999-12-31T23:59:59-14:00") is None
    assert parse_time("0001-01-01T00:00:00+14:00") is None
