"""Indexed queries beside our own scan and DuckDB, on `times` as many rows."""

import pathlib
import subprocess
import tempfile

from measure import Side, judge, measure
from questions import Questions
from report import ms
from sides import HERE, Growler, Peer, layouts, same

RUNS_OF_INDEXES = 10


def compare_indexed(options):
    questions = Questions("events")
    queries = [query for query in questions.queries if query.get("indexed")]
    print("CPU milliseconds of the best run; ratios to growler with indexes.\n")
    print("| layout | query | indexed | scan | ratio | DuckDB | ratio | DuckDB flat | ratio | same answer |")
    print("| - | - | - | - | - | - | - | - | - | - |")
    found = layouts(options.data)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        flat = many_files(found["flat"], options.times, folder / "flat")
        for layout in [layout for layout in ("shredded", "unshredded") if layout in found]:
            table = many_files(found[layout], options.times, folder / layout)
            build(options, table, folder / "indexes")
            engines = {"growler": Growler(options.worker, {"t": table}, options.threads, folder / "indexes"),
                       "duckdb": Peer("duckdb", {"t": table, "flat": flat}, options.threads)}
            for query in queries:
                print(line(questions, query, layout, engines, options), flush=True)
            for engine in engines.values():
                engine.close()


def line(questions, query, layout, engines, options):
    sql = questions.sql(query, "growler", layout, "t")
    sides = [Side("growler", "indexed", sql), Side("growler", "scan", f"SET skipIndexes = '*'; {sql}"),
             Side("duckdb", layout, questions.sql(query, "duckdb", layout, "t")),
             Side("duckdb", "flat", questions.sql(query, "duckdb", "flat", "flat"))]
    for _ in range(RUNS_OF_INDEXES):
        engines["growler"].ask(sql)
    measure(sides, engines, options.runs, options.cap, options.timeout)
    agree = judge(sides, same)
    least = [min(side.cpu) if side.cpu else None for side in sides]
    cells = [f"{ms(value)} | {value / least[0]:,.0f}x" if value else " | " for value in least[1:]]
    return f"| {layout} | {query['name']} | {ms(least[0])} | {' | '.join(cells)} | {'yes' if agree else 'NO'} |"


def many_files(folder, times, into):
    """Makes a table of `times` as many rows by linking every file under that many names."""
    into.mkdir(parents=True)
    for file in sorted(folder.glob("*.parquet")):
        for copy in range(times):
            (into / f"{file.stem}-{copy:02}.parquet").symlink_to(file.resolve())
    return into


def build(options, table, index_dir):
    command = [options.growler, "index", "--table", f"t={table}", "--config", HERE / "indexes.json", "--index-dir", index_dir]
    subprocess.run(command, check=True)
    print(flush=True)
