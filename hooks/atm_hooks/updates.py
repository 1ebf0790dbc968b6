"""Changes to a part of a state: they copy it first, keep its bounds, and give the same result in any order."""

from atm_hooks.codec import Object as State

KEEP_LIST = 10
"""Largest number of items of a list for people to read."""


def copy_part(holder: State, key: str) -> State:
    """Replaces one of the holder's parts by a copy and returns the copy, to be changed."""
    copy: State = dict(holder.get(key) or {})
    holder[key] = copy
    return copy


def set_newest(state: State, key: str, value: object, at: float) -> None:
    """Sets a value unless a newer event has set it. At equal times the greater value wins, so that order doesn't matter."""
    if value is None or value == "":
        return
    stamp = state["stamps"].get(key, 0)
    if at > stamp or (at == stamp and repr(value) > repr(state.get(key))):
        copy_part(state, "stamps")[key] = at
        state[key] = value


def set_greatest(record: State, key: str, value: object) -> None:
    """Sets a text that should never change. The greater of two different ones wins, so that order doesn't matter."""
    if isinstance(value, str) and value > record.get(key, ""):
        record[key] = value


def move_forward(record: State, key: str, at: float) -> None:
    """Moves a time forward, never back."""
    record[key] = max(record.get(key, 0), at)


def drop_oldest(items: State, keep: int, age: object) -> None:
    """Keeps the newest `keep` items. `age` names the field with their time; "" when the items themselves are times."""
    if len(items) > keep:
        ages = {key: item[age] if age else item for key, item in items.items()}
        for key in sorted(items, key=lambda key: (ages[key], key))[: len(items) - keep]:
            del items[key]


def add_to_list(state: State, key: str, item: State, same: tuple[str, ...]) -> None:
    """Adds to a bounded list that is ordered by time. Of items that are equal in the fields `same` the first is kept."""
    equal = [old for old in state[key] if all(old.get(field) == item.get(field) for field in same)]
    if equal and equal[0]["at"] <= item["at"]:
        return
    rest = [old for old in state[key] if not equal or old is not equal[0]]
    state[key] = sorted([*rest, item], key=lambda each: (each["at"], repr(each)))[-KEEP_LIST:]


def record_name(state: State, key: str, name: str, at: float) -> None:
    """Records a name and when it first appeared. When the list is full, the names that appeared first stay."""
    notes = copy_part(state, key)
    notes[name] = min(notes.get(name, at), at)
    while len(notes) > KEEP_LIST:
        del notes[max(notes, key=lambda each: (notes[each], each))]
