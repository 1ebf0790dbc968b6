"""Who answered, in words."""

import pytest

from atm_tui.timeline.ledger import By, Entry, answer_word, answer_words


@pytest.mark.parametrize(
    ("by", "decision", "through", "words", "word"),
    [
        (By.HERE, "allow", "app", "allowed here", "allowed"),
        (By.HERE, "always", "shell", "allowed from now on from a shell", "allowed"),
        (By.HERE, "deny", "app", "denied here", "denied"),
        (By.HERE, "answer", "app", "answered here", "answered"),
        (By.HERE, "approve", "app", "approved here", "approved"),
        (By.HERE, "unheard of", "app", "answered here", "answered"),
        (By.THERE, "", "", "answered there", "answered there"),
        (By.RULE, "", "", "settled by a rule", "by a rule"),
        (By.UNKNOWN, "", "", "not answered", ""),
    ],
)
def test_who_answered_in_words(by: By, decision: str, through: str, words: str, word: str) -> None:
    entry = Entry(key="k", since=1.0, until=2.0, by=by, decision=decision, through=through)
    assert (answer_words(entry), answer_word(entry)) == (words, word)
    assert len(word) <= 11
