"""External Tables from a real catalog over a real object store, followed through histories that pyiceberg and DuckDB
write, and compared with what these read themselves."""

import pathlib
import sys
import tempfile

import external_world
from external_world import SECRET, Growler, Seaweed, check, duck


def rows_of(table, columns):
    """Rows as pyiceberg reads them, in order of the first column."""
    found = table.scan().to_arrow().to_pylist()
    return sorted(([row[name] for name in columns] for row in found), key=lambda row: row[0])


def numbers(start, stop, kind):
    import pyarrow

    return pyarrow.array(range(start, stop), kind)


def follow_orders(growler, catalog):
    """The seed's history: add, rename, widen, with data in between; then rows that are deleted."""
    import pyarrow
    from pyiceberg.types import LongType, StringType

    int32, int64 = pyarrow.int32(), pyarrow.int64()
    fields = [("order_id", int32), ("qty", int32), ("price", pyarrow.float64())]
    table = catalog.create_table("shop.orders", schema=pyarrow.schema(fields))

    def append(start, stop, **columns):
        order_type = columns.pop("order_type", int32)
        data = {"order_id": numbers(start, stop, order_type)}
        data |= {name: pyarrow.array([value] * (stop - start), kind) for name, (value, kind) in columns.items()}
        table.append(pyarrow.table(data))

    append(0, 10, qty=(1, int32), price=(1.5, pyarrow.float64()))
    append(10, 20, qty=(2, int32), price=(2.5, pyarrow.float64()))

    options = growler.options(schema_name="shop", table_name="orders", enabled="true", executor="controller")
    options |= {"schema_evolution.enabled": "true", "schema_evolution.type_widening.enabled": "true"}
    code, answer = growler.create("orders", options)
    check("orders is created", code, 201)
    check("no secret in the answer", SECRET in str(answer), False)

    def compare(step, columns, served=None):
        growler.sync("orders", table.current_snapshot().snapshot_id)
        names = served or columns
        found = growler.rows(f"SELECT {', '.join(names)} FROM orders ORDER BY order_id LIMIT 1000")
        check(f"rows after {step}", found, rows_of(table, columns))
        [[count, total]] = growler.rows("SELECT COUNT(*), SUM(order_id) FROM orders")
        expected = [row[0] for row in rows_of(table, ["order_id"])]
        check(f"sums after {step}", (count, int(total)), (len(expected), sum(expected)))

    compare("create", ["order_id", "qty", "price"])
    check("types", growler.types("SELECT order_id, qty FROM orders LIMIT 1"), ["INT", "INT"])
    again = growler.sync("orders", table.current_snapshot().snapshot_id)
    check("nothing is read again", again["files"]["read"], 0)

    with table.update_schema() as update:
        update.add_column("region", StringType())
    append(20, 30, qty=(3, int32), price=(3.5, pyarrow.float64()), region=("eu", pyarrow.string()))
    compare("add", ["order_id", "qty", "price", "region"])

    with table.update_schema() as update:
        update.rename_column("qty", "quantity")
    append(30, 40, quantity=(4, int32), region=("us", pyarrow.string()))
    everything = ["order_id", "quantity", "price", "region"]
    served = ["order_id", "qty", "price", "region"]
    compare("rename", everything, served)
    [column] = [field for field in growler.fields("orders") if field["name"] == "qty"]
    check("the new name is an alias", column.get("aliases"), ["quantity"])

    with table.update_schema() as update:
        update.update_column("order_id", LongType())
    big = 1 << 40
    append(big, big + 10, order_type=int64, quantity=(5, int32))
    compare("widen", everything, served)
    check("widened", growler.types("SELECT order_id FROM orders LIMIT 1"), ["LONG"])

    table.delete("order_id >= 5 and order_id < 25")
    compare("delete", everything, served)
    table.overwrite(table.scan(row_filter="region = 'us'").to_arrow())
    compare("overwrite", everything, served)


def follow_partitions(growler, catalog):
    """Identity and day partitions: constants, and files that a filter leaves closed."""
    import datetime

    import pyarrow
    from pyiceberg.transforms import DayTransform

    schema = pyarrow.schema([("id", pyarrow.int64()), ("region", pyarrow.string()), ("at", pyarrow.timestamp("us"))])
    table = catalog.create_table("shop.visits", schema=schema)
    with table.update_spec() as update:
        update.add_identity("region")
        update.add_field("at", DayTransform(), "day")
    day = datetime.datetime(2026, 11, 1)
    for region in ["eu", "us", "ap"]:
        for at in range(4):
            moment = day + datetime.timedelta(days=at, hours=5)
            count, start = 5, at * 100 + len(region) * ord(region[0])
            data = {"id": list(range(start, start + count)), "region": [region] * count, "at": [moment] * count}
            table.append(pyarrow.table(data, schema=schema))
    options = growler.options(schema_name="shop", table_name="visits", executor="controller", enabled="true")
    check("visits is created", growler.create("visits", options)[0], 201)
    growler.sync("visits", table.current_snapshot().snapshot_id)
    expected = sorted([row["id"], row["region"]] for row in table.scan().to_arrow().to_pylist())
    found = growler.rows("SELECT id, region FROM visits ORDER BY id, region LIMIT 1000")
    check("partitioned rows", sorted(found), expected)
    found = growler.rows("SELECT COUNT(*) FROM visits WHERE region = 'us'")
    check("one partition", found, [[20]])
    found = growler.rows("SELECT region, COUNT(*) FROM visits GROUP BY region ORDER BY region")
    check("groups of partitions", found, [["ap", 20], ["eu", 20], ["us", 20]])


def follow_variants(growler, lake):
    """A v3 table of DuckDB with a shredded VARIANT column."""
    lake.execute("CREATE TABLE lake.shop.events (ts BIGINT, user_id VARCHAR, props VARIANT) WITH ('format-version' = '3')")
    insert = (
        "INSERT INTO lake.shop.events SELECT i, 'u-' || i, {{'page_type': ['HOME', 'CART', 'SEARCH'][1 + i % 3], "
        "'latency_ms': {latency}, 'device': {{'os': 'ios'}}}}::VARIANT FROM range({start}, {stop}) t(i)"
    )
    lake.execute(insert.format(latency="i::INTEGER", start=0, stop=50))
    lake.execute(insert.format(latency="'n/a'", start=50, stop=60))
    options = growler.options(schema_name="shop", table_name="events", executor="controller", enabled="true")
    check("events is created", growler.create("events", options)[0], 201)
    growler.sync("events")
    query = "SELECT props.page_type::VARCHAR AS page, COUNT(*) FROM lake.shop.events GROUP BY page ORDER BY page"
    expected = [list(row) for row in lake.execute(query).fetchall()]
    query = "SELECT props['page_type'] AS page, COUNT(*) FROM events GROUP BY page ORDER BY page"
    check("groups of a key", growler.rows(query), expected)
    query = "SELECT user_id FROM events WHERE props['device.os'] = 'ios' AND ts >= 58 ORDER BY ts"
    check("rows by a nested key", growler.rows(query), [["u-58"], ["u-59"]])
    lake.execute(insert.format(latency="7", start=60, stop=65))
    growler.sync("events")
    check("rows after another insert", growler.rows("SELECT COUNT(*) FROM events"), [[65]])


def follow_deletes(growler, lake):
    """A v2 table of DuckDB with position deletes."""
    lake.execute("CREATE TABLE lake.shop.stock (id BIGINT, amount INTEGER)")
    lake.execute("INSERT INTO lake.shop.stock SELECT i, i * 2 FROM range(100) t(i)")
    options = growler.options(schema_name="shop", table_name="stock", executor="controller", enabled="true")
    check("stock is created", growler.create("stock", options)[0], 201)

    def compare(step):
        growler.sync("stock")
        expected = lake.execute("SELECT id, amount FROM lake.shop.stock ORDER BY id").fetchall()
        found = growler.rows("SELECT id, amount FROM stock ORDER BY id LIMIT 1000")
        check(step, found, [list(row) for row in expected])
        check(f"{step}, counted", growler.rows("SELECT COUNT(*) FROM stock"), [[len(expected)]])

    compare("rows of DuckDB")
    lake.execute("DELETE FROM lake.shop.stock WHERE id % 7 = 3")
    compare("position deletes")
    lake.execute("DELETE FROM lake.shop.stock WHERE id BETWEEN 10 AND 20")
    lake.execute("INSERT INTO lake.shop.stock SELECT i, 0 FROM range(10, 15) t(i)")
    compare("more position deletes, and rows in their place")


def follow_files(growler, seaweed):
    """Plain Parquet files below a prefix."""
    import pyarrow
    import pyarrow.parquet

    filesystem = seaweed.filesystem()

    def write(name, start, stop):
        data = pyarrow.table({"id": numbers(start, stop, pyarrow.int64()), "note": [f"n{i}" for i in range(start, stop)]})
        with filesystem.open(f"raw/files/{name}.parquet", "wb") as file:
            pyarrow.parquet.write_table(data, file)

    write("a", 0, 10)
    write("deep/b 1", 10, 20)
    options = {"type": "parquet", "catalog_type": "s3", "path": "s3://raw/files", "executor": "controller"}
    options |= growler.store_options() | {"enabled": "true"}
    code, answer = growler.create("files", options)
    check(f"files is created {answer}", code, 201)
    growler.sync("files")
    check("files below a prefix", growler.rows("SELECT COUNT(*), SUM(id) FROM files"), [[20, 190.0]])
    write("c", 20, 30)
    write("a", 100, 101)
    growler.sync("files")
    check("a file more, one replaced", growler.rows("SELECT COUNT(*), MIN(id), MAX(id) FROM files"), [[21, 10.0, 100.0]])


def refuse(growler):
    """Credentials and tables that are wrong: an answer that says so, and tells no secret."""
    base = growler.options(schema_name="shop", table_name="orders", executor="controller")
    for name, change in {
        "wrong credential": {"credential": "admin:wrong-secret-of-test"},
        "wrong key": {"storage.secret_access_key": "wrong-secret-of-test"},
        "unknown table": {"table_name": "nowhere"},
        "unknown namespace": {"schema_name": "nowhere"},
    }.items():
        code, answer = growler.create("refused", base | change)
        if name == "wrong key" and code == 201:
            # The catalog knows the schema; the files are what cannot be read.
            status = growler.run("refused")
            check(name, status["status"], "FAILED")
            check(f"{name} tells no secret", "wrong-secret-of-test" in str(status), False)
            check(f"{name} is dropped", growler.ddl("DROP TABLE refused")[0], 200)
            continue
        check(f"{name} is refused: {answer}", code >= 400, True)
        check(f"{name} tells no secret", "wrong-secret-of-test" in str(answer), False)
    code, answer = growler.ddl("SHOW CREATE TABLE orders")
    check("a table is shown", code, 200)
    check("without its secrets", SECRET in str(answer), False)


def survive(growler, seaweed, catalog):
    """A catalog that does not answer, and a server that is killed."""
    import pyarrow

    before = growler.rows("SELECT COUNT(*), SUM(order_id) FROM orders")
    growler.kill()
    growler.start()
    check("rows after a restart", growler.rows("SELECT COUNT(*), SUM(order_id) FROM orders"), before)
    table = catalog.load_table("shop.orders")
    data = {"order_id": numbers(7, 8, pyarrow.int64()), "quantity": numbers(7, 8, pyarrow.int32())}
    table.append(pyarrow.table(data))
    growler.sync("orders", table.current_snapshot().snapshot_id)
    [[count, _]] = before
    check("rows after the next run", growler.rows("SELECT COUNT(*) FROM orders"), [[count + 1]])

    seaweed.end()
    status = growler.run("orders")
    check("a catalog that is down fails the run", status["status"], "FAILED")
    check("its code", status["failureCode"], "CATALOG_UNREADABLE")
    check("what was cached is still served", growler.rows("SELECT COUNT(*) FROM orders"), [[count + 1]])


def main(binary):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        seaweed, growler = Seaweed(folder), None
        try:
            catalog = seaweed.catalog()
            catalog.create_namespace("shop")
            lake = duck(seaweed)
            growler = Growler(binary, folder, seaweed)
            follow_orders(growler, catalog)
            follow_partitions(growler, catalog)
            follow_variants(growler, lake)
            follow_deletes(growler, lake)
            follow_files(growler, seaweed)
            refuse(growler)
            survive(growler, seaweed, catalog)
            for secret in [SECRET, "wrong-secret-of-test"]:
                check("no secret in the log", secret in growler.logged(), False)
        except BaseException:
            if growler:
                print(growler.logged()[-4000:], file=sys.stderr)
            raise
        finally:
            seaweed.end()
            if growler:
                growler.kill()
    print(f"{external_world.PASSED} checks passed")


main(sys.argv[1])
