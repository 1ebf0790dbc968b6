"""Checks containers and their orchestration, local and remote: docker, podman, kubectl, helm."""

import re
from collections.abc import Iterator

from atm_tui.risk.calls import SHELLS, Call, assign_check
from atm_tui.risk.programs.verbs import only_reads
from atm_tui.risk.tables import read_names

_DOCKER_HARMLESS = read_names("""
    build buildx bake pull up start restart run exec create attach tag cp config convert compose-ls load save history
    commit rename unpause pause watch port df use export import scan sbom scout init builder-ls machine-ls stack-ps
    down
""")
_DOCKER_CHANGES = read_names("""
    rm rmi prune kill stop push login logout swarm reset remove secret node leave drop update scale deploy plugin
    purge trust destroy
""")
_DOCKER_VALUED = read_names("""
    -f --file -p --project-name --context -c -H --host --profile --env-file --log-level --config -l
    --project-directory --tlscacert --tlscert --tlskey --ansi --parallel
""")


_THIS_MACHINE = re.compile(r"default$|unix://|npipe://|desktop-|colima|orbstack|rancher-desktop|rootless")
"""Names and addresses of this machine."""


def _skip_options(call: Call, valued: frozenset[str]) -> list[str]:
    """Returns the arguments from the first verb on, without the options before it."""
    at = 0
    while at < len(call.args) and call.args[at].startswith("-"):
        at += 2 if call.args[at] in valued and "=" not in call.args[at] else 1
    return list(call.args[at:])


def check_docker(call: Call) -> Iterator[str]:
    """docker, podman, nerdctl and compose."""
    rest = _skip_options(call, _DOCKER_VALUED)
    before = Call(call.program, call.args[: len(call.args) - len(rest)], call.command, "")
    elsewhere = [
        each for each in before.list_values("-H", "--host", "--context", "-c") if not _THIS_MACHINE.match(each)
    ]
    if elsewhere and not only_reads(Call("docker", tuple(rest), call.command, ""), ("version",), _DOCKER_CHANGES):
        yield "remote"
    if any(re.search(r"\.Env\b", word) for word in rest):
        yield "credentials"
    if rest[:2] == ["context", "use"]:
        yield "remote"
    if rest[:1] == ["compose"]:
        rest = _skip_options(Call("docker", tuple(rest[1:]), call.command, ""), _DOCKER_VALUED)
        yield from _check_compose(rest)
        return
    if call.program in ("docker-compose", "podman-compose"):
        yield from _check_compose(rest)
        return
    verb = rest[0] if rest else ""
    if verb in (
        "container",
        "image",
        "volume",
        "network",
        "system",
        "context",
        "builder",
        "machine",
        "pod",
        "manifest",
        "stack",
        "service",
        "buildx",
        "scout",
    ):
        rest = rest[1:]
        kind, verb = verb, rest[0] if rest else ""
        if (
            verb
            and verb in ("create", "build", "ls", "bake", "inspect", "tasks", "use")
            and kind in ("volume", "network", "context", "buildx", "builder", "container", "service")
        ):
            if "--push" in rest:
                yield "remote"
            return
    inner = Call("docker", tuple(rest[:1]), call.command, "")
    if verb in ("run", "create", "exec"):
        yield from _check_run(rest)
    elif verb and not only_reads(inner, _DOCKER_HARMLESS, _DOCKER_CHANGES) and not {"--help", "--dry-run"} & set(rest):
        yield (
            "credentials"
            if verb in ("login", "secret")
            else "remote"
            if verb in ("push", "deploy", "swarm", "stack", "trust")
            else "services"
        )
    elif "--push" in rest:
        yield "remote"


def _check_compose(rest: list[str]) -> Iterator[str]:
    verb = rest[0] if rest else ""
    flags = set(rest)
    if verb in ("rm", "kill", "push", "stop") or (
        verb == "down"
        and flags & {"-v", "--volumes", "--rmi", "-rmi"} | {each for each in flags if each.startswith("--rmi")}
    ):
        yield "services" if verb != "push" else "remote"
    elif verb in ("run", "exec"):
        yield from _check_run(rest)
    elif verb == "up" and flags & {"-V", "--renew-anon-volumes"}:
        yield "services"


_HOST_MOUNT = re.compile(
    r"(?:type=bind,)?(?:src=|source=)?(?:/|/(?:etc|root|home|var|usr|boot|proc|sys|dev|Users|opt|run)(?:/[^:,]*)?|~(?:/[^:,]*)?|\$\{?HOME\}?(?:/[^:,]*)?|.*docker\.sock)(?:[:,]|$)"
)
_HARMLESS_MOUNT = re.compile(r"(?:type=bind,)?(?:src=|source=)?/(?:home|Users)/[^/:,]+/[^:,]+")


def _check_run(rest: list[str]) -> Iterator[str]:
    """`docker run` and `exec`: rights and folders of the host."""
    for at, word in enumerate(rest):
        if word in (
            "--privileged",
            "--cap-add",
            "--device",
            "--pid=host",
            "--ipc=host",
            "--userns=host",
            "--uts=host",
            "--cgroupns=host",
        ) or word.startswith(("--cap-add=", "--device=", "--security-opt", "--volumes-from")):
            yield "root"
        if word in ("--pid", "--ipc", "--userns", "--uts") and rest[at + 1 : at + 2] == ["host"]:
            yield "root"
        mount = (
            rest[at + 1]
            if word in ("-v", "--volume", "--mount") and at + 1 < len(rest)
            else word.partition("=")[2]
            if word.startswith(("--volume=", "--mount="))
            else ""
        )
        if mount and _HOST_MOUNT.match(mount) and not _HARMLESS_MOUNT.match(mount):
            yield "root"


_KUBE_HARMLESS = read_names("""
    port-forward kustomize completion options plugin dry-run rollout-status history get-contexts get-clusters
    get-users current-context exec krew-list
""")
_KUBE_CHANGES = read_names("""
    apply create delete edit patch replace scale autoscale set label annotate taint drain cordon uncordon cp run
    expose debug proxy rollout restart undo pause resume use-context set-context set-cluster set-credentials
    delete-context delete-cluster rename-context unset approve deny certificate auth-reconcile evict adm policy login
    new-app start-build import
""")
_KUBE_VALUED = read_names("""
    --context --namespace -n --kubeconfig --cluster --user -s --server --token --as --as-group --request-timeout -l
    --selector -o --output --cache-dir --certificate-authority --client-key --client-certificate -v
""")


def check_kubectl(call: Call) -> Iterator[str]:
    """Kubectl and oc."""
    rest = _skip_options(call, _KUBE_VALUED)
    verb = rest[0] if rest else ""
    if any(re.match(r"--dry-run(?:=(?:client|server))?$", word) for word in rest) or "--help" in rest:
        return
    if verb in ("rollout", "config", "auth", "krew", "plugin", "top", "cluster-info") and len(rest) > 1:
        verb = next((word for word in rest[1:] if not word.startswith("-")), "")
        if "--raw" in rest:
            yield "credentials"
        if verb in (
            "status",
            "history",
            "view",
            "get-contexts",
            "current-context",
            "get-clusters",
            "get-users",
            "can-i",
            "whoami",
            "node",
            "nodes",
            "pod",
            "pods",
            "list",
            "search",
            "dump",
            "",
        ):
            return
        yield "remote"
        return
    if any(re.match(r"secrets?(?:/|$|,)", word) for word in rest[1:]):
        yield "credentials"
    if verb == "exec":
        run = rest[rest.index("--") + 1 :] if "--" in rest else []
        if run and run[0].rpartition("/")[2] in SHELLS and len(run) == 1:
            yield "remote"
    elif verb in _KUBE_CHANGES or (verb and not only_reads(Call("kubectl", (verb,), call.command, ""), _KUBE_HARMLESS)):
        yield "remote"


def check_helm(call: Call) -> Iterator[str]:
    """helm, helmfile and others that change a cluster."""
    rest = _skip_options(
        call, _KUBE_VALUED | {"--kube-context", "-e", "--environment", "-f", "--file", "--registry-config"}
    )
    inner = Call(call.program, tuple(rest), call.command, "")
    more: tuple[str, ...] = (
        "repo",
        "dependency",
        "dep",
        "package",
        "create",
        "test",
        "env",
        "verify",
        "render",
        "run",
        "build",
        "graph",
        "add",
        "dev",
        "profile",
        "ip",
        "service",
        "addons-list",
        "get-credentials-list",
        "tree",
        "check",
        "source",
        "pull",
        "dashboard",
        "ssh-config",
        "tunnel",
    )
    changes: tuple[str, ...] = (
        "install",
        "upgrade",
        "uninstall",
        "delete",
        "rollback",
        "push",
        "apply",
        "sync",
        "destroy",
        "deploy",
        "purge",
        "drop",
        "start",
        "stop",
        "edit",
        "rolling-update",
        "replace",
        "scale",
        "registry",
    )
    local = call.program in ("kind", "k3d", "minikube", "colima", "lima", "limactl", "multipass", "vagrant", "orb")
    if local:
        more, changes = (
            (*more, "start", "up", "load", "status", "create", "image", "validate", "docker-env"),
            ("delete", "stop", "destroy", "halt", "purge", "rm", "prune", "factory-reset"),
        )
    if not only_reads(inner, more, changes):
        yield "services" if local else "remote"


def check_instances(call: Call) -> Iterator[str]:
    """Virtual machines and system containers."""
    if not only_reads(
        call, ("dumpxml", "dominfo", "domstate", "net-list", "pool-list", "vol-list", "showvminfo", "exec"), ()
    ):
        yield "services"


CHECKS = {
    **assign_check(check_docker, "docker podman nerdctl docker-compose podman-compose finch"),
    **assign_check(check_kubectl, "kubectl oc k kubecolor"),
    **assign_check(
        check_helm,
        """
        helm helmfile kustomize tilt k3s kubectx kubens kind k3d minikube colima limactl multipass vagrant orb devspace werf kapp
    """,
    ),
    **assign_check(check_instances, "virsh VBoxManage lxc incus qm pct machinectl ctr crictl prlctl vmrun govc xe"),
}
