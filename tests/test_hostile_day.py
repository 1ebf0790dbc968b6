"""Each row of the table of hostile situations has tests that exist, and what others can write is fed damaged to its readers."""

import ast

import pytest

from tests.readers import app_readers, hook_readers, session_readers  # noqa: F401  which fill the table
from tests.readers.table import READERS
from tests.support.hostile_day import SITUATIONS, Situation
from tests.support.tables import ROOT


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda each: each.what)
def test_the_tests_of_each_situation_exist(situation: Situation) -> None:
    assert situation.tests
    for test in situation.tests:
        file, _, name = test.partition("::")
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        functions = {each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert name in functions, test


def test_all_that_others_can_write_is_fed_to_its_readers() -> None:
    """What the client, its hooks and a person write, and by which the app or a hook decides something."""
    assert READERS.keys() >= {"hook_stdin", "state", "transcript", "registry", "config", "request"}
