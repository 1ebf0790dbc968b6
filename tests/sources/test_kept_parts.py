"""A result kept in parts: a damaged file counts as missing."""

import time
from pathlib import Path

from atm_tui.sources.kept_parts import KeptParts, Part, SharedSources
from atm_tui.sources.kept_result import Sources, pack, unpack


def test_a_file_that_ends_at_any_field_counts_as_missing(tmp_path: Path) -> None:
    later, kept = time.time() + 60, KeptParts(tmp_path, "parts", ["key"])
    part = Part(["text"], [str(tmp_path / "file")], ["identity"], Sources([], {}, None))
    kept.save({"a": part, "b": part}, SharedSources(Sources([], {}, None), {}), later)
    file = tmp_path / "parts"
    fields = unpack(file.read_bytes())
    assert kept.load(later)
    for count in range(len(fields)):
        file.write_bytes(pack(fields[:count]))
        assert not kept.load(later), fields[:count]
