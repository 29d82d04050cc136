"""Answers queries of one engine: one JSON object a line in, one out, as the bench-worker of growler does.

In: {"sql": ..}. Out: cpuSeconds of this process (and of those it started) over all threads, wallSeconds, rows, error.
The first line out, without a question, says that the tables are there.
"""

import argparse
import json
import os
import resource
import sys
import tempfile
import time


class DuckDb:
    def __init__(self, tables, threads, memory):
        import duckdb

        self.connection = duckdb.connect(config={"threads": threads, "memory_limit": memory})
        self.connection.execute("set TimeZone = 'UTC'")
        for name, folder in tables.items():
            self.connection.execute(f"create view {name} as select * from read_parquet('{folder}/*.parquet')")

    def table(self, name):
        return name

    def run(self, sql):
        return [list(row) for row in self.connection.execute(sql).fetchall()]


class ChDb:
    """ClickHouse in the process; a table whose name ends in _native is ingested as its JSON type, sorted."""

    PATHS = "JSON(max_dynamic_paths=0, kind LowCardinality(String), commit.operation LowCardinality(String), " \
            "commit.collection LowCardinality(String), did String, time_us UInt64)"
    ORDER = "data.kind, data.commit.operation, data.commit.collection, data.did, fromUnixTimestamp64Micro(data.time_us)"

    def __init__(self, tables, threads, _memory):
        from chdb import session

        self.folder = tempfile.TemporaryDirectory()
        self.session = session.Session(self.folder.name)
        self.settings = f" settings max_threads = {threads}, max_final_threads = {threads}"
        self.tables = {name: f"file('{folder}/*.parquet', Parquet)" for name, folder in tables.items()}
        for name in [name for name in tables if name.endswith("_native")]:
            self.session.query("create database if not exists b")
            self.session.query(f"create table b.{name} (data {self.PATHS} codec(ZSTD(1))) engine = MergeTree order by ({self.ORDER})")
            self.session.query(f"insert into b.{name} select data::{self.PATHS} from {self.tables[name]}"
                               f"{self.settings}, max_insert_threads = {threads}")
            self.session.query(f"optimize table b.{name} final")
            self.tables[name] = f"b.{name}"

    def table(self, name):
        return self.tables[name]

    def run(self, sql):
        text = str(self.session.query(sql + self.settings, "JSONCompactEachRow"))
        return [json.loads(line) for line in text.split("\n") if line]


class DataFusion:
    def __init__(self, tables, threads, _memory):
        import datafusion

        config = datafusion.SessionConfig().with_target_partitions(threads)
        self.context = datafusion.SessionContext(config)
        for name, folder in tables.items():
            self.context.register_parquet(name, f"{folder}/")

    def table(self, name):
        return name

    def run(self, sql):
        batches = self.context.sql(sql).collect()
        return [list(row.values()) for batch in batches for row in batch.to_pylist()]


class Polars:
    def __init__(self, tables, threads, _memory):
        os.environ["POLARS_MAX_THREADS"] = str(threads)
        import polars

        frames = {name: polars.scan_parquet(f"{folder}/*.parquet") for name, folder in tables.items()}
        self.context = polars.SQLContext(frames)

    def table(self, name):
        return name

    def run(self, sql):
        return [list(row) for row in self.context.execute(sql).collect().rows()]


class Spark:
    def __init__(self, tables, threads, memory):
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master(f"local[{threads}]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.sql.session.timeZone", "UTC").config("spark.driver.memory", memory.lower())
        self.session = builder.config("spark.sql.shuffle.partitions", str(threads)).getOrCreate()
        self.session.sparkContext.setLogLevel("OFF")
        for name, folder in tables.items():
            self.session.read.parquet(str(folder)).createOrReplaceTempView(name)

    def table(self, name):
        return name

    def run(self, sql):
        return [list(row) for row in self.session.sql(sql).collect()]


ENGINES = {"duckdb": DuckDb, "chdb": ChDb, "datafusion": DataFusion, "polars": Polars, "spark": Spark}


def cpu_seconds():
    """CPU time of this process; a JVM is a child that still runs, so it is read from /proc."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    total = own.ru_utime + own.ru_stime
    for child in children(os.getpid()):
        fields = read(f"/proc/{child}/stat").rpartition(")")[2].split()
        total += sum(int(field) for field in fields[11:13]) / os.sysconf("SC_CLK_TCK") if fields else 0
    return total


def children(process):
    direct = [int(child) for child in read(f"/proc/{process}/task/{process}/children").split()]
    return direct + [grandchild for child in direct for grandchild in children(child)]


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def answer(engine, sql):
    cpu, wall = cpu_seconds(), time.perf_counter()
    rows, error = [], ""
    try:
        rows = engine.run(sql)
    except Exception as failure:
        error = " ".join(str(failure).split())[:300] or type(failure).__name__
    return {"cpuSeconds": cpu_seconds() - cpu, "wallSeconds": time.perf_counter() - wall, "rows": rows, "error": error}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", default="6GB")
    parser.add_argument("--table", action="append", default=[], metavar="NAME=FOLDER")
    options = parser.parse_args()
    tables = dict(table.split("=", 1) for table in options.table)
    # Engines write to the standard output as they like; the answers go where it was.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    cpu, wall = cpu_seconds(), time.perf_counter()
    engine = ENGINES[options.engine](tables, options.threads, options.memory)
    ready = {"cpuSeconds": cpu_seconds() - cpu, "wallSeconds": time.perf_counter() - wall,
             "tables": {name: engine.table(name) for name in tables}}
    print(json.dumps(ready), file=out, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(engine, json.loads(line)["sql"]), default=str), file=out, flush=True)


main()
