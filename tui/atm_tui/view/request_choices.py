"""What is chosen so far of a request that asks questions. Pure; nothing is chosen at first."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from atm_tui.model.request import Question


@dataclass(frozen=True)
class Choices:
    """Options by their numbers, counted from 0, and free text; a question that takes one answer has one of these."""

    questions: tuple[Question, ...] = ()
    current: int = 0
    """The question that the number keys are for."""
    chosen: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """By question the options that are chosen, in the order in which they were."""
    written: Mapping[int, str] = field(default_factory=dict)
    """By question the free text."""

    @property
    def question(self) -> Question:
        """The current one."""
        return self.questions[self.current]

    @property
    def single(self) -> bool:
        """Whether one choice is all that is asked."""
        return len(self.questions) == 1 and not self.question.multi

    def answered(self, number: int) -> bool:
        """Whether a question has an answer."""
        return bool(self.chosen.get(number)) or bool(self.written.get(number))

    @property
    def left(self) -> tuple[int, ...]:
        """The questions without an answer."""
        return tuple(number for number in range(len(self.questions)) if not self.answered(number))

    @property
    def answers(self) -> dict[str, str | tuple[str, ...]]:
        """The answers by the text of the question, as a Decision takes them."""
        return {question.text: self._answer(number, question) for number, question in enumerate(self.questions)}

    def _answer(self, number: int, question: Question) -> str | tuple[str, ...]:
        labels = [question.options[at].label for at in self.chosen.get(number, ())]
        labels += [text] if (text := self.written.get(number)) else []
        return tuple(labels) if question.multi else "".join(labels[:1])

    def take(self, option: int) -> "Choices":
        """With this option of the current question or, of several answers, without it where it was chosen."""
        at, now = self.current, self.chosen.get(self.current, ())
        if not self.question.multi:
            written = {number: text for number, text in self.written.items() if number != at}
            return replace(self, chosen={**self.chosen, at: (option,)}, written=written)
        taken = tuple(each for each in now if each != option) if option in now else (*now, option)
        return replace(self, chosen={**self.chosen, at: taken})

    def write(self, text: str) -> "Choices":
        """With this free text for the current question; "" takes it away."""
        alone = text and not self.question.multi
        chosen = {**self.chosen, self.current: ()} if alone else self.chosen
        return replace(self, chosen=chosen, written={**self.written, self.current: text})

    def ask(self, number: int) -> "Choices":
        """With another current question."""
        return replace(self, current=number % len(self.questions))
