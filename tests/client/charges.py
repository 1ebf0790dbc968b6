"""What a version of the client charges: each kind of usage for each model, each model's window, and what its short names mean."""

import json
import subprocess
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from atm_tui.cost.pricing import load_default_table
from tests.client.api import Options, Text
from tests.client.sandbox import Sandbox

AS_ASKED = {"CLAUDE_CODE_DISABLE_LEGACY_MODEL_REMAP": "1"}
"""The client asks for old models as they are named, rather than for their successors."""
ALIASES = ("default", "best", "opus", "opusplan", "sonnet", "haiku", "fable")
ASKED = ("input", "output", "5-minute writes", "1-hour writes", "cache reads", "fast", "long prompt")
"""The kinds that are compared: the client's figures for the others follow from these."""
LIMIT = 180
"""Seconds for all turns with one model."""


def make_write_usage(five: int, hour: int, **others: Any) -> dict[str, Any]:
    parts = {"ephemeral_5m_input_tokens": five, "ephemeral_1h_input_tokens": hour}
    return {"input_tokens": 3, "cache_creation_input_tokens": five + hour, "cache_creation": parts, **others}


KINDS: dict[str, dict[str, Any]] = {
    "input": {"input_tokens": 50_021},
    "output": {"input_tokens": 3, "output_tokens": 7_919},
    "5-minute writes": make_write_usage(30_011, 0),
    "1-hour writes": make_write_usage(0, 20_011),
    "writes of both kinds": make_write_usage(10_007, 5_003),
    "writes of no kind": {"input_tokens": 3, "cache_creation_input_tokens": 9_001},
    "cache reads": {"input_tokens": 3, "cache_read_input_tokens": 60_013},
    "web searches": {"input_tokens": 3, "server_tool_use": {"web_search_requests": 7, "web_fetch_requests": 2}},
    "fast": make_write_usage(1_013, 2_011, output_tokens=401, cache_read_input_tokens=11_003, speed="fast"),
    "region": make_write_usage(1_019, 2_017, output_tokens=409, cache_read_input_tokens=11_027, inference_geo="us"),
    "fast in a region": {"input_tokens": 4_003, "speed": "fast", "inference_geo": "us"},
    "long prompt": make_write_usage(1_021, 2_027, output_tokens=419, cache_read_input_tokens=101_009),
    "long and fast": {"input_tokens": 120_011, "output_tokens": 421, "speed": "fast"},
}
"""Usage of one request each, in amounts whose errors can't make up for each other."""


def list_models() -> list[str]:
    """The models of our price table that have a price."""
    return [name for name, model in load_default_table().models.items() if model.prices]


def describe_charges(sandbox: Sandbox, models: Iterable[str], aliases: Iterable[str] = ALIASES) -> Iterator[str]:
    """What the client charges, as lines of a shape: USD for the usage of each kind."""
    project = sandbox.make_project("shop")
    sandbox.api.script("name the model", Text("Named."))
    for alias in aliases:
        result = sandbox.run_headless("name the model", "--model", alias, project=project)
        yield f"alias {alias}: {' '.join(sorted(result['modelUsage'])) or 'none'}"
    for model in models:
        before, turns = 0.0, _run_turns(sandbox, model)
        for kind, result in zip(ASKED, turns, strict=False):
            yield f"price {model}: {kind} {result['total_cost_usd'] - before:.6f}"
            before = result["total_cost_usd"]
        if turns:
            for charged in turns[-1]["modelUsage"].values():
                yield f"window {model}: {charged.get('contextWindow')} out {charged.get('maxOutputTokens')}"
        if len(turns) != len(ASKED):
            yield f"price {model}: only {len(turns)} turns"


def _run_turns(sandbox: Sandbox, model: str) -> list[dict[str, Any]]:
    """The result of one turn for each kind of usage, in one run."""
    streams = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
    client = subprocess.Popen(
        [sandbox.program, "-p", *streams, "--model", model],
        cwd=sandbox.make_project("shop"),
        env={**sandbox.base_env, **sandbox.client_env, **AS_ASKED},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    guard = threading.Timer(LIMIT, client.kill)
    guard.start()
    try:
        return list(_take_turns(sandbox, client))
    finally:
        guard.cancel()
        client.kill()
        client.communicate()


def _take_turns(sandbox: Sandbox, client: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    """One turn after the other: prompts that come during a turn are taken together."""
    assert client.stdin
    assert client.stdout
    for kind in ASKED:
        phrase = f"spend {kind}."
        sandbox.api.script(phrase, Text("Spent.", Options(usage={"output_tokens": 1, **KINDS[kind]})))
        prompt = {"type": "user", "message": {"role": "user", "content": phrase}}
        with suppress(BrokenPipeError):
            client.stdin.write(f"{json.dumps(prompt)}\n")
            client.stdin.flush()
        for line in client.stdout:
            if line.startswith("{") and (result := json.loads(line)).get("type") == "result":
                yield result
                break
        else:
            return
