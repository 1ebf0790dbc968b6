"""Several choices reach the model in the same words, whether they are made in the client's pane or here."""

import json
import time
from typing import Any

import pytest

from atm_hooks.verdict import make_decision
from tests.client.api import Text, Tool, Tools
from tests.client.client import DIALOG
from tests.client.sandbox import Sandbox

PER_DIALOG = 4
"""Questions that the client takes in one call."""
LABELS = (
    ("Blue, dark", 'Say "hi"', "Grün 🎨"),
    ('A, "B"', "plain", "back\\slash"),
    ("a,b", "c ,d"),
    ("a,", ",b", "x , y"),
    ('mid"dle', "’curly’", "“quoted”"),
    ("，wide", "、list", "é, ü 🎨"),
    (" lead", "trail ", "two  blanks"),
    ("tab\there", "e,\tf", "g,\u00a0h"),
    ("back\\, slash", '\\"', "\\"),
    ("[list]", '{"a":1}', "null", "1"),
    ("[a, b]", "{}, []", "1, 2"),
    ("'single'", "`tick`", "a;b"),
    ("<b>bold</b>", "a & b", "&amp;, c"),
    ("# heading", "- item, one", "* star"),
    ("日本語", "日本, 語", "한국어"),
    ("مرحبا", "שלום, עולם"),
    ("👨‍👩‍👧", "👍🏽, yes", "🇩🇪"),
    ("e\u0301", "o\u0308, u", "ñ"),
    ("$HOME, x", "$(id)", "`id`, y"),
    ("%s", "%(a)s, b", "{0}"),
    ("path/to, file", "C:\\dir", "~/x"),
    ("a → b", "a → b, c", "a; b"),
    ('"', '""', '","'),
    ("'a', 'b'", "'", "a', b"),
    ("yes", "Yes", "YES"),
    ("0", "00", "0, 0"),
    ("true", "false, no"),
    ("http://a/b?c=1,2", "a@b.c, d"),
    ("x=1", "y=2, z=3", "--flag=a, b"),
    ("one", "two", "three", "four, five"),
    ("only, one", "other"),
)


@pytest.mark.long
def test_several_choices_are_joined_as_by_the_client(sandbox: Sandbox) -> None:
    questions: list[dict[str, Any]] = [
        {
            "question": f"Which of {number}?",
            "header": f"Set {number}",
            "multiSelect": True,
            "options": [{"label": label, "description": "it"} for label in labels],
        }
        for number, labels in enumerate(LABELS)
    ]
    calls = [questions[at : at + PER_DIALOG] for at in range(0, len(questions), PER_DIALOG)]
    sandbox.api.script(
        "ask me", Tools([Tool("AskUserQuestion", {"questions": each}) for each in calls]), Text("Thanks.")
    )
    client = sandbox.start_client(sandbox.make_project("shop"), "--permission-mode", "default")
    client.type_prompt("please ask me")
    for call in calls:
        for question in call:
            client.wait_screen(f"^ *{question['question'][:-1]}")
            if question is call[0]:
                time.sleep(DIALOG)
            # the last option first: what counts is the order in which they are chosen
            for number in range(len(question["options"]), 0, -1):
                client.press_keys(str(number))
                client.wait_screen(rf"{number}\. \[✔\]")
            client.press_keys("Right")
        client.answer("Review your answers", "1")
    client.wait_screen("Thanks")
    sandbox.measure_until(lambda: len(_read_answers(sandbox)) == len(questions))
    chosen = {each["question"]: [one["label"] for one in reversed(each["options"])] for each in questions}
    asked = {"questions": questions}
    here = make_decision({"kind": "answer", "answers": chosen}, "AskUserQuestion", asked, [])
    assert here["updatedInput"]["answers"] == _read_answers(sandbox)


def _read_answers(sandbox: Sandbox) -> dict[str, str]:
    """The answers by their questions, as the client wrote them into its transcript."""
    (transcript,) = (sandbox.config_dir / "projects").glob("*/*.jsonl")
    lines = transcript.read_bytes().split(b"\n")[:-1]
    answered = [json.loads(line) for line in lines if b'"toolUseResult"' in line]
    return {question: answer for each in answered for question, answer in each["toolUseResult"]["answers"].items()}
