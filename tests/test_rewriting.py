"""The workers of a test run share the rewriting of asserts."""

from pathlib import Path

import pytest
from _pytest.assertion import rewrite

from tests.support.rewriting import rewrite_share


def test_two_workers_rewrite_each_file_once(
    tmp_path: Path, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        (tmp_path / f"test_{name}.py").write_text("def test_it():\n    assert 1 == 1\n")
    done = []
    for worker in ("gw0", "gw1"):
        monkeypatch.setattr(pytestconfig, "workerinput", {"workerid": worker, "workercount": 2}, raising=False)
        rewrite_share(pytestconfig, tmp_path)
        done.append({path.name.split(".")[0] for path in tmp_path.rglob("*.pyc")})
    assert done == [{"test_a", "test_c"}, {"test_a", "test_b", "test_c"}]
    source = tmp_path / "test_a.py"
    assert rewrite._read_pyc(source, next(tmp_path.rglob("test_a*.pyc"))) is not None, "pytest takes it for its own"
