"""Has other engines read back what growler wrote, and compares value by value."""

import decimal
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import duckdb

WRITER = sys.argv[1]
WITH_SPARK = "--spark" in sys.argv[2:]
NAMES = ["a", "b", "k", "k.x", "ключ", "😀", 'q"uote', "it's", "A", "\ue000", "o", "tags"]
TEXTS = ["", "x", "null", "zebra", "ünï", 'a"b', "line\nbreak", "y" * 80]


def number(text):
    return decimal.Decimal(text)


def any_value(rng, depth):
    kind = rng.randrange(10 if depth else 7)
    if kind == 0:
        return None
    if kind == 1:
        return rng.random() < 0.5
    if kind in (2, 3):
        return number(rng.choice(["0", "-1", "127", "300", "-70000", "5000000000", "9223372036854775807"]))
    if kind == 4:
        return number(rng.choice(["1.50", "-0.001", "12345678901234567890.5", "3.25", "100.00"]))
    if kind in (5, 6):
        return rng.choice(TEXTS)
    if kind == 7:
        return [any_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {name: any_value(rng, depth - 1) for name in rng.sample(NAMES, rng.randrange(5))}


def document(rng):
    fields = {name: any_value(rng, 3) for name in NAMES if rng.random() < 0.6}
    # Keys of one type, so that shredding finds something.
    fields["id"] = number(rng.randrange(1000))
    fields["device"] = {"os": rng.choice(["ios", "android"]), "v": number(rng.randrange(30)), "z": any_value(rng, 1)}
    if rng.random() < 0.03:
        fields.update({f"f{at:03}": number(at) for at in range(300)})
    return fields


def to_json(value):
    """Keeps the digits of decimals, which floats would not."""
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(k) + ":" + to_json(v) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(to_json, value)) + "]"
    return str(value) if isinstance(value, decimal.Decimal) else json.dumps(value)


def parse(text):
    return json.loads(text, parse_float=decimal.Decimal, parse_int=decimal.Decimal)


def write(*arguments):
    subprocess.run([WRITER, *map(str, arguments)], check=True)


def compare(found, expected, what):
    if len(found) != len(expected):
        sys.exit(f"{what}: {len(found)} rows instead of {len(expected)}")
    for row, (a, b) in enumerate(zip(found, expected)):
        if a != b:
            sys.exit(f"{what}: row {row}\n   found {to_json(a)}\nexpected {to_json(b)}")


def one(sql):
    return duckdb.sql(sql).fetchall()[0]


def check_documents(folder, spark):
    rng = random.Random(7)
    rows = [None if rng.random() < 0.05 else document(rng) for _ in range(400)]
    source = folder / "rows.jsonl"
    source.write_text("".join(("" if row is None else to_json(row)) + "\n" for row in rows))
    count = 0
    for shape in ("none", "infer"):
        for row_group_rows in (100000, 64):
            path = folder / f"{shape}-{row_group_rows}.parquet"
            write("json", source, path, shape, row_group_rows)
            what = f"{shape}, row groups of {row_group_rows}"
            found = duckdb.sql(f"SELECT v::JSON FROM '{path}' ORDER BY id").fetchall()
            found = [None if text is None else parse(text) for (text,) in found]
            compare(found, rows, f"DuckDB, {what}")
            (kind,) = one(f"SELECT typeof(v) FROM '{path}' LIMIT 1")
            if kind != "VARIANT":
                sys.exit(f"{what}: the column is read as {kind}")
            (typed,) = one(f"SELECT count(*) FROM parquet_schema('{path}') WHERE name = 'typed_value'")
            if (typed > 0) != (shape == "infer"):
                sys.exit(f"{what}: {typed} typed columns")
            # One key, read by itself.
            keys = duckdb.sql(f"SELECT variant_extract(v, 'id')::BIGINT FROM '{path}' ORDER BY id").fetchall()
            compare([k for (k,) in keys], [None if r is None else int(r["id"]) for r in rows], f"DuckDB key, {what}")
            if spark:
                table = spark.read.parquet(str(path)).orderBy("id").selectExpr("to_json(v)")
                found = [None if text is None else parse(text) for (text,) in table.collect()]
                compare(found, rows, f"Spark, {what}")
            count += len(rows)
    return count


TYPES = {
    "true": ("BOOL_TRUE", "true"), "false": ("BOOL_FALSE", "false"),
    "int8": ("INT8", "-8"), "int16": ("INT16", "-1600"), "int32": ("INT32", "-320000"),
    "int64": ("INT64", "-9223372036854775808"),
    "float": ("FLOAT", "1.5"), "double": ("DOUBLE", "-0.1"),
    "decimal4": ("DECIMAL", "123.45"), "decimal8": ("DECIMAL", "-123456789.012"),
    "decimal16": ("DECIMAL", "12345678901234567890.123456789"),
    "date": ("DATE", "1969-12-31"), "time": ("TIME", "23:59:59.999999"),
    "timestamp": ("TIMESTAMP", "2023-11-14 22:13:20.123456+00"),
    "timestamp_ntz": ("TIMESTAMP", "1969-12-31 23:59:59.999999"),
    "timestamp_ns": ("TIMESTAMP", "2023-11-14 22:13:20.123456789"),
    "string": ("VARCHAR", 'ünï"q'), "uuid": ("UUID", "00112233-4455-6677-8899-aabbccddeeff"),
    "binary": ("BLOB", "\\x00abc"),
}


def check_types(folder):
    duckdb.sql("SET TimeZone = 'UTC'")
    for shape in ("none", "infer"):
        path = folder / f"types-{shape}.parquet"
        write("types", path, shape)
        for name, (kind, text) in TYPES.items():
            found = one(
                f"SELECT variant_typeof(variant_extract(v, '{name}')), variant_extract(v, '{name}')::VARCHAR FROM '{path}'"
            )
            if not found[0].startswith(kind) or found[1] != text:
                sys.exit(f"type {name}, {shape}: found {found}, expected {(kind, text)}")
    return 2 * len(TYPES)


def spark_session():
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    return builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()


def main():
    spark = spark_session() if WITH_SPARK else None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        documents = check_documents(folder, spark)
        values = check_types(folder)
    readers = "DuckDB and Spark" if spark else "DuckDB"
    print(f"read back equal by {readers}: {documents} documents, {values} values of every type")


main()
