"""`python -m atm_tui` is the command `atm-tui`."""

import sys

from atm_tui.cli.main import main

sys.exit(main())
