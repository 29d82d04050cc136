"""The real components: SeaweedFS, the growler server, pyiceberg and DuckDB, each started or opened here."""

import glob
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request

KEY, SECRET = "admin", "adminsecret"
SCOPE = "PRINCIPAL_ROLE:ALL"
PASSED = 0


def check(name, actual, expected):
    global PASSED
    if actual != expected:
        sys.exit(f"{name}:\n expected {expected!r}\n got      {actual!r}")
    PASSED += 1


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for found in sockets:
        found.bind(("127.0.0.1", 0))
    ports = [found.getsockname()[1] for found in sockets]
    for found in sockets:
        found.close()
    return ports


def until(name, condition, seconds=60):
    """Waits for a condition, which may raise as long as it does not hold."""
    ends, last = time.monotonic() + seconds, None
    while time.monotonic() < ends:
        try:
            last = condition()
            if last:
                return last
        except Exception as error:
            last = error
        time.sleep(0.2)
    sys.exit(f"waited in vain for {name}: {last!r}")


class Seaweed:
    """An object store with an Iceberg REST catalog: bucket `raw`, and warehouse `s3://lake`."""

    def __init__(self, folder):
        names = ["admin.port", "admin.port.grpc", "filer.port", "filer.port.grpc", "master.port", "master.port.grpc"]
        names += ["volume.port", "volume.port.grpc", "s3.port", "s3.port.grpc", "s3.port.iceberg", "webdav.port"]
        ports = dict(zip(names, free_ports(len(names))))
        self.rest = f"http://127.0.0.1:{ports['s3.port.iceberg']}"
        self.s3 = f"http://127.0.0.1:{ports['s3.port']}"
        self.log = open(folder / "weed.log", "w")
        data = folder / "weed"
        data.mkdir()
        command = [str(pathlib.Path(sys.prefix) / "bin" / "weed"), "mini", f"-dir={data}"]
        command += ["-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-tableBucket=lake", "-bucket=raw", "-admin.ui=false"]
        command += ["-master.telemetry=false", "-s3.port.lance=0"] + [f"-{name}={port}" for name, port in ports.items()]
        keys = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
        self.process = subprocess.Popen(
            command, env={**os.environ, **keys}, stdout=self.log, stderr=self.log, cwd=data
        )

    def catalog(self):
        from pyiceberg.catalog import load_catalog

        settings = {"type": "rest", "uri": self.rest, "warehouse": "s3://lake", "credential": f"{KEY}:{SECRET}"}
        settings |= {"scope": SCOPE, "oauth2-server-uri": f"{self.rest}/v1/oauth/tokens", "s3.endpoint": self.s3}
        settings |= {"s3.access-key-id": KEY, "s3.secret-access-key": SECRET, "s3.region": "us-east-1"}

        def connected():
            catalog = load_catalog("external", **settings)
            catalog.list_namespaces()
            return catalog

        return until("SeaweedFS", connected)

    def filesystem(self):
        import s3fs

        return s3fs.S3FileSystem(key=KEY, secret=SECRET, endpoint_url=self.s3, use_listings_cache=False)

    def stop_answering(self):
        self.process.send_signal(signal.SIGSTOP)

    def answer_again(self):
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        self.answer_again()
        self.process.kill()
        self.process.wait()


def duck(seaweed):
    """DuckDB with the catalog as `lake`."""
    import duckdb

    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    packages = sysconfig.get_paths()["purelib"]
    for name in ["avro", "httpfs", "iceberg"]:
        [path] = glob.glob(f"{packages}/duckdb_extension_{name}/extensions/*/{name}.duckdb_extension")
        connection.execute(f"LOAD '{path}'")
    connection.execute(
        f"CREATE SECRET catalog (TYPE iceberg, CLIENT_ID '{KEY}', CLIENT_SECRET '{SECRET}', "
        f"OAUTH2_SERVER_URI '{seaweed.rest}/v1/oauth/tokens', OAUTH2_SCOPE '{SCOPE}')"
    )
    endpoint = seaweed.s3.removeprefix("http://")
    connection.execute(
        f"CREATE SECRET store (TYPE s3, KEY_ID '{KEY}', SECRET '{SECRET}', ENDPOINT '{endpoint}', "
        "URL_STYLE 'path', USE_SSL false, REGION 'us-east-1')"
    )
    connection.execute(
        f"ATTACH 's3://lake' AS lake (TYPE iceberg, ENDPOINT '{seaweed.rest}', SECRET catalog, READ_ONLY false)"
    )
    return connection


class Growler:
    """The server, and what is asked of it."""

    def __init__(self, binary, folder, seaweed):
        self.binary, self.folder, self.seaweed = binary, folder, seaweed
        self.process = None
        self.start()

    def start(self):
        self.log = open(self.folder / "growler.log", "a")
        command = [self.binary, "serve", "--listen", "127.0.0.1:0", "--data-dir", str(self.folder / "data")]
        environment = {**os.environ, "RUST_LOG": "info,growler=debug"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment
        )
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            if found:
                self.url = found.group(0)
                return
        sys.exit(f"the server ended before it listened, code {self.process.wait()}: {self.logged()[-2000:]}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def logged(self):
        self.log.flush()
        return (self.folder / "growler.log").read_text()

    def http(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            text = error.read().decode()
            return error.code, json.loads(text) if text.startswith("{") else text

    def ddl(self, sql):
        return self.http("POST", "/sql/ddl", {"sql": sql})

    def options(self, **more):
        """Options of a table of the catalog."""
        options = {"type": "iceberg", "catalog_type": "rest", "catalog_uri": self.seaweed.rest}
        options |= {"warehouse": "s3://lake", "credential": f"{KEY}:{SECRET}", "scope": SCOPE}
        options |= {"oauth2_server_uri": f"{self.seaweed.rest}/v1/oauth/tokens"} | self.store_options()
        return options | {name.replace("__", "."): value for name, value in more.items()}

    def store_options(self):
        options = {"storage.provider": "s3", "storage.region": "us-east-1", "storage.endpoint": self.seaweed.s3}
        return options | {"storage.access_key_id": KEY, "storage.secret_access_key": SECRET}

    def create(self, name, options):
        pairs = ", ".join(f"{key} = '{value}'" for key, value in options.items())
        return self.ddl(f"CREATE EXTERNAL TABLE {name} WITH ({pairs})")

    def fields(self, table):
        schema = self.http("GET", f"/tables/{table}/schema")[1]
        return [field for kind, fields in schema.items() if kind.endswith("FieldSpecs") for field in fields]

    def status(self, table):
        return self.http("GET", f"/tables/{table}/externalTable/status")[1]

    def checkpoint(self, table):
        return self.http("GET", f"/tables/{table}/externalTable/checkpoint")[1]

    def run(self, table):
        """Has one run made, and waits for its end."""
        before = self.status(table).get("runId")
        code, answer = self.http("POST", "/tasks/execute", {"taskType": "ExternalTableSyncTask", "tableName": table})
        if code != 200:
            sys.exit(f"a run of {table} was refused: {code} {answer}")

        def ended():
            status = self.status(table)
            is_new = status.get("runId") != before and status.get("status") not in ("RUNNING", "NEVER_RUN")
            return status if is_new else None

        return until(f"a run of {table}", ended, 180)

    def sync(self, table, snapshot_id=None):
        """Brings a table in step, and checks that it is."""
        status = self.run(table)
        if status["status"] != "COMPLETED":
            sys.exit(f"sync of {table}: {json.dumps(status, indent=1)}")
        if snapshot_id is not None:
            check(f"checkpoint of {table}", self.checkpoint(table).get("snapshotId"), snapshot_id)
        return status

    def rows(self, sql):
        code, answer = self.http("POST", "/query/sql", {"sql": f"SET enableNullHandling = true; {sql}"})
        if code != 200 or answer.get("exceptions"):
            sys.exit(f"{sql}: {code} {answer}")
        return answer["resultTable"]["rows"]

    def types(self, sql):
        answer = self.http("POST", "/query/sql", {"sql": sql})[1]
        return answer["resultTable"]["dataSchema"]["columnDataTypes"]
