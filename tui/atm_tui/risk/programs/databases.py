"""Checks clients of databases, and tools that rebuild them."""

import re
from collections.abc import Iterator

from atm_tui.risk.calls import Call, assign_check
from atm_tui.risk.places import NULLS
from atm_tui.risk.programs.verbs import only_reads
from atm_tui.risk.sql import changes_data
from atm_tui.risk.tables import PRODUCTION, read_names

_STATEMENTS = {
    "psql": ("-c", "--command"),
    "pgcli": ("-c",),
    "mysql": ("-e", "--execute"),
    "mariadb": ("-e", "--execute"),
    "mycli": ("-e", "--execute"),
    "sqlcmd": ("-Q", "-q"),
    "cqlsh": ("-e", "--execute"),
    "clickhouse-client": ("-q", "--query"),
    "clickhouse": ("-q", "--query"),
    "snowsql": ("-q", "--query"),
    "duckdb": ("-c", "-s"),
    "trino": ("--execute",),
    "presto": ("--execute",),
    "beeline": ("-e",),
    "hive": ("-e",),
    "cockroach": ("-e", "--execute"),
    "usql": ("-c", "--command"),
    "spark-sql": ("-e",),
    "influx": ("-execute",),
    "litecli": ("-e",),
    "sqlplus": (),
    "isql": (),
    "tsql": (),
    "sqlite3": (),
    "sqlite": (),
}


def check_sql(call: Call) -> Iterator[str]:
    """Clients that take SQL from an option, an argument, a file or the input."""
    program, command = call.program, call.command
    if program == "influx" and {"delete", "restore", "task", "user", "auth"} & set(call.names[:2]):
        yield "data"
    texts = call.list_values(*_STATEMENTS[program]) if _STATEMENTS[program] else []
    if program in ("sqlite3", "sqlite", "duckdb"):
        texts += call.names[1:]
    takes_input = not texts  # a statement that is given is all that is run
    if command.body and takes_input:
        texts.append(command.body)
    source = command.source
    if source is not None and takes_input:
        if source.program in ("echo", "printf"):
            texts.append(" ".join(word for word in source.words[1:] if not re.fullmatch(r"-[neE]+", word)))
        elif source.words and source.body is None and source.program not in ("true", ":", "yes"):
            yield "data"
        elif source.body:
            texts.append(source.body)
    scripted = (
        call.list_values("-f", "--file", "--queries-file", "-init")
        if program != "mysql"
        else call.list_values("--init-command")
    )
    if (
        (program not in ("mysql", "mariadb") and scripted)
        or (takes_input and set(command.reads) - NULLS)
        or any(word.startswith("@") for word in call.names)
    ):
        yield "data"
    if program == "clickhouse-client" and call.has("--multiquery") and not texts:
        yield "data"
    if any(map(changes_data, texts)):
        yield "data"


_MONGO_READS = re.compile(
    r"\.(?:find|findOne|count\w*|aggregate|distinct|explain|stats|getIndexes|getCollectionNames|getName|version|hello|isMaster|serverStatus|forEach|toArray|limit|sort|pretty|size|status|adminCommand)\s*\("
)
_MONGO_CHANGES = re.compile(
    r"\b(?:drop|delete|remove|update|replace|insert|bulkWrite|rename|shutdown|create|save|findAndModify|findOneAnd|grant|revoke|compact|reIndex|killOp)\w*\s*\(|\$out|\$merge|\b(?:shutdown|drop|dropDatabase)\s*:",
    re.IGNORECASE,
)


def check_mongo(call: Call) -> Iterator[str]:
    """MongoDB's shells."""
    texts = call.list_values("--eval")
    if call.command.body:
        texts.append(call.command.body)
    takes_input = not texts and (set(call.command.reads) - NULLS or call.command.source is not None)
    if takes_input or any(name.endswith(".js") for name in call.names) or call.has("-f", "--file"):
        yield "data"
    if any(
        _MONGO_CHANGES.search(text) or not (_MONGO_READS.search(text) or text.startswith(("show", "db", "rs.status")))
        for text in texts
    ):
        yield "data"


_REDIS_READS = read_names("""
    ping info get mget keys scan hget hgetall hmget hkeys hvals hlen lrange llen lindex smembers scard sismember
    zrange zcard zscore zrank ttl pttl type exists strlen dbsize memory client echo time lastsave slowlog monitor
    object xrange xlen xinfo getrange role command latency cluster hscan sscan zscan hexists randomkey dump set setex
    incr incrby decr expire lpush rpush sadd zadd hset publish subscribe
""")


def check_redis(call: Call) -> Iterator[str]:
    """Redis: everything except reading, and setting one key."""
    skip = {
        "-h",
        "-p",
        "-a",
        "-n",
        "-u",
        "-s",
        "--user",
        "--pass",
        "-i",
        "-r",
        "-t",
        "-d",
        "-D",
        "-X",
        "--pattern",
        "--count",
        "--cert",
        "--key",
        "--cacert",
    }
    words = [
        word
        for at, word in enumerate(call.args)
        if not word.startswith("-") and (at == 0 or call.args[at - 1] not in skip)
    ]
    if words and (
        words[0].lower() not in _REDIS_READS or "kill" in map(str.lower, words) or "reset" in map(str.lower, words[:2])
    ):
        yield "data"
    if (
        call.has("--eval", "--pipe", "--cluster")
        or (set(call.command.reads) - NULLS and not words)
        or (call.command.source is not None and not words)
    ):
        yield "data"


def check_cypher(call: Call) -> Iterator[str]:
    """Neo4j's shell."""
    texts = [*call.names, call.command.body or ""]
    changes = re.compile(r"\b(?:delete|remove|set|create|merge|drop|load\s+csv)\b", re.IGNORECASE)
    if (
        call.command.reads
        or call.command.source is not None
        or call.has("-f", "--file")
        or any(map(changes.search, texts))
    ):
        yield "data"


def check_hdfs(call: Call) -> Iterator[str]:
    """Hadoop's file system."""
    if any(
        re.fullmatch(
            r"-(?:rm\w*|put|mv|cp|ch\w+|truncate|expunge|setrep|touchz?|mkdir|\w+FromLocal|appendToFile)", word
        )
        for word in call.args
    ):
        yield "data"


def check_drop(call: Call) -> Iterator[str]:
    """Programs that drop, overwrite or reset a database."""
    if not call.has("--help", "--version", "--list", "-l"):
        yield "data"


def check_admin(call: Call) -> Iterator[str]:
    """Administration tools with verbs."""
    if not only_reads(
        call,
        (
            "start",
            "create",
            "variables",
            "extended-status",
            "processlist",
            "list_queues",
            "list_users",
            "node_health_check",
            "list_exchanges",
            "list_vhosts",
        ),
    ):
        yield "data"


def check_topics(call: Call) -> Iterator[str]:
    """Kafka's scripts."""
    if call.args and not call.has("--list", "--describe", "--version", "--help"):
        yield "data"


_MIGRATES = re.compile(
    r"(?:downgrade|rollback|revert|reset|drop|drop-all|dropall|clean|fresh|refresh|wipe|purge|undo|zero|down|flush|redo|truncate|sqlflush|reset_db|drop_database|unmigrate|load|push|restore"
    r"|prune|deploy|resolve|delete|repair|baseline|destroy|sync|force|execute|prev)(?::all|[-_]\w+|count|todate)?",
    re.IGNORECASE,
)
_WRITES_MIGRATION = read_names("generate gen new make add create revision")
"""Verbs that write a migration, whose name may say what it will do."""
_HARMLESS_MIGRATIONS = read_names("""
    generate new status history current heads show list validate info up latest upgrade dev pull format create help
""")


def check_migration(call: Call) -> Iterator[str]:
    """Tools that rebuild a schema, or go back to an earlier one."""
    if call.has("--help", "--dry-run", "--sql"):
        return
    if call.program == "mix" and not call.verb.startswith("ecto"):
        return
    named = set(call.list_values("-m", "--message", "-n", "--name"))
    for name in (each for each in call.names if each not in named):
        parts = re.split(r"[:.]", name)
        if _WRITES_MIGRATION & set(parts):
            return
        if any(_MIGRATES.fullmatch(part) for part in parts):
            yield "data"
            return
        if name == "apply" and call.program == "atlas":
            yield "data"
            return
        if (
            call.program in ("prisma", "drizzle-kit", "alembic", "flyway", "liquibase", "dbmate", "goose", "atlas")
            and name in _HARMLESS_MIGRATIONS
        ):
            return
        if call.program in ("artisan", "console", "mix") and not {"prev", "first"} & set(call.names[1:2]):
            break  # what follows is the task's own
    stages = [
        *call.list_values("--env", "-e", "--environment", "--target", "--stage"),
        *(value for name, value in call.command.assignments if name.endswith("_ENV")),
    ]
    if call.has("--force", "--force-reset", "--accept-data-loss", "--allow-data-loss", "--drop") or (
        call.names and set(stages) & PRODUCTION
    ):
        yield "data"


CHECKS = {
    **dict.fromkeys(_STATEMENTS, check_sql),
    **assign_check(check_mongo, "mongo mongosh"),
    "cypher-shell": check_cypher,
    **assign_check(check_hdfs, "hdfs hadoop"),
    **assign_check(check_redis, "redis-cli valkey-cli keydb-cli"),
    **assign_check(
        check_drop,
        """
        dropdb dropuser pg_restore mongorestore mysqlimport mongoimport pg_resetwal pg_dropcluster createuser
        influxd-restore neo4j-admin pg_rewind mysql_secure_installation reindexdb clusterdb
    """,
    ),
    **assign_check(
        check_admin,
        """
        mysqladmin pg_ctl pg_ctlcluster rabbitmqctl rabbitmqadmin nodetool rethinkdb couchbase-cli elasticdump curator
        influx_inspect sqlpackage
    """,
    ),
    **assign_check(
        check_topics,
        """
        kafka-topics kafka-topics.sh kafka-consumer-groups kafka-configs kafka-delete-records kafka-acls
        kafka-consumer-groups.sh kafka-configs.sh kafka-delete-records.sh
    """,
    ),
    **assign_check(
        check_migration,
        """
        alembic flask prisma sequelize sequelize-cli knex typeorm drizzle-kit flyway liquibase dbmate goose migrate
        atlas sqlx diesel artisan mix yoyo aerich sql-migrate mikro-orm node-pg-migrate db-migrate umzug phinx
        doctrine tern refinery sea-orm-cli ecto piccolo console
    """,
    ),
}
