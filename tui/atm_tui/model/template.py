"""Fills in the {fields} of the user's templates. Pure."""

from collections.abc import Callable, Collection

from atm_tui.text import suggest_name

Template = tuple[tuple[str, str | None], ...]
"""The parts of a text: the literal text before a field, and the field's name, or None at the end."""


class TemplateError(ValueError):
    """A text with fields can't be used; the message says why, and names the nearest field."""


def parse_template(text: str, known: Collection[str]) -> Template:
    """Returns the parts of a text. `{{` and `}}` stand for braces. Raises TemplateError. `known`: the names of the fields."""
    from string import Formatter  # noqa: PLC0415  most commands need none

    try:
        found = list(Formatter().parse(text))
    except ValueError as error:
        raise TemplateError(f"{error}; write {{{{ and }}}} for braces") from error
    for _, field, spec, conversion in found:
        if field is not None and (spec or conversion or field not in known):
            given = field + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
            raise TemplateError(f'unknown field "{given}"{suggest_name(given, known, "fields")}')
    return tuple((before, field) for before, field, _, _ in found)


def fill_template(template: Template, find_text: Callable[[str], str]) -> str:
    """Returns the text with its fields filled in. `find_text`: returns the text of a field."""
    return "".join(before + (find_text(field) if field is not None else "") for before, field in template)
