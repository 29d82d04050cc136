"""Reads rows, nulls, JSON documents and errors from a running server through pinotdb."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from pinotdb import connect
from pinotdb.exceptions import DatabaseError

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = {
    "events": "testdata/spark/seed4_typed.parquet",
    "events_unshredded": "testdata/duckdb/seed4_none.parquet",
    "perfile": "testdata/spark/perfile",
}
PASSED = 0


def check(name, actual, expected):
    global PASSED
    if actual != expected:
        sys.exit(f"{name}: expected {expected!r}, got {actual!r}")
    PASSED += 1


def start(binary, folder):
    tables = [{"tableName": name, "source": {"path": str(ROOT / path)}} for name, path in TABLES.items()]
    config = {"listen": "127.0.0.1:0", "dataDir": str(folder / "data"), "tables": tables}
    path = folder / "server.json"
    path.write_text(json.dumps(config))
    command, quiet = [binary, "serve", "--config", str(path)], {**os.environ, "RUST_LOG": "warn"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=quiet)
    for line in server.stdout:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if found:
            return server, int(found.group(1))
    sys.exit(f"the server ended before it listened, code {server.wait()}")


def http(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def check_queries(port):
    connection = connect(host="127.0.0.1", port=port, path="/query/sql", scheme="http")
    cursor = connection.cursor()

    def rows(sql, **options):
        cursor.execute(sql, **options)
        return [list(row) for row in cursor]

    check("count", rows("SELECT COUNT(*) FROM events"), [[4]])
    check("key", rows("SELECT user_id FROM events WHERE props['page_type'] = 'HOME'"), [["u-0"]])
    check(
        "null in a cell",
        rows("SELECT user_id, props['latency_ms'] FROM events ORDER BY user_id"),
        [["u-0", 100], ["u-1", 110], ["u-4", None], ["u-5", None]],
    )
    check(
        "null handling",
        rows("SET enableNullHandling = true; SELECT MIN(props['latency_ms']), COUNT(props['latency_ms']) FROM events"),
        [[100.0, 2]],
    )
    for table in ("events", "events_unshredded"):
        [[document]] = rows(f"SELECT props FROM {table} WHERE user_id = 'u-0'")
        check(f"document of {table}", (document["device"], document["tags"]), ({"os": "ios"}, ["t0", "common"]))
    check(
        "groups over files shredded differently",
        rows("SELECT props['page_type'] AS page, COUNT(*) AS n FROM perfile GROUP BY page ORDER BY n DESC, page"),
        [["HOME", 17], ["SEARCH", 17], ["CART", 16]],
    )
    check("columns", [column[0] for column in cursor.description], ["page", "n"])
    check("no rows", rows("SELECT user_id FROM events WHERE user_id = 'nobody'"), [])
    for sql, code in (("SELECT nope FROM events", 710), ("SELEC 1", 150), ("SELECT 1 + FROM events", 150)):
        try:
            rows(sql)
            sys.exit(f"{sql}: an error was expected")
        except DatabaseError as error:
            check(sql, str(code) in str(error), True)


def check_controller(port):
    check("health", http(port, "/health"), (200, "OK"))
    status, body = http(port, "/tables")
    check("tables", (status, sorted(json.loads(body)["tables"])), (200, sorted(TABLES)))
    status, body = http(port, "/schemas/events")
    [props] = json.loads(body)["complexFieldSpecs"]
    check("schema", (status, props["name"], props["dataType"], props["childFieldSpecs"]), (200, "props", "OPEN_STRUCT", {}))
    status, body = http(port, "/segments/perfile")
    [segments] = json.loads(body)
    check("segments", (status, len(segments["OFFLINE"])), (200, 5))
    check("metrics", http(port, "/metrics")[0], 200)
    check("unknown table", http(port, "/tables/nope/schema")[0], 404)


def main():
    with tempfile.TemporaryDirectory() as folder:
        server, port = start(sys.argv[1], pathlib.Path(folder))
        try:
            check_queries(port)
            check_controller(port)
        finally:
            server.terminate()
        check("exit code after a graceful stop", server.wait(timeout=30), 0)
    print(f"{PASSED} passed, 0 failed")


main()
