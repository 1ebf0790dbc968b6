"""What install and uninstall do to entries of ours from before, to a user's entries beside ours, and to the statusLine."""

import json

import pytest

from atm_tui.settings.document import Document
from atm_tui.settings.options import LEAN_LOSS, EventSet, Options
from atm_tui.settings.receipt import Receipt

OLD = "/old/venv/bin/python /gone/atm_hooks/hook.py /tmp/s"
MINE = {"type": "command", "command": "/my/own.sh", "timeout": 9}


def make_our_handler(command: str) -> dict[str, object]:
    return {"type": "command", "command": command}


def make_text(content: object) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode()


def load(data: bytes) -> dict:
    return json.loads(data)


def test_an_entry_of_an_older_version_is_replaced_in_its_place_beside_the_users(install, commands):
    before = make_text({"hooks": {"Stop": [{"hooks": [make_our_handler(OLD), MINE]}, {"hooks": [MINE]}]}})
    plan = install(before)
    stop = load(plan.after)["hooks"]["Stop"]
    assert stop == [
        {"hooks": [{**make_our_handler(commands.make_hook_command()), "timeout": 5}, MINE]},
        {"hooks": [MINE]},
    ]
    assert [change.path for change in plan.changes if change.kind == "replaced"] == ["hooks.Stop"]


def test_duplicates_are_merged_into_one(install):
    before = install(b"{}\n")
    doubled = load(before.after)
    doubled["hooks"]["Stop"] *= 3
    doubled["hooks"]["Stop"][0]["hooks"] *= 2
    plan = install(make_text(doubled), before.receipt)
    assert load(plan.after) == load(before.after)
    assert [change.kind for change in plan.changes] == ["removed"] * 5


def test_our_handler_under_a_matcher_is_moved_to_one_that_always_fires(install, uninstall):
    before = make_text({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [make_our_handler(OLD)]}]}})
    groups = load(install(before).after)["hooks"]["PreToolUse"]
    assert groups[0] == {"matcher": "Bash", "hooks": []}
    assert "matcher" not in groups[1]
    assert load(uninstall(before).after) == {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": []}]}}


def test_our_old_flat_handler_becomes_a_nested_one(install):
    plan = install(make_text({"hooks": {"Stop": [make_our_handler(OLD)]}}))
    assert load(plan.after)["hooks"]["Stop"] == [
        {"hooks": [{**make_our_handler(load(plan.after)["hooks"]["Stop"][0]["hooks"][0]["command"]), "timeout": 5}]}
    ]


def test_uninstall_leaves_the_users_handler_in_our_group(install, uninstall):
    plan = install(b"{}\n")
    content = load(plan.after)
    content["hooks"]["Stop"][0]["hooks"].append(MINE)
    assert load(uninstall(make_text(content), plan.receipt).after) == {"hooks": {"Stop": [{"hooks": [MINE]}]}}


def test_our_handler_of_an_event_we_no_longer_register_is_removed(install):
    plan = install(make_text({"hooks": {"WorktreeCreate": [{"hooks": [make_our_handler(OLD)]}]}}))
    assert "WorktreeCreate" not in load(plan.after)["hooks"]


def test_our_handler_in_an_ineffective_duplicate_is_removed_too(install, uninstall):
    handler = json.dumps({"hooks": [make_our_handler(OLD)]})
    before = f'{{"hooks": {{"Stop": [{handler}]}}, "hooks": {{"Stop": [{handler}], "Stop": [{handler}]}}}}'.encode()
    plan = install(before)
    assert b"/gone/" not in plan.after
    assert plan.after.count(b"statusline.py") == 1
    assert len(load(plan.after)["hooks"]["Stop"]) == 1
    assert uninstall(before).after == b"{}"


@pytest.mark.parametrize("before", [b"{}", b'{"env": {}}', b'{"env": {"A": "1"}, "model": "x"}'])
def test_agent_teams_are_enabled_where_unset_and_disabled_again(before, install, uninstall):
    plan = install(before, agent_teams=True)
    assert load(plan.after)["env"]["CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS"] == "1"
    assert uninstall(plan.after, plan.receipt).after == before
    off = install(plan.after, plan.receipt)
    assert "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS" not in load(off.after).get("env", {})


def test_agent_teams_set_by_the_user_stay(install, uninstall):
    before = b'{"env": {"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS": "0"}}'
    plan = install(before, agent_teams=True)
    assert load(plan.after)["env"] == load(before)["env"]
    assert uninstall(plan.after, plan.receipt).after == before


def test_sync_and_async_can_be_chosen_for_each_event(install):
    plan = install(b"{}", sync=frozenset({"PreToolUse"}), async_=frozenset({"Stop"}))
    hooks = load(plan.after)["hooks"]
    assert hooks["PreToolUse"][0]["hooks"][0]["timeout"] == 5
    assert "async" not in hooks["PreToolUse"][0]["hooks"][0]
    assert hooks["Stop"][0]["hooks"][0]["async"] is True
    assert hooks["Setup"][0]["hooks"][0]["async"] is True


def test_by_default_ten_events_are_synchronous():
    names = {rule.name for rule in Options().list_rules() if Options().is_sync(rule)}
    assert names == {
        *("SessionStart", "SessionEnd", "UserPromptSubmit", "PermissionRequest", "Stop", "StopFailure"),
        *("SubagentStart", "SubagentStop", "Elicitation", "PreCompact"),
    }


def test_lean_lists_the_events_that_are_not_seen(install):
    plan = install(b"{}", events=EventSet.LEAN)
    assert LEAN_LOSS in plan.warnings
    assert "PreToolUse" not in load(plan.after)["hooks"]
    assert "Stop" in load(plan.after)["hooks"]


class TestStatusline:
    """Ours where there is none; the user's own wrapped, and put back as it was typed."""

    def test_other_keys_of_the_users_own_stay(self, install, commands):
        before = make_text(
            {"statusLine": {"type": "command", "command": "my line", "padding": 2, "refreshInterval": 5}}
        )
        line = load(install(before).after)["statusLine"]
        assert line == {**load(before)["statusLine"], "command": commands.wrap("my line")}

    def test_a_value_that_the_user_changed_stays(self, install, uninstall):
        plan = install(make_text({"statusLine": {"type": "command", "command": "old line"}}))
        content = load(plan.after)
        content["statusLine"]["command"] = "new line"
        assert load(uninstall(make_text(content), plan.receipt).after) == {
            "statusLine": {"type": "command", "command": "new line"}
        }

    def test_the_wrapped_command_comes_back_without_a_receipt(self, install, uninstall):
        command = "printf '%s\n' \"ü $HOME\" # atm"
        before = make_text({"statusLine": {"type": "command", "command": command}})
        assert load(uninstall(install(before).after).after) == load(before)

    def test_a_stale_receipt_does_not_bring_back_an_older_command(self, install, uninstall):
        before = make_text({"statusLine": {"type": "command", "command": "second"}})
        plan = install(before)
        stale = Receipt(target="x", found={**plan.receipt.found, "statusLine.command": '"first"'})
        assert load(uninstall(plan.after, stale).after) == load(before)

    def test_an_update_keeps_the_wrapped_command(self, install, uninstall, commands):
        plan = install(make_text({"statusLine": {"type": "command", "command": "mine"}}))
        moved = plan.after.replace(b"/home/user/data", b"/elsewhere")
        again = install(moved, plan.receipt)
        assert load(again.after)["statusLine"]["command"] == commands.wrap("mine")
        assert b'"command": "mine"' in uninstall(again.after, again.receipt).after

    @pytest.mark.parametrize("line", ["text", 3, [], {"type": "static", "command": "x"}, {"command": "x"}])
    def test_anything_else_is_left_alone_with_a_warning(self, line, install):
        plan = install(make_text({"statusLine": line}))
        assert load(plan.after)["statusLine"] == line
        assert any("statusLine is no command" in warning for warning in plan.warnings)
        assert any("ignores the whole file" in warning for warning in plan.warnings)


def test_foreign_faults_are_named_and_not_repaired(install):
    before = (
        b'{"hooks":{"PreToolUse":[{"matcher":null,"hooks":[{"type":"command","command":"y"}]}],"Stop":[{"x":1}]}}\n'
    )
    plan = install(before)
    assert any("hooks.PreToolUse[0].matcher is null" in each and "whole file" in each for each in plan.warnings)
    assert any("hooks.Stop[0] has no list of hooks" in each and "ignores that entry" in each for each in plan.warnings)
    assert load(plan.after)["hooks"]["PreToolUse"][0]["matcher"] is None


def test_disabled_hooks_are_reported(install):
    assert any("disableAllHooks" in each for each in install(b'{"disableAllHooks": true}').warnings)


def test_a_byte_order_mark_is_reported(install):
    assert any("byte order mark" in each for each in install(b"\xef\xbb\xbf{}").warnings)


def test_a_new_file_is_created_and_removed_again(install, uninstall):
    plan = install(None)
    assert plan.after.endswith(b"}\n")
    assert plan.receipt.created
    assert uninstall(plan.after, plan.receipt).after is None


def test_a_file_that_we_created_stays_if_the_user_added_something(install, uninstall):
    plan = install(None)
    document = Document(plan.after)
    document.append(document.root, "opus", "model")
    assert uninstall(document.encode(), plan.receipt).after == b'{\n  "model": "opus"\n}\n'


def test_a_file_rewritten_by_another_program_is_still_cleaned(install, uninstall):
    before = b'{"hooks":{"Stop":[]},"model":"x"}'
    plan = install(before)
    rewritten = (json.dumps(load(plan.after), indent=4) + "\n").encode()
    assert load(uninstall(rewritten, plan.receipt).after) == load(before)


def test_vanished_hooks_are_restored_and_the_current_content_counts(install, uninstall):
    first = install(b"{}\n")
    cleared = b'{\n  "hooks": {\n    "Stop": []\n  }\n}\n'
    second = install(cleared, first.receipt)
    assert uninstall(second.after, second.receipt).after == cleared


def test_content_the_user_added_in_our_containers_stays(install, uninstall):
    first = install(b"{}\n")
    content = load(first.after)
    content["hooks"] = {"Stop": [{"hooks": [MINE]}]}
    second = install(make_text(content), first.receipt)
    emptied = load(second.after)
    del emptied["hooks"]["Stop"][0]
    assert load(uninstall(make_text(emptied), second.receipt).after) == {"hooks": {"Stop": []}}


def test_new_lines_follow_the_file(install):
    crlf = install(b'{\r\n\t"model": "opus"\r\n}\r\n').after
    assert crlf.count(b"\n") == crlf.count(b"\r\n")
    assert b'\r\n\t"hooks": {\r\n\t\t"SessionStart": [' in crlf
    assert b"\n" not in install(b'{"model":"opus"}').after
    assert b'"hooks":{"SessionStart":[{"hooks":[{"type":"command",' in install(b'{"model":"opus"}').after


def test_events_are_on_separate_lines_in_a_multi_line_file(install):
    after = install(b'{\n  "hooks": {"Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}\n}\n').after
    assert b'\n    "SessionStart": [\n' in after


def test_the_diff_shows_only_our_lines_and_a_missing_final_newline(install):
    diff = install(b'{\n  "a": 1,\n  "b": 2\n}').make_diff()
    assert [line for line in diff.splitlines() if line.startswith("-") and not line.startswith("---")] == ['-  "b": 2']
    assert "\\ No newline at end of file" in diff
    assert install(None).make_diff().startswith("--- /dev/null\n")
