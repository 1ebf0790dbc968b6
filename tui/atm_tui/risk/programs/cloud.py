"""Checks the command lines of clouds, hosters and other remote services."""

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from atm_tui.risk.calls import Call
from atm_tui.risk.programs.verbs import only_reads
from atm_tui.risk.sql import changes_data
from atm_tui.risk.tables import PRODUCTION, read_names


class Service(NamedTuple):
    """Harmless and changing verbs of a service, in addition to the common ones."""

    harmless: Collection[str] = ()
    changes: Collection[str] = ()


_COMMON_VALUED = read_names("""
    --profile --region --project -p --org --output -o --format --account --subscription --zone -g --resource-group
    --config -c --token -t --api-key --app -a --remote --environment -e --env --stack -s --cwd -C --dir --query
    --filter --scope -S --access-token -R --repo --hostname --log-level --name -n --team --tenant
""")
_TOKENS = re.compile(
    r"^(?:[\w-]+-)?(?:secrets?|tokens?|passwords?|credentials?|access-keys?|login-password|kubeconfig|(?:print|get)-(?:access|identity)-token|get-access-token|get-secret-value|export-credentials|list-keys|connection-string|keys)(?:-version)?$"
)

_HIDES = frozenset({"gh", "glab", "wrangler", "fly", "flyctl", "gcloud", "aws", "supabase"})
"""Programs whose lists of secrets show only their names."""
_TABLE = """
aws
  + wait ls start-live-tail scan query
  - presign invoke configure cp mv sync rm rb mb deploy put run-task execute-command start-session assume-role exec

gcloud
  - print-access-token login set ssh scp deploy configurations submit get-credentials activate-service-account

az doctl linode-cli hcloud scw oci ibmcloud aliyun eb copilot amplify ecs-cli civo vultr-cli exo openstack ovh tccli yc func
swa azd sst render koyeb northflank deployctl shopify ngrok-api contentful sanity auth0 okta datadog-ci newrelic pd jira
linear notion asana mongocli atlas-cli pscale neonctl neon turso astra confluent databricks snow bytebase convex appwrite
amplify-cli clever platform upsun pantheon terminus acli cf tsh tctl teleport cloudsmith jfrog jf circleci buildkite-agent
drone fastly akamai algolia launchdarkly ldcli huggingface-cli hf wandb modal replicate kaggle zapier slackcli twitter toot
gam gcalcli ghcup-publish lark tea bb codeberg nats pulsar-admin temporal tctl-temporal cloudflare flarectl dnscontrol octodns
certbot acme.sh mkcert appcenter jenkins-cli jenkins-jobs travis dokku
  - login set get-credentials ssh up deploy run invoke delete create update

gh hub
  + clone checkout co watch download checks extension-list
  - api create merge close comment delete edit review set upload reopen rerun cancel enable disable run-workflow sync archive
  - transfer lock login refresh token install fork ready rename revert

glab
  + clone checkout view trace
  - api create merge close delete note update approve run retry cancel set rebase login

terraform tofu terragrunt cdktf
  + init output console get version metadata test pull hclfmt render-json graph-dependencies
  - apply destroy import taint untaint rm mv push replace-provider force-unlock login logout refresh select new delete

pulumi
  + preview about new
  - up update destroy refresh import cancel rm set state select login watch remove transfer export

cdk
  + synth synthesize ls doctor metadata init acknowledge notices
  - deploy destroy bootstrap import watch rollback gc

heroku
  + open local apps releases wait addons domains buildpacks pg ps features labs members certs drains pipelines
  - config config:get run restart scale login psql destroy reset set unset rollback promote push kill stop enable rename transfer

fly flyctl
  + open doctor releases ips
  - deploy destroy launch ssh scale restart import set proxy auth console create delete suspend stop kill secrets

vercel vc now
  + dev build whoami inspect link teams
  - remove rm deploy promote rollback pull add alias env-rm redeploy login git

netlify
  + dev build open link unlink serve recipes
  - deploy delete set env:set env:unset import login api trigger unset

firebase
  + emulators:start emulators:exec serve use init start
  - deploy delete disable set rollback import login remove firestore:delete

wrangler
  + dev types tail init whoami docs
  - deploy publish delete put rollback execute create bulk upload apply login purge secret

supabase
  + start status new types serve init gen lint migration-list pull
  - reset push deploy delete repair stop set unset link login up squash remote secrets dump

serverless sls
  + offline package print info local
  - deploy remove rollback

sam
  + build local init validate
  - deploy delete sync publish remote

ansible-playbook
  + --check -C --syntax-check --list-hosts --list-tasks --list-tags

ansible salt salt-ssh puppet chef-client knife cfengine pyinfra dsh pssh clush pdsh fabric kamal capistrano

stripe
  + listen samples open resources
  - trigger delete create update post confirm cancel capture refund login

twilio
  + fetch
  - create update remove login

rclone
  + ls lsd lsl lsf lsjson size check tree version listremotes about ncdu hashsum cryptcheck
  - config copy sync delete purge move bisync rcat mount serve copyto moveto dedupe cleanup rmdir rmdirs deletefile

restic kopia duplicity duplicacy rustic tarsnap rsnapshot
  + snapshots ls stats check diff find backup init cache
  - forget prune restore rewrite unlock key copy migrate tag repair

borg
  + list info check diff create init
  - delete prune compact extract recreate rename key break-lock config mount

gsutil s3cmd mc s5cmd azcopy b2 s4cmd aws-s3 minio-mc
  + du hash
  - rm cp mv rsync acl iam mb rb defacl setmeta web cors signurl

bq
  + show head ls
  - rm load cp mk update insert cancel extract undelete

vault
  + path-help server
  - kv read write delete login token seal unseal policy secrets auth lease operator print

op pass gopass bw lpass rbw keepassxc-cli doppler infisical chamber sops teller aws-vault keyring dashlane dcli secret-tool
berglas kubeseal
  + whoami run exec exec-env
  - show lookup cat export edit read inject signin get

nomad consul etcdctl boundary waypoint zkCli.sh zkcli zookeeper
  + members monitor catalog
  - run stop purge drain eval alloc exec system job-stop restart

dvc
  + status repro dag add pull checkout fetch params metrics plots exp
  - push gc remove destroy move

sentry-cli
  + info
  - releases sourcemaps upload-dif deploys send-event debug-files login upload

dbt airflow prefect dagster snakemake
  + compile parse ls debug test docs deps run build source seed show
  - run-operation clean --full-refresh retry

packer
  + init validate inspect fix console fmt
  - build

argocd flux eksctl kops kubeadm velero istioctl linkerd rancher argo skaffold
  + manifests trace render diagnose analyze proxy-status proxy-config pc
  - create delete apply sync run set rollback reconcile suspend resume bootstrap install uninstall upgrade login submit stop
  - terminate retry resubmit restore patch scale reset

crane skopeo oras cosign regctl
  + manifest digest config catalog pull verify blob export discover
  - copy cp push delete sign attach tag mutate append login sync rebase

expo
  + start install prebuild export customize config run:ios run:android
  - publish login upload

rover apollo
  + introspect dev supergraph
  - publish delete push store

hasura
  + console init squash
  - apply delete reload clear

wp
  + path is-installed is-active check-update
  - search-replace delete drop reset deactivate eval eval-file update install activate import create

railway
  + logs status whoami link open list docs
  - up down delete deploy redeploy variables run ssh connect add domain login
"""
"""By program, harmless (+) and changing (-) verbs, in addition to the common ones."""
_ON_MANY_MACHINES = read_names("ansible-playbook ansible salt salt-ssh pssh clush pdsh dsh chef-client")
"""Programs that run on other machines, whatever their arguments."""
_WITHOUT_VERB = frozenset({"vercel", "vc", "now", "serverless", "sls"})
"""Programs that deploy if no verb is given."""


def _read_table(text: str) -> dict[str, Service]:
    found: dict[str, Service] = {}
    for block in text.strip().split("\n\n"):
        marked: dict[str, list[str]] = {"": [], "+": [], "-": []}
        for line in block.splitlines():
            mark = line[2] if line.startswith("  ") else ""
            marked[mark] += line[3:].split() if mark else line.split()
        for name in marked[""]:
            found[name] = Service(frozenset(marked["+"]), frozenset(marked["-"]))
    return found


SERVICES = _read_table(_TABLE)


def check_service(call: Call) -> Iterator[str]:
    """A service: everything that does not clearly read counts as a change."""
    service = SERVICES[call.program]
    words = _drop_options(call)
    inner = Call(call.program, tuple(words), call.command, call.path)
    if call.program in _ON_MANY_MACHINES:
        harmless = call.has(
            "--check",
            "-C",
            "--syntax-check",
            "--list-hosts",
            "--list-tasks",
            "--list-tags",
            "--version",
            "--help",
            "test.ping",
        ) or call.list_values("-m")[:1] in (["ping"], ["setup"])
        if not harmless:
            yield "remote"
        return
    if call.program == "bq" and "query" in words:
        if not only_reads(inner, {"query"}) or any(map(changes_data, words[words.index("query") + 1 :])):
            yield "data"
        return
    if call.has("--help", "--version", "--dry-run", "--dryrun", "--noop") or (call.has("-h", "-v") and len(words) == 0):
        return
    names = [word for word in words if not word.startswith("-")]
    if call.program == "gh" and names[:1] == ["api"]:
        yield from _check_gh_api(call)
        return
    lists = (
        any(_TOKENS.search(word) and after in ("list", "ls") for word, after in itertools.pairwise(names))
        and call.program in _HIDES
    )
    if (not lists and any(_TOKENS.search(word.rpartition(":")[2]) for word in names[:4])) or call.has(
        "--with-decryption", "--show-secrets", "--reveal", "--show-token"
    ):
        yield "credentials"
    if _copies_here(call, names) or (call.program == "pulumi" and len(names) == 1 and names[0] in ("stack", "config")):
        return
    if call.program in ("aws", "gcloud") and names[:2] in (["configure", "list"], ["configure", "list-profiles"]):
        return
    if call.program == "gcloud" and names[:1] == ["config"] and names[1:2] in (["list"], ["get-value"], ["get"]):
        return
    if not names and call.program not in _WITHOUT_VERB:
        return
    on_production = call.program == "dbt" and set(call.list_values("--target", "-t", "--profile")) & PRODUCTION
    if not names or on_production or not only_reads(inner, service.harmless, service.changes):
        yield "remote"
    if call.program == "terraform" and any(word.startswith(("-auto-approve", "--auto-approve")) for word in call.args):
        yield "remote"


_ELSEWHERE = re.compile(r"\w+://|[\w-]{2,}:(?!\\)")


def _copies_here(call: Call, names: Sequence[str]) -> bool:
    """Returns whether files are copied from another machine to this one."""
    verbs = [at for at, name in enumerate(names[:3]) if name in ("cp", "copy", "sync", "rsync", "copyto", "get")]
    ends = names[verbs[0] + 1 :] if verbs else []
    deletes = any(word.startswith("--delete") for word in call.args) or call.has("-d")
    copies = len(ends) > 1 and not deletes and not (call.program == "rclone" and names[0] == "sync")
    return copies and all(map(_ELSEWHERE.match, ends[:-1])) and not _ELSEWHERE.match(ends[-1])


def _drop_options(call: Call) -> list[str]:
    """Returns the arguments without options that take a value, and without these values."""
    words: list[str] = []
    skip = False
    for at, word in enumerate(call.args):
        if skip:
            skip = False
            continue
        if word in _COMMON_VALUED and "=" not in word:
            skip = at + 1 < len(call.args) and not call.args[at + 1].startswith("-")
            continue
        words.append(word)
    return words


def _check_gh_api(call: Call) -> Iterator[str]:
    methods = [each.upper() for each in call.list_values("-X", "--method")]
    fields = call.has("-f", "-F", "--field", "--raw-field", "--input") or any(
        word.startswith(("-f", "-F")) for word in call.args
    )
    graphql = "graphql" in call.names
    if any(each not in ("GET", "HEAD") for each in methods) or (fields and not methods and not graphql):
        yield "remote"
    if graphql and any("mutation" in word for word in call.args):
        yield "remote"


CHECKS = dict.fromkeys(SERVICES, check_service)
