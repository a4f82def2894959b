"""Single predictions, single durable updates and streams over HTTP: rosenblatt serve beside what people run today.

Every server gets the same rows over loopback from wrk: connections that are kept, requests one after the other on each. The
peers learn in memory: none of them makes an update durable; the table says so. Requests are bounded in time.
"""

import argparse
import importlib.metadata
import json
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


def load(folder, port, path, rows, args, wait=0, connections=None):
    """Requests per second, and the median and the 99th percentile of their times in ms: wrk, one thread, kept connections."""
    (folder / "load.lua").write_text(LUA)
    (folder / "rows").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["wrk", "-t1", f"-c{connections or args.connections}", f"-d{args.seconds:g}s", "--latency", "--timeout", "20s"]
    words += ["-s", folder / "load.lua", f"http://127.0.0.1:{port}", "--", folder / "rows", path, wait]
    text = subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        raise SystemExit(text)
    find = lambda what: re.search(what + r"\s+(\S+)", text).group(1)
    return float(find("Requests/sec:")), milliseconds(find(r"\n +50%")), milliseconds(find(r"\n +99%"))


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


def measure(name, start, paths, data, args, folder, results):
    """Predictions, updates, and predictions at half of that rate."""
    port = free_port()
    process = start(port)
    try:
        wait_for(port)
        plain = [{"features": row["features"]} for row in data]
        learned = load(folder, port, paths[1], data, args)
        predicted = load(folder, port, paths[0], plain, args)
        # 64 connections that wait between two requests, so that all together make half of the highest rate.
        half = load(folder, port, paths[0], plain, args, round(2000 * 64 / predicted[0]), 64)
        results[name] = (predicted, learned, half)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20_000, help="different rows of the requests")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--stream", type=int, default=1_000_000, help="rows of the stream")
    args = parser.parse_args()
    if not shutil.which("wrk"):
        raise SystemExit("wrk makes the load: install it (Debian: apt-get install wrk)")
    data, results = rows(args.rows), {}
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as folder:
        folder = Path(folder)
        singles(data, args, folder, results)
        machine(f"Python {sys.version.split()[0]}, wrk with {args.connections} connections, {args.seconds:g} s each")
        cells = lambda r: [f"{r[0]:,.0f}", f"{r[1]:.2f}", f"{r[2]:.2f}"]
        heads = ["server", "predict/s", "p50 ms", "p99 ms", "learn/s", "p50 ms", "p99 ms", "at half: predict/s", "p50 ms", "p99 ms"]
        table(heads, [[name, *cells(p), *cells(l), *cells(h)] for name, (p, l, h) in results.items()])
        long_stream(args, folder)


def ours(folder):
    def start(port):
        words = [BINARY, "serve", "--data", folder / str(port), "--listen", f"127.0.0.1:{port}", "--learner", "pa1"]
        return subprocess.Popen([str(w) for w in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    return start


def singles(data, args, folder, results):
    own = ["/v1/models/m/predict", "/v1/models/m/learn"]
    measure("rosenblatt serve (durable: sync)", ours(folder), own, data, args, folder, results)
    for kind, package in [("river", "river"), ("sklearn", "scikit-learn")]:
        if not (version(package) and version("fastapi")):
            print(f"SKIPPED: {package} or fastapi is not installed", file=sys.stderr)
            continue
        script = folder / f"{kind}.py"
        script.write_text(PEER)
        words = lambda port: [sys.executable, str(script), kind, str(port)]
        start = lambda port: subprocess.Popen(words(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        name = f"FastAPI + {package} {version(package)} (in memory)"
        measure(name, start, ["/predict", "/learn"], data, args, folder, results)
    if not shutil.which("vw"):
        print("SKIPPED: no vw program: the package of Python has none, and the daemon speaks no HTTP", file=sys.stderr)


def long_stream(args, folder):
    port = free_port()
    process = ours(folder)(port)
    wait_for(port)
    body = b"".join(json.dumps(row).encode() + b"\n" for row in rows(10_000, 1)) * min(100, args.stream // 10_000)
    lines, seconds, sizes = 0, 0.0, []
    while lines < args.stream:
        took, learned = stream(port, body)
        lines, seconds = lines + learned, seconds + took
        sizes.append(memory(process.pid))
    name = "stream of lines (JSON, 10 features, durable: sync)"
    table([name, "rows/s", "MB/s", "memory after the first million, MB", "at the end"],
          [[f"{lines:,} rows", f"{lines / seconds:,.0f}", f"{len(body) * len(sizes) / seconds / 1e6:.0f}", f"{sizes[0]:.0f}", f"{sizes[-1]:.0f}"]])
    process.send_signal(signal.SIGTERM)
    process.wait(60)


if __name__ == "__main__":
    main()
