"""The answers chosen so far to a request that asks questions; none at first."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from atm_tui.model.request import Question


@dataclass(frozen=True)
class Choices:
    """Chosen options by their index (from 0), and free text; a question that takes one answer has only one of the two."""

    questions: tuple[Question, ...] = ()
    current: int = 0
    """The question that the number keys are for."""
    chosen: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Chosen options by question, in the order of choosing."""
    written: Mapping[int, str] = field(default_factory=dict)
    """Free text by question."""

    @property
    def question(self) -> Question:
        """The current question."""
        return self.questions[self.current]

    @property
    def single(self) -> bool:
        """Whether one choice answers the whole request."""
        return len(self.questions) == 1 and not self.question.multi

    def is_answered(self, number: int) -> bool:
        """Returns whether a question has an answer."""
        return bool(self.chosen.get(number)) or bool(self.written.get(number))

    @property
    def unanswered(self) -> tuple[int, ...]:
        """The questions without an answer."""
        return tuple(number for number in range(len(self.questions)) if not self.is_answered(number))

    @property
    def answers(self) -> dict[str, str | tuple[str, ...]]:
        """The answers by the text of the question, in the shape of a Decision."""
        return {question.text: self._answer(number, question) for number, question in enumerate(self.questions)}

    def _answer(self, number: int, question: Question) -> str | tuple[str, ...]:
        labels = [question.options[at].label for at in self.chosen.get(number, ())]
        labels += [text] if (text := self.written.get(number)) else []
        return tuple(labels) if question.multi else "".join(labels[:1])

    def toggle_option(self, option: int) -> "Choices":
        """Returns the choices with this option added; where several answers are allowed, a chosen option is removed."""
        at, now = self.current, self.chosen.get(self.current, ())
        if not self.question.multi:
            written = {number: text for number, text in self.written.items() if number != at}
            return replace(self, chosen={**self.chosen, at: (option,)}, written=written)
        taken = tuple(each for each in now if each != option) if option in now else (*now, option)
        return replace(self, chosen={**self.chosen, at: taken})

    def set_text(self, text: str) -> "Choices":
        """Returns the choices with this free text for the current question; "" removes it."""
        alone = text and not self.question.multi
        chosen = {**self.chosen, self.current: ()} if alone else self.chosen
        return replace(self, chosen=chosen, written={**self.written, self.current: text})

    def go_to_question(self, number: int) -> "Choices":
        """Returns the choices with another current question."""
        return replace(self, current=number % len(self.questions))
