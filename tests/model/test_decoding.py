"""Typed decoding: threads that meet a type at the same time, and the one place that calls msgspec for it."""

import ast
import subprocess
import sys

from tests.support.source_search import find_calls, parse_sources

TYPED = {"Decoder", "convert"}
RACE = """
import sys, threading, types
import msgspec
from atm_tui.model.decoding import convert, decode_json, make_json_decoder, make_msgpack_decoder

def make_struct(name, annotation, module="__main__"):
    fields = dict.fromkeys((f"{name}{i}" for i in range(20)), annotation)
    return type(msgspec.Struct)(name, (msgspec.Struct,), {"__module__": module, "__annotations__": fields, **dict.fromkeys(fields)})

sys.setswitchinterval(1e-6)
data = b'{"outer0": {"inner0": ["a"]}, "outer19": {"inner19": ["b"]}}'
plain = msgspec.json.decode(data)
ways = (
    lambda kind: make_json_decoder(kind).decode(data),
    lambda kind: make_msgpack_decoder(kind).decode(msgspec.msgpack.encode(plain)),
    lambda kind: decode_json(data, kind),
    lambda kind: convert(plain, kind),
)
for number in range(150):
    module = sys.modules[f"m{number}"] = types.ModuleType(f"m{number}")
    module.Inner = make_struct("inner", "list[str] | None")
    kind = make_struct("outer", "Inner | None", module.__name__)
    start, found = threading.Barrier(4), []
    def read(way, kind=kind, start=start, found=found):
        start.wait()
        found.append(way(kind))
    threads = [threading.Thread(target=read, args=[way]) for way in ways]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(each.outer0.inner0, each.outer19.inner19) for each in found] == [(["a"], ["b"])] * 4, number
"""


def test_threads_can_meet_a_type_at_the_same_time() -> None:
    """Of many such meetings, msgspec alone crashes the interpreter in some."""
    done = subprocess.run([sys.executable, "-c", RACE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _is_typed_decoding(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if not ast.unparse(node.func.value).startswith("msgspec"):
        return False
    typed = any(keyword.arg == "type" and ast.unparse(keyword.value) != "str" for keyword in node.keywords)
    return node.func.attr in TYPED or (node.func.attr == "decode" and typed)


def test_nothing_else_decodes_into_types() -> None:
    found = [
        f"{name}:{line}"
        for name, tree in parse_sources("msgspec")
        for _, line in find_calls(tree, _is_typed_decoding)
        if not name.endswith("model/decoding.py")
    ]
    assert found == []
