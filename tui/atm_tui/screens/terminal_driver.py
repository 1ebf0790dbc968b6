"""The driver of a terminal that sends bytes that are no UTF-8: they are dropped, and the app goes on."""

from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver


class TolerantDriver(LinuxDriver):
    """Reads on after input that is no UTF-8, which ends Textual's own: some terminals report the mouse so after they reattach."""

    def run_input_thread(self) -> None:
        """Reads until the app leaves the terminal."""
        while True:
            try:
                return super().run_input_thread()
            except UnicodeDecodeError:
                continue


def make_tolerant(driver: type[Driver]) -> type[Driver]:
    """Returns the tolerant driver in place of Textual's own for terminals, and any other as it is."""
    return TolerantDriver if driver is LinuxDriver else driver
