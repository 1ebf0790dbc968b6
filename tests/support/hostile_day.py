"""What can go wrong around atm-tui, what a person then sees, and the tests that show it."""

from typing import NamedTuple

DAY = "tests/terminal/test_hostile_day.py::test_the_app_goes_on_through_a_bad_day"
NIGHT = "tests/terminal/test_hostile_day.py::test_a_night_on_a_file_system_that_tells_nothing"
DISKS = "tests/terminal/test_hostile_day.py::test_disks_that_take_nothing"


class Situation(NamedTuple):
    """One row."""

    what: str
    seen: str
    """What a person sees, and what becomes of the data."""
    tests: tuple[str, ...]
    """As `file::function`."""


SITUATIONS = (
    Situation(
        "the disk is full",
        "The header says first that events are lost; `doctor` is broken there. What is on disk stays whole, and recording goes on "
        "once there is room",
        (
            DISKS,
            "tests/hooks/test_hook_process.py::test_a_full_disk",
            "tests/hooks/test_journal.py::test_a_full_disk_is_reported_and_loses_no_existing_data",
            "tests/settings/test_doctor_disk.py::test_doctor_finds_a_full_disk",
        ),
    ),
    Situation(
        "the state folder is read-only",
        "The header says first that events are lost; sessions are shown as before, and nothing in the folder changes",
        (
            DISKS,
            "tests/monitor/test_state_access.py::test_a_folder_that_cannot_be_written_is_named",
            "tests/cli/test_other_users.py::test_each_command_ends_without_permission",
        ),
    ),
    Situation(
        "there is no state folder",
        '"No sessions yet", with the next step; the first event makes the folder',
        (
            "tests/cli/test_status.py::test_without_sessions_it_says_what_to_do_next",
            "tests/sources/test_state_source.py::test_a_missing_folder_has_no_sessions_and_may_appear_later",
            "tests/hooks/test_journal.py::test_the_folder_is_created_with_its_parents",
        ),
    ),
    Situation(
        "the file system tells nothing of changes",
        "Everything is looked at every 2 s instead of at once; in a calm fleet, the first change may show after 15 s; of more than "
        "2,000 files in a folder, those that were not replaced take turns",
        (
            NIGHT,
            "tests/sources/test_watch.py::test_the_first_hint_comes_at_once_and_then_one_at_each_heartbeat",
            "tests/sources/test_watch.py::test_without_file_watching_only_the_heartbeat_remains_and_a_notice_says_so",
        ),
    ),
    Situation(
        "no file watches are left",
        "A notice says so, and that changes show within 2 s; `doctor` names the limits",
        (DAY, "tests/settings/test_settings_doctor.py::test_inotify_headroom"),
    ),
    Situation(
        "the state folder is deleted and made again",
        "Its sessions go, and come back with their next event",
        (
            DAY,
            "tests/monitor/test_live.py::test_a_state_folder_deleted_and_recreated_is_read_again",
            "tests/sources/test_watch.py::test_a_folder_deleted_and_recreated_is_watched_again",
        ),
    ),
    Situation(
        "100,000 sessions",
        "Those that run and the newest are there at once; the header counts what is still to be read, for some seconds. "
        "Of the closed ones the tree lists the newest 500; beyond the newest 2,000 they are only counted; the history lists "
        "them, and an ID finds them. What ended more than `forget_after` hours ago is removed",
        (
            "tests/terminal/test_hostile_day.py::test_a_folder_of_many_files",
            "tests/monitor/test_live.py::test_many_sessions_are_read_in_slices_those_that_run_first",
            "tests/monitor/test_many_sessions.py::test_only_what_is_over_is_left_out",
            "tests/monitor/test_many_sessions.py::test_each_file_is_read_once_and_most_at_a_glance",
            "tests/monitor/test_housekeeping.py::test_many_old_files_are_removed_in_parts",
            "tests/cli/test_many_closed.py::test_commands_find_the_oldest_of_many",
        ),
    ),
    Situation(
        "a state file of 1 GB, or of zeros",
        "A row says that it is unreadable and why, beside its last good value; the next event makes it anew from the journal",
        (
            DAY,
            "tests/cli/test_bad_places.py::test_each_command_copes_with_unusual_file_types",
            "tests/sources/test_state_source.py::test_an_unreadable_file_keeps_the_last_good_value_with_a_reason",
            "tests/hooks/test_journal.py::test_a_damaged_state_file_is_rebuilt_from_the_journal",
        ),
    ),
    Situation(
        "a state file of a newer version",
        "A row says to update atm-tui; the file stays as it is, and events wait in the journal for the newer version",
        (DAY, "tests/hooks/test_journal.py::test_the_state_file_of_a_newer_version_is_left_alone"),
    ),
    Situation(
        "files of other users",
        "They are named with what to do; the hook writes nothing there",
        (
            "tests/cli/test_other_users.py::test_each_command_ends_with_files_of_another_user",
            "tests/hooks/test_hook_process.py::test_another_users_state_folder_is_left_alone",
            "tests/hooks/test_answers_hostile_places.py::test_a_lease_of_another_user",
        ),
    ),
    Situation(
        "planted links, FIFOs and devices",
        "A row or message says that it is no regular file; nothing is written through a link, and nothing waits for a FIFO",
        (
            DAY,
            "tests/terminal/test_bad_places.py::test_q_leaves_while_no_file_can_be_read",
            "tests/hooks/test_journal.py::test_links_in_place_of_our_files_are_not_followed",
            "tests/hooks/test_answers_hostile_places.py::test_a_file_that_is_not_a_fifo_is_never_written_to",
        ),
    ),
    Situation(
        "HOME is not set",
        "The home folder of the user database is used; without one, a message says so",
        (DAY, "tests/test_paths.py::test_without_any_home_the_error_says_so"),
    ),
    Situation(
        "a locale that is not UTF-8",
        "ASCII only, in the app and in commands; characters that can't be shown are escaped",
        (
            DAY,
            "tests/cli/test_output.py::test_names_are_shown_in_any_locale",
            "tests/cli/test_output.py::test_a_character_missing_in_the_encoding_is_escaped",
        ),
    ),
    Situation(
        "TERM=dumb",
        "Lines instead of the screen, without escape sequences",
        (
            "tests/cli/test_plain.py::test_a_dumb_terminal_gets_lines_and_no_escape_sequence",
            "tests/cli/test_plain.py::test_a_dumb_terminal_gets_a_question_instead_of_the_wizard",
        ),
    ),
    Situation(
        "stdin is closed",
        "Commands work; what needs a terminal says so and changes nothing; the hook is silent",
        (
            "tests/cli/test_closed_stdin.py::test_commands_work_without_stdin",
            "tests/cli/test_closed_stdin.py::test_what_needs_a_terminal_says_so",
            "tests/hooks/test_hook_process.py::test_closed_and_full_descriptors",
        ),
    ),
    Situation(
        "SIGHUP, a closed terminal",
        "The app ends and leaves the terminal clean",
        (DAY, "tests/terminal/test_app_terminal.py::test_a_closed_terminal_ends_the_app_every_time"),
    ),
    Situation(
        "SIGSTOP for a minute",
        "What happened meanwhile is there at once; a lease for answers has run out, so that no hook waits for the app",
        (DAY, "tests/monitor/test_lease_keeper.py::test_a_stopped_or_dead_process_renews_nothing"),
    ),
    Situation(
        "two apps at once",
        "Both show the same; what one looked at is seen in both; one gives each notification, and one is armed",
        (
            DAY,
            "tests/monitor/test_unseen.py::test_two_apps_share_what_was_seen",
            "tests/notify/test_notifier.py::test_two_that_look_at_the_same_moment_give_one",
            "tests/monitor/test_lease_keeper.py::test_the_keeper_reports_that_another_app_took_the_lease",
        ),
    ),
    Situation(
        "the clock jumps back, or ahead",
        "New events still count; ages are never negative, and nothing is lost",
        (
            "tests/hooks/test_journal.py::test_after_the_clock_was_set_back_events_still_count",
            "tests/model/test_gaps_turns.py::test_the_registry_still_counts_after_the_clock_was_set_back",
            "tests/monitor/test_unseen.py::test_a_look_before_the_clock_was_set_back_does_not_count",
            "tests/monitor/test_changed_clocks.py::test_a_clock_that_jumps_both_ways_loses_no_session",
            NIGHT,
        ),
    ),
    Situation(
        "the machine slept",
        "Sessions are as they were before; nothing is called lost or interrupted by mistake",
        (
            NIGHT,
            "tests/monitor/test_changed_clocks.py::test_after_an_hour_of_sleep_there_is_no_false_alarm",
            "tests/model/test_gaps_turns.py::test_an_hour_of_sleep_changes_nothing",
            "tests/model/test_gaps_turns.py::test_a_turn_started_just_before_sleep_continues_after_waking",
        ),
    ),
)


def list_situation_rows() -> list[str]:
    """The rows of the documentation's table."""
    return [f"| {each.what} | {each.seen} |" for each in SITUATIONS]
