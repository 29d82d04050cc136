"""Asks a running server random queries and compares the answers with DuckDB's.

The rows lie in several layouts: plain columns, and VARIANT documents shredded in different ways.
Each query is asked of some of them, with null handling on and off.
"""

import argparse
import datetime
import decimal
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import http.client

import duckdb

import oracle_fuzz
from oracle_queries import MACROS, expand_duck, expand_pinot, make_list_query, make_loose_query, make_query, used_columns
from oracle_tables import MIXED_TYPES, server_config, write_tables


class Server:
    def __init__(self, binary, config, log):
        command = [binary, "serve", "--config", str(config), "--threads", "2"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                self.connection = None
                return
        sys.exit(f"the server ended before it listened, code {self.process.wait()}")

    def ask(self, sql, options=""):
        """Returns the status and the parsed body."""
        return self.send("POST", "/query/sql", json.dumps({"sql": sql, "queryOptions": options}))

    def send(self, method, path, body):
        """Returns the status and the parsed body; asks again when the server closed the connection."""
        for attempt in (0, 1):
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            try:
                self.connection.request(method, path, body, {"Content-Type": "application/json"})
                answer = self.connection.getresponse()
                text = answer.read()
                return answer.status, json.loads(text) if text[:1] == b"{" else {"text": text.decode()}
            except (ConnectionError, http.client.HTTPException):
                self.connection = None
                if attempt:
                    raise

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=30)


def time_text(value):
    """As java.sql.Timestamp writes it."""
    return value.strftime("%Y-%m-%d %H:%M:%S.") + (f"{value.microsecond:06}".rstrip("0") or "0")


def same(actual, expected):
    """Compares a cell of an answer with DuckDB's value."""
    if expected is None or actual is None:
        return actual is expected
    if isinstance(expected, list):
        return isinstance(actual, list) and len(actual) == len(expected) and all(map(same, actual, expected))
    if isinstance(expected, datetime.datetime):
        return actual == time_text(expected)
    if isinstance(expected, (bool, str)):
        return type(actual) is type(expected) and actual == expected
    if isinstance(actual, bool):
        return False
    try:
        if isinstance(expected, float) or isinstance(actual, float):
            actual, expected = float(actual), float(expected)
            if math.isnan(expected):
                return math.isnan(actual)
            return actual == expected or math.isclose(actual, expected, rel_tol=1e-9)
        return decimal.Decimal(actual) == decimal.Decimal(expected)
    except (ValueError, decimal.InvalidOperation):
        return False


def same_rows(actual, expected):
    return len(actual) == len(expected) and all(
        len(a) == len(e) and all(map(same, a, e)) for a, e in zip(actual, expected)
    )


class Oracle:
    def __init__(self, server, duck, tables):
        self.server, self.duck, self.tables = server, duck, tables
        self.counts = {"queries": 0, "answers compared": 0, "explained": 0, "beyond DuckDB": 0}
        self.faults = []

    def fault(self, what, sql, detail):
        self.faults.append(what)
        print(f"--- {what}\n{sql}\n{detail}", flush=True)

    def rows(self, sql, options=""):
        status, answer = self.server.ask(sql, options)
        if status != 200 or answer["exceptions"]:
            return None, f"{status} {answer.get('exceptions', answer)}"
        return answer["resultTable"]["rows"], None

    def expected(self, duck, null_handling, form):
        try:
            return self.duck.execute(expand_duck(duck, null_handling, form)).fetchall()
        except (duckdb.OutOfRangeException, duckdb.ConversionException, duckdb.InvalidInputException):
            return None

    def check(self, seed, query, tables):
        pinot, on, off = query
        self.counts["queries"] += 1
        columns = used_columns(pinot)
        known = {}
        for name in tables:
            _, form, keys = self.tables[name]
            if not columns <= keys:
                continue
            sql = expand_pinot(pinot, form).replace("@table", name)
            for null_handling, duck in ((True, on), (False, off)):
                if duck is None:
                    continue
                layout = "plain" if form == "plain" else "document"
                if (null_handling, layout) not in known:
                    known[null_handling, layout] = self.expected(duck, null_handling, form)
                expected = known[null_handling, layout]
                if expected is None:
                    self.counts["beyond DuckDB"] += 1
                    continue
                options = f"enableNullHandling={str(null_handling).lower()};timeoutMs=60000"
                if seed % 3 == 0:
                    options += ";maxExecutionThreads=1"
                actual, error = self.rows(sql, options)
                self.counts["answers compared"] += 1
                mode = "on" if null_handling else "off"
                if error:
                    self.fault(f"error, seed {seed}, table {name}, null handling {mode}", sql, error)
                elif not same_rows(actual, expected):
                    detail = difference(actual, expected) + f"\nDuckDB: {expand_duck(duck, null_handling, form)}"
                    self.fault(f"wrong answer, seed {seed}, table {name}, null handling {mode}", sql, detail)
            _, error = self.rows("EXPLAIN PLAN FOR " + sql, f"enableNullHandling={'true' if seed % 2 else 'false'}")
            self.counts["explained"] += 1
            if error:
                self.fault(f"explain failed, seed {seed}, table {name}", sql, error)

    def check_documents(self):
        """The document is the same text in every layout."""
        for group in (("v_none", "v_typed", "v_part", "v_wrong", "v_mixed"), ("j_none", "j_infer", "j_typed")):
            known = None
            for name in group:
                rows, error = self.rows(f"SELECT id, p FROM {name} ORDER BY id LIMIT 100000", "timeoutMs=60000")
                self.counts["answers compared"] += 1
                known = known or rows
                if error or rows != known:
                    detail = error or difference(rows, known)
                    self.fault(f"documents of {name}", "SELECT id, p", detail)


    def check_mixed_types(self):
        """A key of many types, and keys in nested objects, read alike in every layout."""
        group = ("v_none", "v_typed", "v_part", "v_wrong", "v_mixed")
        queries = ["SELECT id, p['m'] FROM @table", "SELECT id, p['w'], p['w.x'], p['w.y.z'], p['w.y'] FROM @table"]
        queries += [
            "SELECT p['m'], COUNT(*), MIN(id) FROM @table GROUP BY p['m']",
            "SELECT id FROM @table WHERE p['m'] IS NULL",
            "SELECT id FROM @table WHERE p['w.x'] > 5 OR p['w.y.z'] = 'a' OR p['w.y'] IS NULL",
            "SELECT id, p['m'] FROM @table ORDER BY p['m'] DESC, id",
        ]
        for mixed in MIXED_TYPES:
            compared = {"BOOLEAN": "= true", "TIMESTAMP": "> '2001-01-01 00:00:00'", "STRING": "> 'a'", "JSON": "> 'a'"}
            for sql in [*queries, f"SELECT id FROM @table WHERE p['m'] {compared.get(mixed, '> 1')}"]:
                for mode in ("true", "false"):
                    known = None
                    for name in group:
                        asked = sql.replace("@table", f"{mixed}_{name}") + " LIMIT 100000"
                        options = f"enableNullHandling={mode};timeoutMs=60000"
                        rows, error = self.rows(asked, options)
                        self.counts["answers compared"] += 1
                        known = known or rows
                        if error or not same_rows(rows, known):
                            self.fault(f"layout shows, null handling {mode}", asked, error or difference(rows, known))


def difference(actual, expected):
    lines = [f"{len(actual)} rows, expected {len(expected)}"]
    differing = [
        (idx, a, e)
        for idx, (a, e) in enumerate(zip(actual, expected))
        if len(a) != len(e) or not all(map(same, a, e))
    ]
    for idx, a, e in differing[:3]:
        lines.append(f"row {idx}: {a}, expected {list(e)}")
    if not differing:
        shorter = min(len(actual), len(expected))
        lines.append(f"then: {actual[shorter:][:2]}, expected {expected[shorter:][:2]}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fuzz", type=int, default=None, help="mutated statements; half as many as queries unless given")
    parser.add_argument("--tables", type=int, default=1, help="layouts that each query is asked of, besides plain columns")
    parser.add_argument("--lists", action="store_true", help="queries over columns of many values only")
    parser.add_argument("--mixed", action="store_true", help="also compare keys of many types between layouts")
    arguments = parser.parse_args()
    started = time.monotonic()
    duck = duckdb.connect()
    duck.execute("SET threads = 1")
    duck.execute("SET order_by_non_integer_literal = true")
    for macro in MACROS:
        duck.execute(macro)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        folder = pathlib.Path(folder)
        tables = write_tables(duck, arguments.seed, folder)
        server = Server(arguments.binary, server_config(tables, folder), log)
        try:
            oracle = Oracle(server, duck, tables)
            oracle.check_documents()
            if arguments.mixed:
                oracle.check_mixed_types()
            for number in range(arguments.queries):
                seed = arguments.seed * 1_000_000 + number
                rng = random.Random(seed)
                if arguments.lists:
                    oracle.check(seed, make_list_query(rng), ["plain"])
                    continue
                query = make_query(rng)
                layouts = rng.sample([name for name in tables if name[0] in "vj"], k=arguments.tables)
                oracle.check(seed, query, ["plain", *layouts])
                if number % 4 == 1:
                    oracle.check(seed, make_list_query(rng), ["plain"])
                if number % 4 == 0:
                    layouts = rng.sample(["u_none", "u_typed", "u_mixed", "v_mixed"], k=arguments.tables)
                    oracle.check(seed, make_loose_query(rng), ["plain", *layouts])
            count = arguments.queries // 2 if arguments.fuzz is None else arguments.fuzz
            oracle_fuzz.run(oracle, arguments.seed, count)
        finally:
            if server.process.poll() is not None:
                log.seek(0)
                print(log.read().decode(errors="replace")[-4000:])
                sys.exit(f"the server ended, code {server.process.returncode}")
            code = server.stop()
    if code:
        sys.exit(f"the server stopped with code {code}")
    counts = ", ".join(f"{count} {what}" for what, count in oracle.counts.items())
    print(f"{counts}; {len(oracle.faults)} faults; {time.monotonic() - started:.0f} s")
    sys.exit(1 if oracle.faults else 0)


main()
