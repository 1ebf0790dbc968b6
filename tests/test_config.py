"""The configuration: defaults without a file, and errors that name file, key and what to do."""

from pathlib import Path

import pytest

from atm_tui.config import Config, ConfigError, read_config
from tests.support.timelines import DATA

FILES = DATA / "config"


def test_without_a_file_everything_has_its_default(tmp_path: Path) -> None:
    assert read_config(tmp_path / "none.toml") == Config()


@pytest.mark.parametrize("path", sorted((FILES / "valid").glob("*.toml")), ids=lambda path: path.stem)
def test_a_valid_file_is_accepted(path: Path) -> None:
    config = read_config(path)
    assert config != Config() or path.stem == "empty"
    assert config.prices(str(path)).models


@pytest.mark.parametrize("path", sorted((FILES / "invalid").glob("*.toml")), ids=lambda path: path.stem)
def test_an_invalid_file_is_refused_with_its_name_and_the_expected_words(path: Path) -> None:
    """The first line of each file is `# expect: words`."""
    words = path.read_text("utf-8").splitlines()[0].removeprefix("# expect: ")
    with pytest.raises(ConfigError) as raised:
        read_config(path).prices(str(path))
    assert path.name in str(raised.value)
    assert words in str(raised.value)


def test_a_folder_in_its_place_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be read"):
        read_config(tmp_path)


def test_the_users_own_price_applies(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text((FILES / "valid" / "prices.toml").read_text())
    table = read_config(path).prices(str(path))
    assert table.find_id("my-own-model")
