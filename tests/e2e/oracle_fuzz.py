"""Statements made of valid ones by changing tokens: each gets rows or an error of Pinot's, quickly."""

import random
import re
import time

from oracle_queries import expand_pinot, make_query

# Codes of query errors that a statement alone can cause.
CODES = {150, 190, 200, 246, 250, 700, 710, 720}
TOKENS = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|\d+\.\d+|\w+|[<>!]=|<>|[^\s\w]")
SPARE = (
    "( ) , ' \" [ ] * + - / % ; . .. -- /* = <> != < > <= >= || :: $ @ # ? \\ NULL TRUE NOT AND OR IN BETWEEN LIKE "
    "IS CASE WHEN THEN ELSE END CAST AS SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET DISTINCT FILTER OVER "
    "UNION JOIN WITH EXPLAIN SET OPTION INTERVAL EXTRACT COUNT SUM MIN MAX AVG ARRAY_AGG JSON_EXTRACT_SCALAR "
    "JSON_MATCH REGEXP_LIKE DATETRUNC PERCENTILE PERCENTILETDIGEST DISTINCTCOUNTHLL LASTWITHTIME TO_DATE ITEM "
    "0 1 -1 2147483648 9223372036854775808 99999999999999999999999999999999999999999 1e400 1e-400 0x1F 1.5 '' 'a' "
    "'%' '$.a' 'INT' 'STRING' ' é🐻' i l d n b t s z k g p id p['i'] p[''] p['a.b.c'] p[1] nope $docId $segmentName plain"
).split(" ")
# Tokens that may stand for one another in a statement that still parses.
CLASSES = [
    "i l d n b t s z k g f o id".split(),
    "= <> < > <= >=".split(),
    "+ - * / %".split(),
    "AND OR".split(),
    "COUNT SUM MIN MAX AVG SUMLONG MINLONG MAXLONG STDDEV_POP BOOL_AND DISTINCTSUM MINMAXRANGE MODE DISTINCTCOUNT "
    "DISTINCTCOUNTHLL PERCENTILETDIGEST50 MINSTRING MAXSTRING VAR_SAMP SUMPRECISION".split(),
    "ABS LENGTH UPPER LOWER TRIM REVERSE FLOOR CEIL SIGN YEAR MONTH HOUR WEEK SQRT LN EXP MD5 TOEPOCHDAYS ISJSON "
    "FROMEPOCHDAYS TOTIMESTAMP TOUTF8 TOBASE64 CHR CODEPOINT JSONFORMAT CARDINALITY COALESCE".split(),
    "STRPOS CONCAT STARTSWITH CONTAINS REPLACE SUBSTR SUBSTRING SPLIT LPAD REPEAT REGEXP_LIKE REGEXPREPLACE ROUND POWER "
    "INTDIV NULLIF LEAST GREATEST ROUNDDECIMAL DATETRUNC TODATETIME JSONPATHSTRING DATEADD LEFT MOD".split(),
    "INT LONG DOUBLE STRING BOOLEAN TIMESTAMP FLOAT BIG_DECIMAL BYTES JSON".split(),
    "ASC DESC".split(),
]
VALUES = (
    "0 1 -1 2.5 1e400 -1e308 1e-320 2147483648 9223372036854775807 9223372036854775808 -9223372036854775808 "
    "99999999999999999999999999999999999999999 '' 'a' '1' 'x' '%' '\\' '2024-02-30' '2024-02-29 12:30:00' 'null' "
    "'NaN' '🐻' '[(' true false NULL 1000000000 '9999-12-31 23:59:59' '-300000-01-01 00:00:00'"
).split(" ")
IS_VALUE = re.compile(r"'.*'|\d+(\.\d+)?|true|false|NULL", re.S)
NESTED = ("(", "NOT ", "-", "CASE WHEN ", "ABS(", "(SELECT ", "i + ", "i AND ", "p[")


def mutated(rng, sql):
    if rng.random() < 0.02:
        return f"SELECT {rng.choice(NESTED) * rng.choice([10, 100, 1000, 20000])}i FROM plain"
    tokens = TOKENS.findall(sql)
    if rng.random() < 0.7:
        return " ".join(swapped(rng, tokens))
    for _ in range(rng.choice([1, 1, 2, 3, 6])):
        at = rng.randrange(len(tokens))
        change = rng.randrange(6)
        if change == 0:
            del tokens[at : at + rng.choice([1, 1, 3])]
        elif change == 1:
            tokens.insert(at, rng.choice(SPARE))
        elif change == 2:
            tokens[at] = rng.choice(SPARE)
        elif change == 3:
            other = rng.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif change == 4:
            tokens[at:at] = tokens[at : at + rng.choice([1, 5, 20])]
        else:
            text = tokens[at]
            cut = rng.randrange(len(text) + 1)
            tokens[at] = text[:cut] + rng.choice(["", "'", "\0", "\u202e", "é", "9", "%", "\\"]) + text[cut:]
        if not tokens:
            return ""
    return " ".join(tokens)


def swapped(rng, tokens):
    """Replaces tokens by others of their class: types, ranges and arguments go wrong, not grammar."""
    rate = rng.choice([0.05, 0.15, 0.4])
    for idx, token in enumerate(tokens):
        if rng.random() >= rate:
            continue
        bare = token.strip("'")
        is_key = idx > 0 and tokens[idx - 1] == "["
        for members in CLASSES:
            if (bare if is_key else token) in members:
                new = rng.choice(members)
                tokens[idx] = f"'{new}'" if is_key else new
                break
        else:
            if IS_VALUE.fullmatch(token) and not is_key:
                tokens[idx] = rng.choice(VALUES)
    return tokens


BODIES = [
    b"", b"null", b"[]", b"{}", b"{", b'"SELECT 1"', b"\xff\xfe", b'{"sql": 5}', b'{"sql": null}', b'{"sql": ["SELECT 1"]}',
    b'{"sql": ""}', b'{"sql": " \\u0000 "}', b'{"sql": "SELECT 1", "queryOptions": 7}', b'{"sql": "SELECT 1", "queryOptions": "="}',
    b'{"sql": "SELECT 1", "queryOptions": "timeoutMs=99999999999999999999"}', b'{"sql": "SELECT 1", "trace": "maybe"}',
    b'{"sql": "SELECT 1", "sql": "SELECT 2"}', b"[" * 100_000, b'{"a":' * 50_000, b'{"sql": "' + b"x" * 3_000_000 + b'"}',
    b'{"sql": "SELECT \\ud800"}', b'{"sql": "SELECT 1; SELECT 2"}', b'{"sql": "SET timeoutMs = 0; SELECT 1"}',
]
PATHS = ["/query/sql?sql=", "/query/sql?sql=%ff", "/query/sql?sql=SELECT%201&queryOptions=%00", "/query/sql?" + "a=b&" * 5000, "/query/%2e%2e/sql", "/tables/%27%22", "/schemas/%ff"]


def check_requests(oracle):
    """Requests that are no queries are the client's fault, or have an error's code."""
    requests = [("POST", "/query/sql", body) for body in BODIES] + [("GET", path, None) for path in PATHS]
    for method, path, body in requests:
        status, answer = oracle.server.send(method, path, body)
        oracle.counts["hostile requests"] = oracle.counts.get("hostile requests", 0) + 1
        if status == 200 and answer.get("exceptions"):
            if not {exception["errorCode"] for exception in answer["exceptions"]} <= CODES:
                oracle.fault(f"hostile request, {method} {path[:100]}", str(body)[:200], answer)
        elif not 200 <= status < 500:
            oracle.fault(f"hostile request, status {status}, {method} {path[:100]}", str(body)[:200], answer)


def run(oracle, seed, count):
    counts = oracle.counts
    check_requests(oracle)
    counts["mutated statements"], counts["of them answered"] = 0, 0
    for number in range(count):
        rng = random.Random(seed * 7_000_003 + number)
        name = rng.choice(sorted(oracle.tables))
        form = oracle.tables[name][1]
        sql = mutated(rng, expand_pinot(make_query(rng)[0], form).replace("@table", name))
        if rng.random() < 0.1:
            sql = rng.choice(["EXPLAIN PLAN FOR ", "SET explainPlanVerbose = true; EXPLAIN PLAN FOR ", "SET timeoutMs = 1; "]) + sql
        options = f"enableNullHandling={rng.choice(['true', 'false'])};timeoutMs=20000"
        started = time.monotonic()
        status, answer = oracle.server.ask(sql, options)
        took = time.monotonic() - started
        counts["mutated statements"] += 1
        codes = {exception["errorCode"] for exception in answer.get("exceptions", [])}
        if status != 200 or not codes <= CODES:
            oracle.fault(f"status {status}, mutated statement {number}", sql[:2000], answer)
        elif took > 15:
            oracle.fault(f"{took:.1f} s, mutated statement {number}", sql[:2000], codes)
        counts["of them answered"] += not codes
