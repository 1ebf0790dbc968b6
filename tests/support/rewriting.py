"""Speeds up the start of the workers of pytest-xdist: each rewrites the asserts of its share of the test files.

Without it each worker rewrites all of them, at the same time as the others: on a fresh clone that took a tenth of the time
of all tests.
"""

from contextlib import suppress
from pathlib import Path

import pytest


def rewrite_share(config: pytest.Config, folder: Path) -> None:
    """Caches the rewritten asserts of this worker's share of the test files under `folder`, where pytest looks for them.

    Does nothing in other processes than workers, and where this pytest has other names for what it does itself: then each
    worker rewrites all.
    """
    worker: dict[str, object] = getattr(config, "workerinput", {})
    if not worker:
        return
    first, step = int(str(worker["workerid"]).removeprefix("gw")), int(str(worker["workercount"]))
    with suppress(ImportError, AttributeError, TypeError):
        for path in sorted(folder.rglob("test_*.py"))[first::step]:
            _rewrite(config, path)


def _rewrite(config: pytest.Config, path: Path) -> None:
    from _pytest.assertion import rewrite

    cache = rewrite.get_cache_dir(path)
    compiled = cache / (path.stem + rewrite.PYC_TAIL)
    if rewrite._read_pyc(path, compiled) is None:
        with suppress(OSError, SyntaxError):
            cache.mkdir(exist_ok=True)
            stat, code = rewrite._rewrite_test(path, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, stat, compiled)
