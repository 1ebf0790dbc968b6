"""The program under test, as it is installed."""

import sys
from pathlib import Path

ATM_TUI = str(Path(sys.executable).with_name("atm-tui"))
