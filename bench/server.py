"""Single predictions, single durable updates and streams over HTTP: rosenblatt serve beside what people run today.

Every server gets the same rows over loopback from wrk: connections that are kept, requests one after the other on each. The
peers learn in memory: none of them makes an update durable; the table says so. Vowpal Wabbit's daemon speaks lines over TCP and
no HTTP: it gets the same rows as lines from bench/lines.rs, and a process for each connection, since each serves one at a time.
All servers are measured in turns, several times; the tables show the best run of each, then all of them. Bounded in time. The
processor time of the server for each request depends little on what else the machine does; the rates do.
"""

import argparse
import importlib.metadata
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from shared import ROOT, machine, table

# Connections that wait at half of the highest rate.
WAITING = 256
BINARY = ROOT / "target" / "release" / "rosenblatt"

PEER = '''
import json, sys
from fastapi import FastAPI, Request
import uvicorn
app = FastAPI()
kind, port = sys.argv[1], int(sys.argv[2])
if kind == "river":
    from river import linear_model, preprocessing
    model = linear_model.PAClassifier(C=1.0)
    def predict(x):
        return bool(model.predict_one(x))
    def learn(x, y):
        model.learn_one(x, y == "spam")
else:
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.linear_model import PassiveAggressiveClassifier
    hasher, model = FeatureHasher(n_features=2**18), PassiveAggressiveClassifier()
    def row(x):
        return hasher.transform([x])
    def predict(x):
        return str(model.predict(row(x))[0])
    def learn(x, y):
        model.partial_fit(row(x), [y], classes=["ham", "spam"])
learn({"a": 1.0}, "spam")
@app.post("/predict")
async def p(request: Request):
    return {"label": predict((await request.json())["features"])}
@app.post("/learn")
async def l(request: Request):
    body = await request.json()
    before = predict(body["features"])
    learn(body["features"], body["label"])
    return {"label": before}
uvicorn.run(app, host="127.0.0.1", port=port, log_level="critical", access_log=False)
'''


DAEMON = '''
import sys
import pylibvw
from vowpalwabbit import pyvw
port, children = sys.argv[1:]
words = ["--daemon", "--foreground", "--port", port, "--num_children", children, "--loss_function", "hinge", "--quiet"]
pylibvw.vw.run_parser(pyvw.Workspace(arg_list=words))
'''


def rows(count, seed=0):
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        spam = rng.random() < 0.5
        words = {f"w{min(int(rng.paretovariate(0.8)), 20000) + (3 if spam else 0)}": 1.0 for _ in range(10)}
        made.append({"features": words, "label": "spam" if spam else "ham"})
    return made


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"nothing listens on port {port}")


LUA = """
local requests, at = {}, 0
function init(args)
  for line in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("POST", args[2], {["Content-Type"] = "application/json"}, line)
  end
  wait = tonumber(args[3])
  at = math.random(#requests)
end
function request() at = at % #requests + 1; return requests[at] end
function delay() return wait end
"""


def milliseconds(text):
    for unit, factor in [("us", 1e-3), ("ms", 1.0), ("s", 1e3)]:
        if text.endswith(unit):
            return float(text[: -len(unit)]) * factor
    raise SystemExit(text)


def processor(pid):
    """Seconds of processor time of a process and its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + sum(processor(int(child)) for child in children)


def load(folder, server, path, rows, args, wait=0, connections=None):
    """Requests per second, the median and the 99th percentile of their times in ms, and microseconds of the processor that one
    takes: wrk, one thread, kept connections."""
    (folder / "load.lua").write_text(LUA)
    (folder / "rows").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["wrk", "-t1", f"-c{connections or args.connections}", f"-d{args.seconds}s", "--latency", "--timeout", "20s"]
    words += ["-s", folder / "load.lua", f"http://127.0.0.1:{server.port}", "--", folder / "rows", path, wait]
    before = processor(server.process.pid)
    text = run(words)
    took = processor(server.process.pid) - before
    if "Non-2xx" in text or "Socket errors" in text:
        raise SystemExit(text)
    find = lambda what: re.search(what + r"\s+(\S+)", text).group(1)
    requests = int(re.search(r"(\d+) requests in", text).group(1))
    if not requests:
        raise SystemExit(f"no request was answered within {args.seconds} s: take more --seconds")
    return float(find("Requests/sec:")), milliseconds(find(r"\n +50%")), milliseconds(find(r"\n +99%")), 1e6 * took / requests


def stream(port, body):
    """Seconds to learn a stream of lines; the answers are read and counted."""
    import threading

    s = socket.create_connection(("127.0.0.1", port))
    head = f"POST /v1/models/stream/learn HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/x-ndjson\r\nContent-Length: {len(body)}\r\n\r\n"
    begun = time.perf_counter()
    sender = threading.Thread(target=lambda: s.sendall(head.encode() + body))
    sender.start()
    lines, tail = 0, b""
    while piece := s.recv(1 << 20):
        lines += (tail + piece).count(b'"mistake"')
        tail = piece[-8:]
    sender.join()
    return time.perf_counter() - begun, lines


def memory(pid):
    return next(int(line.split()[1]) / 1024 for line in open(f"/proc/{pid}/status") if line.startswith("VmRSS"))


class Running:
    """A server on a port of its own, ended at the end; it may have children."""

    def __init__(self, start):
        self.port = free_port()
        self.process = start(self.port)
        wait_for(self.port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def measure(start, paths, data, args, folder):
    """Updates, predictions, and predictions at half of that rate: of each the rate, the median and the 99th percentile."""
    with Running(start) as server:
        plain = [{"features": row["features"]} for row in data]
        learned = load(folder, server, paths[1], data, args)
        predicted = load(folder, server, paths[0], plain, args)
        # Many connections that wait between two requests, so that all together make half of the highest rate. An answer takes
        # its own time, which the first try measures. None waits for more than a quarter of the time that is measured.
        waiting = max(1, min(WAITING, int(predicted[0] * args.seconds / 8)))
        wait = 2000 * waiting / predicted[0]
        tried = load(folder, server, paths[0], plain, args, round(wait), waiting)
        late = max(0, 1000 * waiting / tried[0] - round(wait))
        half = load(folder, server, paths[0], plain, args, max(1, round(wait - late)), waiting)
    return predicted, learned, half


def as_line(row, labelled):
    label = ("1 " if row["label"] == "spam" else "-1 ") if labelled else ""
    return f"{label}|f {' '.join(row['features'])}\n"


def measure_lines(start, lines, data, args, folder):
    """The same of a daemon that takes lines; half of the highest rate is not measured."""
    with Running(start) as server:
        results = []
        for labelled in [True, False]:
            (folder / "lines").write_text("".join(as_line(row, labelled) for row in data))
            words = [lines, server.port, folder / "lines", args.connections, args.seconds]
            before = processor(server.process.pid)
            rate, median, late = (float(word) for word in run(words).split())
            took = processor(server.process.pid) - before
            results.append((rate, median, late, 1e6 * took / (rate * args.seconds)))
    return results[1], results[0], None


def run(words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20_000, help="different rows of the requests")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3, help="of every server, in turns")
    parser.add_argument("--stream", type=int, default=10_000_000, help="rows of the stream")
    parser.add_argument("--binary", type=Path, default=BINARY, help="another build of the program")
    parser.add_argument("--beside", type=Path, nargs="*", default=[], help="more builds, measured in the same turns")
    parser.add_argument("--only", nargs="+", choices=["singles", "stream"], default=["singles", "stream"])
    parser.add_argument("--peers", nargs="*", choices=["river", "sklearn", "vw"], default=["river", "sklearn", "vw"])
    args = parser.parse_args()
    if not shutil.which("wrk"):
        raise SystemExit("wrk makes the load: install it (Debian: apt-get install wrk)")
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as folder:
        folder = Path(folder)
        machine(f"Python {sys.version.split()[0]}, wrk with {args.connections} connections, {args.seconds} s each")
        if "singles" in args.only:
            singles(args, folder)
        if "stream" in args.only:
            streams(args, folder)


def ours(args, folder, binary=None):
    def start(port):
        words = [binary or args.binary, "serve", "--data", folder / str(port), "--listen", f"127.0.0.1:{port}", "--learner", "pa1"]
        return quiet(words)

    return start


def quiet(words):
    return subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def script(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def daemon(args, folder):
    """How to start Vowpal Wabbit's daemon: the program, or else the same code in the Python package; and its version."""
    if "vw" not in args.peers:
        return None, None
    if shutil.which("vw"):
        words = ["--foreground", "--loss_function", "hinge", "--quiet", "--num_children", args.connections]
        return (lambda port: quiet(["vw", "--daemon", "--port", port, *words])), run(["vw", "--version"]).split()[0]
    if found := version("vowpalwabbit"):
        path = script(folder, "daemon.py", DAEMON)
        return (lambda port: quiet([sys.executable, path, port, args.connections])), found
    print("SKIPPED: neither vw nor the Python package vowpalwabbit is installed", file=sys.stderr)
    return None, None


def client_of_lines():
    place = ROOT / "target" / "bench-lines"
    subprocess.run(["rustc", "-O", "--edition", "2024", "-o", place, ROOT / "bench" / "lines.rs"], check=True)
    return place


def servers(args, folder):
    """A name, and how to measure it, of each server."""
    data = rows(args.rows)
    own = ["/v1/models/m/predict", "/v1/models/m/learn"]
    yield "rosenblatt serve (durable: sync)", lambda: measure(ours(args, folder), own, data, args, folder)
    for build in args.beside:
        yield f"{build.name} (durable: sync)", lambda build=build: measure(ours(args, folder, build), own, data, args, folder)
    for kind, package in [("river", "river"), ("sklearn", "scikit-learn")]:
        if kind not in args.peers:
            continue
        if not (version(package) and version("fastapi")):
            print(f"SKIPPED: {package} or fastapi is not installed", file=sys.stderr)
            continue
        # Not the name of the package, which the script would import in its place.
        path = script(folder, f"peer_{kind}.py", PEER)
        start = lambda port, path=path, kind=kind: quiet([sys.executable, path, kind, port])
        name = f"FastAPI + {package} {version(package)} (in memory)"
        yield name, lambda start=start: measure(start, ["/predict", "/learn"], data, args, folder)
    start, found = daemon(args, folder)
    if start:
        lines = client_of_lines()
        name = f"Vowpal Wabbit {found}, daemon (in memory, lines over TCP)"
        yield name, lambda: measure_lines(start, lines, data, args, folder)


def cells(measured):
    return [f"{measured[0]:,.0f}", f"{measured[1]:.2f}", f"{measured[2]:.2f}", f"{measured[3]:,.0f}"] if measured else ["–"] * 4


def singles(args, folder):
    all_servers = list(servers(args, folder))
    results = {name: [] for name, _ in all_servers}
    for _ in range(args.runs):
        for name, measured in all_servers:
            results[name].append(measured())
    times = ["p50 ms", "p99 ms", "CPU µs"]
    heads = ["server", "predict/s", *times, "learn/s", *times, "at half: predict/s", *times]
    best = []
    for name, runs in results.items():
        predicted, learned = (max((run[k] for run in runs), key=lambda one: one[0]) for k in (0, 1))
        half = min((run[2] for run in runs if run[2]), key=lambda one: one[2], default=None)
        best.append([name, *cells(predicted), *cells(learned), *cells(half)])
    table(heads, best)
    print("All runs, in their order:\n")
    table(heads, [[name, *cells(run[0]), *cells(run[1]), *cells(run[2])] for name, runs in results.items() for run in runs])


def streams(args, folder):
    """A stream of lines: the rate, and the memory after every million."""
    data = rows(10_000, 1)
    million = b"".join(json.dumps(row).encode() + b"\n" for row in data) * 100
    with Running(ours(args, folder)) as server:
        done, seconds, sizes = 0, [], []
        while done < args.stream:
            took, learned = stream(server.port, million)
            if learned != 1_000_000:
                raise SystemExit(f"{learned} of 1,000,000 rows were answered")
            done += learned
            seconds.append(took)
            sizes.append(memory(server.process.pid))
        busy = processor(server.process.pid)
    lines = [[f"rosenblatt serve, {done:,} rows of JSON (durable: sync)", f"{done / sum(seconds):,.0f}", f"{1e6 / min(seconds):,.0f}"]]
    start, found = daemon(args, folder)
    if start:
        (folder / "lines").write_text("".join(as_line(row, True) for row in data) * 100)
        with Running(start) as server:
            took = [float(run([client_of_lines(), server.port, folder / "lines"]).split()[1]) for _ in range(args.runs)]
        lines.append([f"Vowpal Wabbit {found}, daemon, {args.runs} × 1,000,000 lines (in memory)",
                      f"{1e6 * len(took) / sum(took):,.0f}", f"{1e6 / min(took):,.0f}"])
    table(["a stream of rows with 10 features", "rows/s learned", "the best million"], lines)
    print(f"{len(million) / 1e6:.0f} MB a million rows; {1e6 * busy / done:.2f} µs of the processor a row. Seconds of each million: {', '.join(f'{s:.2f}' for s in seconds)}.")
    print(f"Memory of the server after each million, MB: {', '.join(f'{m:.0f}' for m in sizes)}.\n")


if __name__ == "__main__":
    main()
