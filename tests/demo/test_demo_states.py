"""Everything that the demo promises is shown, at its second."""

from pathlib import Path

from atm_tui.config import Config
from atm_tui.demo.scenario import PERIOD
from atm_tui.model.request import Arming
from atm_tui.model.session import AgentState, Liveness, State
from atm_tui.model.wait import Reason
from atm_tui.monitor.live import LiveMonitor
from atm_tui.view.status_text import describe_activity
from tests.demo.conftest import DemoPlayback
from tests.support.effort import LONG


def test_the_demo_opens_with_sessions_in_many_states(playback: DemoPlayback) -> None:
    found = playback.list_sessions()
    assert len({session.project.root for session in found.values()}) == 3
    assert len(found) >= 6
    assert {session.state for session in found.values()} == set(State)

    asking = found["Sort by price"]
    assert (asking.state, asking.reason) == (State.NEEDS_YOU, Reason.PERMISSION)
    assert {wait.agent_id for wait in asking.waits} == {agent.agent_id for agent in asking.agents}
    assert {agent.state for agent in asking.agents} == {AgentState.NEEDS_YOU}
    assert asking.waits[0].summary.startswith("npm run")
    assert 30 < playback.now - asking.since < 90

    assert found["Login button"].reason is Reason.QUESTION
    assert describe_activity(found["Terraform state"].activity) == "failed: rate limit"
    assert (found["Staging image"].state, found["Staging image"].reason) == (State.IDLE, Reason.INTERRUPTED)
    assert describe_activity(found["Returns pages"].activity) == "finished"
    assert 240 < playback.now - found["Returns pages"].since < 300
    assert found["Changelog"].liveness is Liveness.ENDED
    assert found["Changelog"].kind == "headless"
    assert all(each.liveness is Liveness.LIVE for name, each in found.items() if name != "Changelog")
    assert {agent.kind for agent in found["Image guide"].agents} == {"teammate"}
    assert {agent.name for agent in found["Image guide"].agents} == {"researcher", "writer"}
    assert "new-checkout" in found  # as its user renamed it


def test_worktree_branches_gauges_costs_and_models_at_the_opening(playback: DemoPlayback) -> None:
    found = playback.list_sessions()
    main, linked = found["Sort by price"].project, found["Search index"].project
    assert main.root == linked.root
    assert (main.branch, linked.branch) == ("main", "search-index")
    assert linked.worktree
    assert len({session.model for session in found.values()}) >= 4
    percents = [session.context.percent or 0 for session in found.values()]
    assert min(percents) < 10
    assert max(percents) > 50
    assert all(session.cost.usd for session in found.values())
    assert [agent.cost.usd for agent in found["Sort by price"].agents if agent.cost.usd]


def test_everything_that_is_promised_happens_in_one_round(playback: DemoPlayback) -> None:
    playback.play_until(22)
    assert playback.list_sessions()["new-checkout"].reason is Reason.PLAN

    playback.play_until(30)
    staging = playback.list_sessions()["Staging image"]
    assert (staging.state, staging.background.shells) == (State.IDLE, 1)
    nested = playback.list_sessions()["Search index"]
    assert (nested.state, describe_activity(nested.activity)) == (State.WORKING, "2 agents")  # its own turn is over
    by_id = {agent.agent_id: agent for agent in nested.agents}
    assert any(agent.parent in by_id for agent in nested.agents)

    playback.play_until(48)
    outliving = playback.list_sessions()["Sort by price"]
    assert (outliving.state, describe_activity(outliving.activity)) == (State.WORKING, "2 agents")
    assert outliving.last_reply.startswith("Two agents")

    playback.play_until(50)
    assert playback.list_sessions()["Changelog"].liveness is Liveness.LIVE
    assert (playback.list_sessions()["Order tests"].context.percent or 0) > 80

    playback.play_until(58)
    assert describe_activity(playback.list_sessions()["Order tests"].activity) == "compacting"

    playback.play_until(78)
    assert (playback.list_sessions()["Order tests"].context.percent or 100) < 20
    assert describe_activity(playback.list_sessions()["Staging image"].activity).startswith("Bash kubectl")
    assert playback.list_sessions()["Changelog"].liveness is Liveness.ENDED


def _list_sessions_on_disk(folder: Path) -> set[str]:
    return {path.stem for path in folder.rglob("*.json*") if "5e1f" in path.stem}


def test_the_next_round_has_the_same_states_with_larger_sums_and_as_many_files(playback: DemoPlayback) -> None:
    before = playback.list_sessions()
    playback.play_until(PERIOD)
    after = playback.list_sessions()
    files = _list_sessions_on_disk(playback.place.home)
    assert after.keys() == before.keys()
    for name, session in before.items():
        later = after[name]
        assert (later.state, later.activity, later.liveness) == (
            session.state,
            session.activity,
            session.liveness,
        ), name
        assert later.context.percent == session.context.percent, name
        if name not in ("Returns pages", "Changelog"):
            assert (later.cost.usd or 0) > (session.cost.usd or 0), name
            assert later.turns > session.turns, name
    playback.play_until((4 if LONG else 2) * PERIOD)
    assert len(_list_sessions_on_disk(playback.place.home)) == len(files)


def test_the_clients_figures_never_differ_from_the_transcripts(playback: DemoPlayback) -> None:
    for second in range(0, 200, 7) if LONG else (0, 35, 70):
        playback.play_until(second)
        assert {
            name: each.cost.disagrees for name, each in playback.list_sessions().items() if each.cost.disagrees
        } == {}, second


def test_every_live_session_has_a_process_and_the_others_none(playback: DemoPlayback) -> None:
    import psutil

    pids = {session.pid for session in playback.list_sessions().values() if session.liveness is Liveness.LIVE}
    children = {child.pid for child in psutil.Process().children() if child.name() == "cat"}
    assert pids == children
    playback.clients.__exit__(None, None, None)
    assert not any(psutil.pid_exists(pid) for pid in pids if pid)


def test_nothing_can_be_answered_in_the_demo(playback: DemoPlayback) -> None:
    monitor = LiveMonitor(
        playback.place.state_dir, [playback.place.config_dir], Config(), is_demo=True, now=lambda: playback.now
    )
    monitor.refresh()
    assert monitor.fleet.arming is Arming.RECORDING
    assert "demo" in (monitor.arm(True) or "")
    monitor.fleet.drain()
    assert not monitor.refresh()
    assert not (playback.place.state_dir / "answers").exists()
