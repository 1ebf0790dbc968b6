"""That the workers of a test run share the rewriting of asserts."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from _pytest.assertion import rewrite

from tests.support.rewriting import rewrite_share


def test_two_workers_rewrite_each_file_once(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    for name in "abc":
        (tmp_path / f"test_{name}.py").write_text("def test_it():\n    assert 1 == 1\n")
    done = []
    for worker in ("gw0", "gw1"):
        config = SimpleNamespace(stash=pytestconfig.stash, workerinput={"workerid": worker, "workercount": 2})
        rewrite_share(config, tmp_path)  # type: ignore[arg-type]
        done.append({path.name.split(".")[0] for path in tmp_path.rglob("*.pyc")})
    assert done == [{"test_a", "test_c"}, {"test_a", "test_b", "test_c"}]
    source = tmp_path / "test_a.py"
    assert rewrite._read_pyc(source, next(tmp_path.rglob("test_a*.pyc"))) is not None, "pytest takes it for its own"
    rewrite_share(SimpleNamespace(stash=pytestconfig.stash), tmp_path)  # type: ignore[arg-type]
