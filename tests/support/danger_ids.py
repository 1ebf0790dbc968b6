"""Finds dangers of invented requests, by their ids."""

from atm_tui.model.request import Request
from atm_tui.risk.requests import find_dangers
from atm_tui.risk.rules import DANGERS, build_rules

HOME = "/home/user"
ROOT = "/home/user/work/web"
WORDS = {words: key for key, words in DANGERS.items()}


def find_ids(tool="Bash", wanted=(), cwd=ROOT, roots=(ROOT,), **given):
    request = Request(nonce="0", session_id="s", key="k", digest="d", tool=tool, input=given, cwd=cwd)
    return [WORDS.get(each, each) for each in find_dangers(request, roots, HOME, build_rules(wanted))]
