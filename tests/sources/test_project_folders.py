"""Names under `projects/` are the same as the client's, and are decoded by the folders that exist."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atm_tui.sources.folders import LONGEST, decode_folder, encode_folder
from tests.support.effort import examples


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        ("/", "-"),
        ("/home/user/work/plain", "-home-user-work-plain"),
        ("/home/user/work/a b.c", "-home-user-work-a-b-c"),
        ("/home/user/work/naïve", "-home-user-work-na-ve"),
        ("/home/user/work/cafe\u0301", "-home-user-work-cafe-"),
        ("/home/user/work/smile 😀 x", "-home-user-work-smile----x"),
        ("/home/user/.config/x_y", "-home-user--config-x-y"),
        ("/" + "e" * 199, "-" + "e" * 199),
        # the hash is Java's String.hashCode, without its sign, in base 36
        ("/" + "e" * 200, "-" + "e" * 199 + "-ucs6n"),
    ],
)
def test_folder_names_are_encoded_as_the_client_does(cwd: str, name: str) -> None:
    assert encode_folder(cwd) == name


# few letters, so that names collide and split in several ways
NAMES = st.text(alphabet="ab-. _é😀", min_size=1, max_size=6).filter(lambda name: name not in {".", ".."})
LONG = st.builds(lambda letter, size: letter * size, st.sampled_from("xy-"), st.integers(60, 120))
PATHS = st.lists(NAMES | LONG, min_size=1, max_size=5)


@pytest.fixture
def tree() -> Iterator[Path]:
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="atm")))
    yield folder
    shutil.rmtree(folder)


@settings(max_examples=examples(60), deadline=None)
@given(paths=st.lists(PATHS, min_size=1, max_size=6))
def test_an_encoded_folder_is_decoded(paths: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory(prefix="atm") as made:
        root = Path(os.path.realpath(made))
        for parts in paths:
            root.joinpath(*parts).mkdir(parents=True, exist_ok=True)
        folders = [Path(top) for top, _, _ in os.walk(root)]
        for folder in folders:
            name = encode_folder(str(folder))
            same = [other for other in folders if encode_folder(str(other)) == name]
            found = decode_folder(name, root)
            assert found in same, f"{folder} -> {name} -> {found}"
            assert decode_folder(name, root, current=folder) == folder
            if len(name) > LONGEST:
                assert found == folder or len(same) > 1


def test_the_longest_match_wins_with_backtracking(tree: Path) -> None:
    (tree / "a-b").mkdir()
    (tree / "a" / "b" / "c").mkdir(parents=True)
    (tree / "a" / "b-c.d").mkdir()
    name = encode_folder(str(tree))
    assert decode_folder(f"{name}-a-b", tree) == tree / "a-b"
    assert decode_folder(f"{name}-a-b-c", tree) == tree / "a/b/c"
    assert decode_folder(f"{name}-a-b-c-d", tree) == tree / "a/b-c.d"
    assert decode_folder(f"{name}-a-b-c-e", tree) is None
    assert decode_folder(f"{name}-a-b", tree, current=tree / "a" / "b") == tree / "a/b"


def test_a_long_name_is_found_by_its_hash(tree: Path) -> None:
    deep = tree.joinpath("x" * 100, "y" * 100, "z", "one")
    other = deep.with_name("two")
    deep.mkdir(parents=True)
    other.mkdir()
    assert decode_folder(encode_folder(str(deep)), tree) == deep
    assert decode_folder(encode_folder(str(other)), tree) == other
    other.rmdir()
    assert decode_folder(encode_folder(str(other)), tree) is None


def test_files_and_links_are_not_folders(tree: Path) -> None:
    (tree / "file").touch()
    (tree / "loop").symlink_to(tree)
    name = encode_folder(str(tree))
    assert decode_folder(f"{name}-file", tree) is None
    assert decode_folder(f"{name}-loop", tree) is None
    assert decode_folder(f"{name}-loop-loop-file", tree) is None


def test_an_unlistable_folder_is_traversed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tree / "home" / "my-work"
    inside.mkdir(parents=True)
    iterdir = Path.iterdir

    def refuses(folder: Path) -> Iterator[Path]:
        # root may list every folder, so that the mode alone would not do
        if folder == tree / "home":
            raise PermissionError
        return iterdir(folder)

    monkeypatch.setattr(Path, "iterdir", refuses)
    assert decode_folder(encode_folder(str(inside)), tree) == inside


def test_each_utf16_unit_is_one_character_of_the_name() -> None:
    for text in ("/home/user/my work", "/a.b_c-d/É/日本", "/\U0001f600x", "/lone \ud83d", "/\udc80\x00\uffff", "/A9z"):
        units = text.encode("utf-16-le", "surrogatepass")
        wanted = "".join(
            chr(low) if high == 0 and chr(low).isascii() and chr(low).isalnum() else "-"
            for low, high in zip(units[::2], units[1::2], strict=True)
        )
        assert encode_folder(text) == wanted
