"""Whole queries of growler and its peers on the same files: CPU and wall time, taking turns, answers compared."""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

from indexed import compare_indexed
from measure import Side, judge, measure
from plot import plot
from questions import Questions
from report import Report
from sides import Growler, Peer, layouts, same

ENGINES = ["duckdb", "chdb", "datafusion", "polars", "spark"]
# What is left of five minutes when everything was built.
QUICK_SECONDS = 200
VARIANT_LAYOUTS = ["shredded", "unshredded", "automatic", "mixed"]


def main():
    options = arguments()
    if options.data is None:
        options.data = generate(options)
    if not options.data.is_dir():
        raise SystemExit(f"no such folder: path={options.data}")
    if options.indexed:
        compare_indexed(options)
        return
    sys.exit(0 if compare(options) else 1)


def arguments():
    parser = argparse.ArgumentParser(prog="benches/peers/compare", description=__doc__)
    parser.add_argument("--worker", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--generator", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--growler", help=argparse.SUPPRESS)
    parser.add_argument("--table", choices=["events", "bluesky"], default="events", help="bluesky: the queries of JSONBench")
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("GROWLER_BENCH_DATA"),
                        help="folder with one folder of files a layout; else GROWLER_BENCH_DATA, else made from a seed")
    parser.add_argument("--rows", type=int, help="rows to make, if any are made (default 1,000,000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engines", default="duckdb", help=f"of {', '.join(ENGINES)}, or none")
    parser.add_argument("--layouts", help="of the variant tables; all that are there")
    parser.add_argument("--queries", help="ids of queries; all")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cap", type=float, default=10, help="wall seconds after which a side is not asked again")
    parser.add_argument("--timeout", type=float, default=300, help="wall seconds that a peer may take for an answer")
    parser.add_argument("--budget", type=float, help="wall seconds for all queries, after which peers are asked no more")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="1 M rows, two layouts, DuckDB alone: under five minutes")
    parser.add_argument("--out", type=pathlib.Path, help="folder for compare-TABLE.{md,json,svg}")
    parser.add_argument("--indexed", action="store_true", help="with the indexes of indexes.json, beside DuckDB")
    parser.add_argument("--times", type=int, default=10, help="how often each file counts when indexed")
    options = parser.parse_args()
    if options.quick:
        options.runs, options.cap, options.timeout = 3, 2, 30
        options.layouts = options.layouts or "shredded,unshredded"
    if options.quick:
        options.budget = options.budget or QUICK_SECONDS
    options.rows = options.rows or 1_000_000
    options.data = options.data and pathlib.Path(options.data)
    options.engines = [engine for engine in options.engines.split(",") if engine != "none"]
    unknown = set(options.engines) - set(ENGINES)
    if unknown:
        parser.error(f"unknown engines: {', '.join(sorted(unknown))}")
    return options


def generate(options):
    """Makes a table from the seed, once, in a folder that outlives the run."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
    home = pathlib.Path(os.environ.get("GROWLER_BENCH_HOME", cache / "growler-bench"))
    wanted = (options.layouts or ",".join(VARIANT_LAYOUTS)).split(",") + ["flat"]
    if options.table == "bluesky":
        wanted += ["json"]
    into = home / f"{options.table}-{options.rows}-{options.seed}-{'-'.join(layout[0] for layout in wanted)}"
    command = [options.generator, "--table", options.table, "--out", into, "--rows", options.rows, "--seed", options.seed,
               "--layouts", ",".join(wanted), "--file-rows", max(1, min(250_000, options.rows // 4))]
    subprocess.run([str(part) for part in command], check=True)
    return into


def compare(options):
    questions = Questions(options.table)
    found = layouts(options.data)
    kept = options.layouts.split(",") if options.layouts else VARIANT_LAYOUTS
    variants = [layout for layout in kept if layout in found]
    if not variants:
        raise SystemExit(f"no layouts there: path={options.data}")
    tables = {layout: found[layout] for layout in variants + ["flat"] if layout in found}
    engines, started = start(options, tables, found)
    wanted = options.queries and options.queries.split(",")
    results = []
    began = time.monotonic()
    queries = [query for query in questions.queries if not wanted or query["id"] in wanted]
    for position, query in enumerate(queries):
        note(f"{position + 1}/{len(queries)} {query['name']} ({time.monotonic() - began:.0f} s)")
        sides = sides_of(questions, query, engines, list(tables))
        deadline = None
        if options.budget:
            left = began + options.budget - time.monotonic()
            deadline = time.monotonic() + left / (len(queries) - position)
        measure(sides, engines, options.runs, options.cap, options.timeout, deadline)
        judge(sides, same)
        results.append({"id": query["id"], "name": query["name"], "sides": {side.name: side.summary() for side in sides},
                        "sql": {side.name: side.sql for side in sides}})
        keep(options, results)
    note("")
    memory = engines["growler"].peak_rss_mib
    for engine in engines.values():
        engine.close()
    return publish(options, questions, results, variants, started, memory)


def start(options, tables, found):
    """Starts every engine; says how long each took to have its tables."""
    note("starting growler")
    engines = {"growler": Growler(options.worker, tables, options.threads)}
    started = {}
    for name in options.engines:
        note(f"starting {name}")
        own = dict(tables)
        if name == "polars":
            # It reads no annotated file.
            own = {layout: folder for layout, folder in tables.items() if layout == "flat"}
        if name == "chdb" and options.table == "bluesky" and "json" in found:
            own["json_native"] = found["json"]
        engines[name] = Peer(name, own, options.threads)
        started[name] = engines[name].ready["cpuSeconds"]
    return engines, started


def sides_of(questions, query, engines, tables):
    sides = []
    for name, engine in engines.items():
        for layout in tables:
            if name == "polars" and layout != "flat":
                continue
            sql = questions.sql(query, name, layout, engine.table(layout))
            if sql:
                sides.append(Side(name, layout, sql))
        if name == "chdb" and "json_native" in engine.ready["tables"]:
            sql = questions.sql(query, name, "native", engine.table("json_native"))
            sides.append(Side(name, "native", sql))
    # Growler and the quick ones first, should time run out.
    return sorted(sides, key=lambda side: side.engine != "growler" and side.layout not in ("flat", "native"))


def publish(options, questions, results, variants, started, memory):
    """Prints the tables and writes the files; says whether all answers agree."""
    targets = {query["id"]: query.get("targets", []) for query in questions.queries}
    report = Report(results, variants, targets, questions.sum_targets if not options.queries else [])
    head = [f"## {options.table}: growler beside {', '.join(options.engines) or 'none'}", "",
            f"{options.threads} threads, {options.runs} runs in turns. Times: CPU, least / median. "
            "Ratios: least CPU / median CPU / least wall; above 1 growler is quicker.",
            f"Peak memory of growler: {memory:.0f} MiB."]
    head += [f"{name} was ready after {seconds:.1f} s of CPU." for name, seconds in started.items() if seconds > 5]
    text = "\n".join(head) + "\n\n" + report.markdown() + "\n"
    print(text)
    if options.out:
        keep(options, results, peakRssMib=memory, ready=started)
        name = options.out / f"compare-{options.table}"
        name.with_suffix(".md").write_text(text)
        drawing = plot(results, f"growler {report.main_layout()}", f"{options.table}: CPU time of peers / growler")
        name.with_suffix(".svg").write_text(drawing)
    return all(side.get("agrees") is not False and not (side.get("error") and name.startswith("growler"))
               for result in results for name, side in result["sides"].items())


def keep(options, results, **more):
    """Writes what is known so far, so that a run that is broken off leaves something."""
    if not options.out:
        return
    options.out.mkdir(parents=True, exist_ok=True)
    content = {"when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "table": options.table,
               "threads": options.threads, "runs": options.runs, **more, "results": results}
    (options.out / f"compare-{options.table}.json").write_text(json.dumps(content, indent=1) + "\n")


def note(text):
    """Shows how far it is, where somebody looks."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    elif text:
        print(text, file=sys.stderr, flush=True)


main()
