"""Writes transcripts line by line, as a client does."""

import json
from pathlib import Path
from typing import Any

START = 1767323045.0


class TranscriptWriter:
    """Writes transcripts line by line, a second apart."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0

    def write(self, kind: str, file: str = "s1.jsonl", **fields: Any) -> None:
        self.count += 1
        stamp = f"2026-01-02T03:04:{5 + self.count - 1:02}.000Z"
        record = {"type": kind, "uuid": f"u{self.count}", "sessionId": "s1", "timestamp": stamp} | fields
        target = self.path / file
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("a", encoding="utf-8") as out:
            out.write(json.dumps(record) + "\n")

    def answer(self, prompt: int, output: int = 10, model: str = "claude-opus-4-8", **fields: Any) -> None:
        usage = {"input_tokens": prompt, "output_tokens": output}
        fields = {"requestId": f"r{self.count}"} | fields
        message = {"id": f"m{self.count}", "model": model, "content": [], "usage": usage, "stop_reason": "end_turn"}
        self.write("assistant", message=message, **fields)

    def prompt(self, text: object, **fields: Any) -> None:
        self.write("user", message={"role": "user", "content": text}, **fields)

    @property
    def now(self) -> float:
        return START + self.count - 1
