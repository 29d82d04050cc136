"""Whole queries of growler and DuckDB on the same files: CPU and wall time, alternating, answers compared."""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import duckdb

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFAULT_DATA = ROOT.parent / "shared" / "data" / "bench" / "events_1m"

# Name, growler over a VARIANT table, DuckDB over the same, DuckDB over plain columns.
QUERIES = [
    ("= on a shredded key", "SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME'",
     "select count(*) from t where variant_extract_string(props, 'page_type') = 'HOME'",
     "select count(*) from t where page_type = 'HOME'"),
    ("= on a key typed nowhere", "SELECT COUNT(*) FROM t WHERE props['user_tier'] = 'gold'",
     "select count(*) from t where variant_extract_string(props, 'user_tier') = 'gold'",
     "select count(*) from t where user_tier = 'gold'"),
    ("= on a nested key", "SELECT COUNT(*) FROM t WHERE props['device.os'] = 'ios'",
     "select count(*) from t where props.device.os::varchar = 'ios'",
     "select count(*) from t where device_os = 'ios'"),
    ("range on a number", "SELECT COUNT(*) FROM t WHERE props['latency_ms'] >= 400",
     "select count(*) from t where try_cast(variant_extract_string(props, 'latency_ms') as int) >= 400",
     "select count(*) from t where latency_ms >= 400"),
    ("min, max, sum, avg",
     "SET enableNullHandling = true; SELECT MIN(props['latency_ms']), MAX(props['latency_ms']), "
     "SUM(props['latency_ms']), AVG(props['latency_ms']) FROM t",
     "select min(l), max(l), sum(l), avg(l) from (select try_cast(variant_extract_string(props, 'latency_ms') as int) l from t)",
     "select min(latency_ms), max(latency_ms), sum(latency_ms), avg(latency_ms) from t"),
    ("group by, count",
     "SELECT props['page_type'], COUNT(*) FROM t GROUP BY props['page_type'] ORDER BY COUNT(*) DESC, props['page_type']",
     "select variant_extract_string(props, 'page_type') p, count(*) c from t group by p order by c desc, p",
     "select page_type p, count(*) c from t group by p order by c desc, p"),
]
# Name, growler, DuckDB over the same files, DuckDB over plain columns; asked with the indexes of indexes.json.
INDEXED = [
    *QUERIES[:4],
    ("= on a key of many values", "SELECT COUNT(*) FROM t WHERE props['session'] = 's-77'",
     "select count(*) from t where variant_extract_string(props, 'session') = 's-77'",
     "select count(*) from t where session = 's-77'"),
    ("two keys, AND", "SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME' AND props['user_tier'] = 'gold'",
     "select count(*) from t where variant_extract_string(props, 'page_type') = 'HOME' "
     "and variant_extract_string(props, 'user_tier') = 'gold'",
     "select count(*) from t where page_type = 'HOME' and user_tier = 'gold'"),
    ("two keys, OR", "SELECT COUNT(*) FROM t WHERE props['page_type'] = 'HOME' OR props['user_tier'] = 'gold'",
     "select count(*) from t where variant_extract_string(props, 'page_type') = 'HOME' "
     "or variant_extract_string(props, 'user_tier') = 'gold'",
     "select count(*) from t where page_type = 'HOME' or user_tier = 'gold'"),
    QUERIES[5],
]
LAYOUTS = ["spark_shredded", "spark_unshredded", "duckdb_shredded"]


class Growler:
    def __init__(self, worker, path, threads, index_dir=None):
        command = [worker, "--table", f"t={path}", "--threads", str(threads)]
        if index_dir:
            command += ["--index-dir", index_dir]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, sql):
        self.process.stdin.write(json.dumps({"sql": sql}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if answer["error"]:
            raise SystemExit(f"growler: {answer['error']}: {sql}")
        self.peak_rss_mib = answer["peakRssKib"] / 1024
        return answer["cpuSeconds"], answer["wallSeconds"], answer["rows"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class DuckDb:
    def __init__(self, path, threads):
        self.connection = duckdb.connect(config={"threads": threads})
        self.connection.execute(f"create view t as select * from read_parquet('{path}/*.parquet')")

    def run(self, sql):
        cpu, wall = time.process_time(), time.perf_counter()
        rows = self.connection.execute(sql).fetchall()
        return time.process_time() - cpu, time.perf_counter() - wall, [list(row) for row in rows]


def same(a, b):
    return [[float(x) if isinstance(x, (int, float)) else x for x in row] for row in a] == [
        [float(x) if isinstance(x, (int, float)) else x for x in row] for row in b
    ]


def best(runs):
    return min(run[0] for run in runs), min(run[1] for run in runs)


def compare(growler, peer, sql, peer_sql, runs):
    ours, theirs = [], []
    for _ in range(runs):
        ours.append(growler.run(sql))
        theirs.append(peer.run(peer_sql))
    agree = same(ours[0][2], theirs[0][2])
    return best(ours), best(theirs), agree


def peak_rss_of_one_file(options, layout):
    """Memory must follow batches and threads, not rows; mapped pages of the files count in, too."""
    first = min((options.data / layout).glob("*.parquet"))
    growler = Growler(options.worker, first, options.threads)
    for _, sql, _, _ in QUERIES:
        growler.run(sql)
    growler.close()
    return growler.peak_rss_mib


def many_files(folder, times, into):
    """Makes a table of `times` as many rows by linking every file under that many names."""
    into.mkdir(parents=True)
    for file in sorted(folder.glob("*.parquet")):
        for copy in range(times):
            (into / f"{file.stem}-{copy:02}.parquet").symlink_to(file)
    return into


def compare_indexed(options):
    """Indexed queries beside our own scan and DuckDB, on `--times` as many rows."""
    print("CPU milliseconds of the best run; ratios to growler with indexes.\n")
    print("| layout | query | indexed | scan | ratio | DuckDB | ratio | DuckDB flat | ratio | same answer |")
    print("| - | - | - | - | - | - | - | - | - | - |")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        flat = DuckDb(many_files(options.data / "flat", options.times, folder / "flat"), options.threads)
        for layout in LAYOUTS[:2]:
            table = many_files(options.data / layout, options.times, folder / layout)
            build(options, table, folder / "indexes")
            growler = Growler(options.worker, table, options.threads, folder / "indexes")
            variant = DuckDb(table, options.threads)
            for name, sql, variant_sql, flat_sql in INDEXED:
                scan = best([growler.run(f"SET skipIndexes = '*'; {sql}") for _ in range(options.runs)])
                best([growler.run(sql) for _ in range(10)])
                ours, theirs, agree = compare(growler, variant, sql, variant_sql, options.runs)
                plain = best([flat.run(flat_sql) for _ in range(options.runs)])
                cells = [f"{1000 * peer[0]:.3g} | {peer[0] / ours[0]:,.0f}x" for peer in (scan, theirs, plain)]
                print(f"| {layout} | {name} | {1000 * ours[0]:.3g} | {' | '.join(cells)} | {'yes' if agree else 'NO'} |",
                      flush=True)
            growler.close()


def build(options, table, index_dir):
    config = pathlib.Path(__file__).with_name("indexes.json")
    command = [options.growler, "index", "--table", f"t={table}", "--config", config, "--index-dir", index_dir]
    subprocess.run(command, check=True)
    print(flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker", required=True)
    parser.add_argument("--data", type=pathlib.Path, default=DEFAULT_DATA)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--indexed", action="store_true", help="with the indexes of indexes.json")
    parser.add_argument("--times", type=int, default=10, help="how often each file counts when indexed")
    parser.add_argument("--growler", help="the binary that builds indexes")
    options = parser.parse_args()
    if not options.data.is_dir():
        raise SystemExit(f"no bench tables: give --data a folder with {', '.join(LAYOUTS)} and flat: path={options.data}")
    if options.indexed:
        compare_indexed(options)
        return
    flat = DuckDb(options.data / "flat", options.threads)
    print("CPU seconds of the best run; ratio = DuckDB / growler; flat = DuckDB over the same rows as plain columns.\n")
    print("| layout | query | growler | DuckDB | ratio | DuckDB flat | ratio | wall ratio | same answer |")
    print("| - | - | - | - | - | - | - | - | - |")
    for layout in LAYOUTS:
        growler = Growler(options.worker, options.data / layout, options.threads)
        variant = DuckDb(options.data / layout, options.threads)
        for name, sql, variant_sql, flat_sql in QUERIES:
            ours, theirs, agree = compare(growler, variant, sql, variant_sql, options.runs)
            plain = best([flat.run(flat_sql) for _ in range(options.runs)])
            print(f"| {layout} | {name} | {ours[0]:.4f} | {theirs[0]:.3f} | {theirs[0] / ours[0]:.0f}x "
                  f"| {plain[0]:.4f} | {plain[0] / ours[0]:.1f}x | {theirs[1] / ours[1]:.0f}x | {'yes' if agree else 'NO'} |",
                  flush=True)
        growler.close()
        part = peak_rss_of_one_file(options, layout)
        print(f"| {layout} | peak RSS of growler, one file / all | {part:.0f} / {growler.peak_rss_mib:.0f} MiB "
              "| | | | | | |", flush=True)


main()
