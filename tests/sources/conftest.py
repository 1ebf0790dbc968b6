"""A transcript that grows."""

from pathlib import Path

import pytest

from tests.support.transcript_writer import TranscriptWriter


@pytest.fixture
def script(tmp_path: Path) -> TranscriptWriter:
    return TranscriptWriter(tmp_path)
