"""Writes the rows of one seed as Parquet: plain columns, and the same rows as VARIANT documents."""

import datetime
import decimal
import json
import math
import random

# Column: DuckDB's type, Pinot's type, the default null value as DuckDB writes it.
COLUMNS = {
    "i": ("INTEGER", "INT", "(-2147483648)"),
    "l": ("BIGINT", "LONG", "(-9223372036854775808)::BIGINT"),
    "d": ("DOUBLE", "DOUBLE", "'-inf'::DOUBLE"),
    "n": ("DECIMAL(12,3)", "BIG_DECIMAL", "0.000::DECIMAL(12,3)"),
    "b": ("BOOLEAN", "BOOLEAN", "FALSE"),
    "t": ("TIMESTAMP", "TIMESTAMP", "TIMESTAMP '1970-01-01 00:00:00'"),
    "s": ("VARCHAR", "STRING", "'null'"),
    "z": ("VARCHAR", "STRING", "'null'"),
    "k": ("VARCHAR", "STRING", "'null'"),
    "g": ("INTEGER", "INT", "(-2147483648)"),
    "f": ("FLOAT", "FLOAT", "'-inf'::FLOAT"),
    "o": ("BIGINT", "LONG", "(-9223372036854775808)::BIGINT"),
}
# Columns of many values, which only the plain table has.
LISTS = {"q": ("INTEGER[]", "[-2147483648]"), "r": ("VARCHAR[]", "['null']")}
REQUIRED = ("k", "g")
FIRST_FILE = 70
ABSENT = ("n", "z")
# What survives a trip through JSON as the same value.
JSON_KEYS = ("i", "l", "b", "s", "z", "k", "g", "o")

INTS = [0, 1, -1, 2, 3, 7, 10, 42, -5, 100, 2147483647, -2147483648]
LONGS = [0, 1, -1, 3, 10, 2**31, -(2**31) - 1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 1700000000000]
DOUBLES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.25, 3.0, 10.0, 100.75, 1e10, -1e10, math.nan, math.inf, -math.inf]
DECIMALS = [decimal.Decimal(text) for text in ("0.000", "1.000", "-1.500", "2.250", "3.000", "10.000", "-0.001", "999999999.999")]
TEXTS = ["", "a", "A", "b", "ab", "aB%", "a_b", "null", "it's", 'q"uote', "back\\slash", "é", "É", "日本", "🐻", "x y", "0", "10", "true", " lead"]
DIGITS = ["0", "1", "7", "10", "42", "-5", "100"]
TIMES = [
    datetime.datetime(1970, 1, 1),
    datetime.datetime(1969, 12, 31, 23, 59, 59, 999999),
    datetime.datetime(2024, 2, 29, 12, 30, 0),
    datetime.datetime(2024, 2, 29, 12, 30, 0, 500000),
    datetime.datetime(2025, 9, 23, 17, 38, 0, 123456),
    datetime.datetime(2001, 1, 1),
]
POOLS = {
    "i": INTS, "l": LONGS, "d": DOUBLES, "n": DECIMALS, "b": [True, False], "t": TIMES,
    "s": TEXTS, "z": DIGITS, "k": ["red", "green", "blue", "Red"], "g": [1, 2, 3, 4, 5],
    "f": [0.0, -0.0, 0.5, -2.25, 100.75, 3.0, math.nan, math.inf, -math.inf],
}


def make_rows(rng, count):
    """Runs of rows differ in what their columns hold, so that row groups and pages differ."""
    rows = []
    quiet, pools = set(), POOLS
    for number in range(count):
        if number % 50 == 0:
            quiet = {name for name in COLUMNS if name not in REQUIRED and rng.random() < 0.15}
            pools = {name: rng.sample(pool, rng.randint(1, len(pool))) for name, pool in POOLS.items()}
        row = [number]
        for name in COLUMNS:
            is_null = name not in REQUIRED and (name in quiet or rng.random() < 0.1)
            # The first file has no such columns.
            is_null = is_null or number < FIRST_FILE and name in ABSENT
            # One column ascends: statistics of row groups and pages tell its values apart.
            row.append(None if is_null else number // 10 if name == "o" else rng.choice(pools[name]))
        for pool in (pools["g"], pools["s"]):
            row.append(None if rng.random() < 0.1 else rng.choices(pool, k=rng.choice([0, 1, 1, 2, 3])))
        rows.append(row)
    return rows


# Values of many types under one key.
MIXED = (
    "(CASE id % 12 WHEN 0 THEN i::VARIANT WHEN 1 THEN s::VARIANT WHEN 2 THEN d::VARIANT WHEN 3 THEN n::VARIANT "
    "WHEN 4 THEN b::VARIANT WHEN 5 THEN t::VARIANT WHEN 6 THEN [1, i]::VARIANT WHEN 7 THEN {'a': i, 'b': s}::VARIANT "
    "WHEN 8 THEN l::VARIANT WHEN 9 THEN (t::DATE)::VARIANT WHEN 10 THEN z::VARIANT END)"
)
MIXED_TYPES = ("STRING", "INT", "LONG", "DOUBLE", "FLOAT", "BIG_DECIMAL", "BOOLEAN", "TIMESTAMP", "JSON")
SHREDDINGS = {
    "none": "'VARIANT'",
    "typed": "'STRUCT(" + ", ".join(f"{name} {COLUMNS[name][0]}" for name in COLUMNS) + ", m BIGINT, w STRUCT(x INTEGER, y STRUCT(z VARCHAR)))'",
    "part": "'STRUCT(i INTEGER, d DOUBLE, s VARCHAR, g INTEGER, o BIGINT, m DOUBLE, w STRUCT(x INTEGER))'",
    "wrong": "'STRUCT(i BIGINT, l INTEGER, d VARCHAR, s INTEGER, k VARCHAR, m VARCHAR, w STRUCT(x VARCHAR, y STRUCT(z VARCHAR)))'",
}


def write_tables(duck, seed, folder):
    """Makes DuckDB's table `r` and the Parquet tables; returns each one's folder and keys."""
    rng = random.Random(seed)
    sizes = [FIRST_FILE, 2200, 0, 1, 230]
    rows = make_rows(rng, sum(sizes))
    types = ", ".join(
        f"{name} {kind[0]}{' NOT NULL' if name in REQUIRED else ''}" for name, kind in COLUMNS.items()
    )
    lists = ", ".join(f"{name} {kind[0]}" for name, kind in LISTS.items())
    duck.execute(f"CREATE TABLE r (id INTEGER NOT NULL, {types}, {lists})")
    marks = ", ".join("?" * (len(COLUMNS) + len(LISTS) + 1))
    duck.execute("BEGIN")
    duck.executemany(f"INSERT INTO r VALUES ({marks})", rows)
    duck.execute("COMMIT")

    packed = ", ".join(f"{name} := {name}" for name in COLUMNS)
    # A missing key, not a JSON null, in every other row.
    as_json = ", ".join(f"{name} := {name}" for name in JSON_KEYS)
    forms = {
        "plain": f"SELECT id, {', '.join((*COLUMNS, *LISTS))} FROM r",
        "first": f"SELECT id, {', '.join(name for name in (*COLUMNS, *LISTS) if name not in ABSENT)} FROM r",
        "narrow": f"SELECT id, {', '.join((*COLUMNS, *LISTS))} FROM (SELECT * REPLACE (o::INTEGER AS o) FROM r)",
        "packed": f"SELECT id, struct_pack({packed}, m := {MIXED}, w := {{'x': i, 'y': {{'z': s}}}})::VARIANT AS p FROM r",
        "json": f"SELECT id, (CASE WHEN id % 2 = 0 THEN to_json(struct_pack({as_json})) ELSE "
        f"json_merge_patch('{{}}'::JSON, to_json(struct_pack({as_json}))) END)::VARIANT AS p FROM r",
    }
    tables = {}

    def write(table, form, shreddings):
        place = folder / table
        place.mkdir()
        low = 0
        for number, size in enumerate(sizes):
            options = "FORMAT parquet, ROW_GROUP_SIZE 2048"
            shredding = SHREDDINGS.get(shreddings[number % len(shreddings)])
            if form != "plain" and shredding:
                options += f", SHREDDING {{p: {shredding}}}"
            if number % 2:
                options += ", PARQUET_VERSION v2"
            where = f"WHERE id >= {low} AND id < {low + size} ORDER BY id"
            target = place / f"part-{number}.parquet"
            shape = form
            if form == "plain":
                shape = {0: "first", 3: "narrow"}.get(number, form)
            duck.execute(f"COPY ({forms[shape]} {where}) TO '{target}' ({options})")
            low += size
        keys = set(JSON_KEYS if form == "json" else COLUMNS)
        keys |= set(LISTS if form == "plain" else ())
        tables[table] = (place, form, keys)

    write("plain", "plain", ["none"])
    write("v_none", "packed", ["none"])
    write("v_typed", "packed", ["typed"])
    write("v_part", "packed", ["part"])
    write("v_wrong", "packed", ["wrong"])
    write("v_mixed", "packed", ["typed", "infer", "none", "wrong", "part"])
    write("j_none", "json", ["none"])
    write("j_infer", "json", ["infer"])
    write("j_typed", "json", ["typed"])
    # Keys whose types nobody declares.
    write("u_none", "packed", ["none"])
    write("u_typed", "packed", ["typed"])
    write("u_mixed", "packed", ["typed", "infer", "none", "wrong", "part"])
    return tables


def table_config(name, place, form, mixed="STRING"):
    config = {"tableName": name, "source": {"path": str(place)}}
    if form != "plain" and not name.startswith("u_"):
        types = {key: kind[1] for key, kind in COLUMNS.items()}
        types |= {"m": mixed, "w.x": "LONG", "w.y.z": "STRING", "w": "STRING"}
        children = {key: {"name": key, "dataType": name} for key, name in types.items()}
        props = {"name": "p", "dataType": "OPEN_STRUCT", "fieldType": "COMPLEX", "childFieldSpecs": children}
        config["schema"] = {
            "schemaName": name,
            "dimensionFieldSpecs": [{"name": "id", "dataType": "INT"}],
            "complexFieldSpecs": [props],
        }
    return config


def server_config(tables, folder):
    configs = [table_config(name, place, form) for name, (place, form, _) in tables.items()]
    for mixed in MIXED_TYPES:
        packed = [(name, place, form) for name, (place, form, _) in tables.items() if name[0] == "v"]
        configs += [table_config(f"{mixed}_{name}", place, form, mixed) for name, place, form in packed]
    path = folder / "server.json"
    path.write_text(json.dumps({"listen": "127.0.0.1:0", "tables": configs}))
    return path
