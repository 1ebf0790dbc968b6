"""A scripted stand-in for the Messages API on loopback, so that the real client can run without an account.

A script belongs to a phrase: step k answers the k-th model call after the newest user text that holds the phrase,
"Done." follows the last step, and a prompt that holds no phrase gets "Ok.". Nothing is counted on this side, so
requests that the client repeats, or makes beside the turn, get the same answer.
"""

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.waiting import PATIENCE

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """What an answer reports beside its content."""

    usage: Mapping[str, Any] | None = None
    """The API's usage object; None gives small figures that grow with the conversation."""
    stop: str | None = None
    """stop_reason; None is `end_turn` for a text and `tool_use` for tools."""
    chunk_delay: float = 0.0
    """Seconds after each 40 characters of streamed text."""
    model: str | None = None
    """The model that answers; None is the one that was asked for. Gateways can send a request to another."""


@dataclass(frozen=True)
class Text:
    """The model says something and ends its turn."""

    text: str
    options: Options = Options()


@dataclass(frozen=True)
class Tool:
    """The model calls one tool."""

    name: str
    input: Mapping[str, Any]
    options: Options = Options()


@dataclass(frozen=True)
class Tools:
    """The model calls several tools in one answer."""

    calls: Sequence[Tool]
    options: Options = Options()


@dataclass(frozen=True)
class Error:
    """The API refuses with an HTTP status."""

    status: int
    type: str | None = None
    message: str = "scripted error"


@dataclass(frozen=True)
class Sleep:
    """The API takes `seconds` before it answers with `then`."""

    seconds: float
    then: "Step"


@dataclass(frozen=True)
class Hold:
    """The API answers with `then` once the test sets `gate`."""

    gate: threading.Event
    then: "Step"


Step = Text | Tool | Tools | Error | Sleep | Hold
Answer = Text | Tool | Tools | Error


@dataclass(frozen=True, kw_only=True)
class ModelCall:
    """One model call, as the client made it."""

    at: float
    """Epoch seconds."""
    phrase: str | None
    """The script's phrase; None when no script fits."""
    step: Step
    request: Mapping[str, Any] = field(repr=False)
    """The request's body."""


def choose_step(
    messages: Sequence[Mapping[str, Any]], scripts: Mapping[str, Sequence[Step]]
) -> tuple[str | None, Step]:
    """The phrase and step that answer a conversation: of the newest text with a phrase, the phrase that ends last."""
    for at in range(len(messages) - 1, -1, -1):
        if messages[at]["role"] != "user":
            continue
        for text in reversed(list(_read_texts(messages[at]["content"]))):
            hits = [phrase for phrase in scripts if phrase in text]
            if hits:
                phrase = max(hits, key=lambda hit: (text.rfind(hit) + len(hit), len(hit)))
                answered = sum(message["role"] == "assistant" for message in messages[at + 1 :])
                steps = scripts[phrase]
                return phrase, steps[answered] if answered < len(steps) else Text("Done.")
    return None, Text("Ok.")


def _read_texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    else:
        yield from (block["text"] for block in content if block.get("type") == "text")


class Api:
    """The server, in threads of this process, on a port of 127.0.0.1 that the system picks."""

    def __init__(self) -> None:
        self.scripts: dict[str, Sequence[Step]] = {}
        """Steps by phrase; may change at any time."""
        self.asked: list[ModelCall] = []
        """Every model call so far, oldest first."""
        self.listeners: list[Callable[[ModelCall], None]] = []
        """Each is called, in the server's thread, with a model call before it is answered."""
        self.closing = threading.Event()
        self.numbers = itertools.count(1)
        self._heard = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"api": self}))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        self._thread.start()

    def script(self, phrase: str, *steps: Step) -> None:
        """Answers prompts that hold `phrase` with these steps."""
        self.scripts[phrase] = steps

    def record_call(self, request: Mapping[str, Any]) -> Step:
        """Notes one model call and says how to answer it."""
        phrase, step = choose_step(request["messages"], dict(self.scripts))
        asked = ModelCall(at=time.time(), phrase=phrase, step=step, request=request)
        with self._heard:
            self.asked.append(asked)
            self._heard.notify_all()
        for listener in tuple(self.listeners):
            listener(asked)
        return step

    def wait_for_call(self, phrase: str, count: int = 1, timeout: float = PATIENCE) -> ModelCall:
        """The `count`-th model call for a phrase, once it has come; AssertionError if it does not."""
        with self._heard:
            came = self._heard.wait_for(lambda: len(self.find_calls(phrase)) >= count, timeout)
            assert came, f"{phrase!r} was asked {len(self.find_calls(phrase))} times within {timeout} s, not {count}"
            return self.find_calls(phrase)[count - 1]

    def find_calls(self, phrase: str) -> list[ModelCall]:
        return [asked for asked in self.asked if asked.phrase == phrase]

    def close(self) -> None:
        """Stops the server; answers that still wait are dropped."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    api: Api
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Keeps the test's output free of access lines."""

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self._send_error(Error(404, message=self.path))

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            return self._send_json(200, {"input_tokens": len(raw) // 4})
        if path != "/v1/messages":
            return self._send_error(Error(404, message=path))
        request = json.loads(raw)
        answer = self._wait_for_answer(self.api.record_call(request))
        if answer is None:
            self.close_connection = True
            return None
        if isinstance(answer, Error):
            return self._send_error(answer)
        message, blocks, stop, usage = self._make_message(request, answer)
        if not request.get("stream"):
            return self._send_json(200, {**message, "content": blocks, "stop_reason": stop, "usage": usage})
        return self._send_stream(message, blocks, stop, usage, answer.options.chunk_delay)

    def _wait_for_answer(self, step: Step) -> Answer | None:
        """The answer under sleeps and holds, after them; None when the server closes meanwhile."""
        while isinstance(step, Sleep | Hold):
            if isinstance(step, Sleep):
                self.api.closing.wait(step.seconds)
            else:
                while not step.gate.wait(0.1) and not self.api.closing.is_set():
                    pass
            if self.api.closing.is_set():
                return None
            step = step.then
        return step

    def _make_message(
        self, request: Mapping[str, Any], answer: Text | Tool | Tools
    ) -> tuple[dict[str, Any], list[dict[str, Any]], str, Mapping[str, Any]]:
        number = self.api.numbers
        calls = [] if isinstance(answer, Text) else [answer] if isinstance(answer, Tool) else answer.calls
        said = answer.text if isinstance(answer, Text) else "Working on it."
        blocks: list[dict[str, Any]] = [{"type": "text", "text": said}]
        blocks += [
            {"type": "tool_use", "id": f"toolu_{next(number):06d}", "name": call.name, "input": dict(call.input)}
            for call in calls
        ]
        usage = answer.options.usage or {
            "input_tokens": 12,
            "output_tokens": 57,
            "cache_read_input_tokens": 20_000 + 500 * len(request["messages"]),
            "cache_creation_input_tokens": 3_000,
            "cache_creation": {"ephemeral_5m_input_tokens": 3_000, "ephemeral_1h_input_tokens": 0},
            "service_tier": "standard",
        }
        message = {
            "id": f"msg_{next(number):06d}",
            "type": "message",
            "role": "assistant",
            "model": answer.options.model or request["model"],
            "stop_sequence": None,
        }
        return message, blocks, answer.options.stop or ("tool_use" if calls else "end_turn"), usage

    def _send_headers(self, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("request-id", f"req_{next(self.api.numbers):06d}")

    def _send_json(self, status: int, body: Mapping[str, Any]) -> None:
        data = json.dumps(body).encode()
        self._send_headers(status, "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _send_error(self, error: Error) -> None:
        kind = error.type or ERROR_TYPES.get(error.status, "api_error")
        self._send_json(error.status, {"type": "error", "error": {"type": kind, "message": error.message}})

    def _send_stream(
        self,
        message: Mapping[str, Any],
        blocks: Sequence[Mapping[str, Any]],
        stop: str,
        usage: Mapping[str, Any],
        delay: float,
    ) -> None:
        """The answer as server-sent events."""

        def send(kind: str, **fields: Any) -> None:
            self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode())
            self.wfile.flush()

        self._send_headers(200, "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        first = {**usage, "output_tokens": min(1, usage.get("output_tokens", 1))}
        send("message_start", message={**message, "content": [], "stop_reason": None, "usage": first})
        for index, block in enumerate(blocks):
            if block["type"] == "text":
                send("content_block_start", index=index, content_block={"type": "text", "text": ""})
                for at in range(0, len(block["text"]), 40):
                    part = {"type": "text_delta", "text": block["text"][at : at + 40]}
                    send("content_block_delta", index=index, delta=part)
                    self.api.closing.wait(delay)
            else:
                send("content_block_start", index=index, content_block={**block, "input": {}})
                given = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
                send("content_block_delta", index=index, delta=given)
            send("content_block_stop", index=index)
        last = {key: usage[key] for key in ("output_tokens", "server_tool_use") if key in usage}
        send("message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage=last)
        send("message_stop")
