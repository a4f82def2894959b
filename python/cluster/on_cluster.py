"""A standalone cluster of two workers, with speculation: a task that is slow is begun a second time, and an executor is killed
in the middle of a round."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from drive import children, estimator, kill_when, one_straggles, same, session, slowly

from rosenblatt import spark as rs

FOLDERS = [Path(sys.argv[1]), Path(sys.argv[2])]
#: Spark begins a task a second time only on another host than the first. All of 127.0.0.0/8 is this machine, on Linux.
HOSTS = ["127.0.0.1", "127.0.0.2" if sys.platform == "linux" else "127.0.0.1"]


def start(*command, until):
    """A process of the cluster, when it says that it is ready."""
    log = tempfile.NamedTemporaryFile("w+", suffix=".log")
    import pyspark

    home = Path(pyspark.__file__).parent
    process = subprocess.Popen([str(home / "bin/spark-class"), *command], stdout=log, stderr=subprocess.STDOUT)
    for _ in range(1200):
        text = Path(log.name).read_text()
        found = [line for line in text.splitlines() if until in line]
        if found:
            return process, found[0]
        assert process.poll() is None, text
        time.sleep(0.1)
    raise AssertionError(text)


processes = []
try:
    deploy = "org.apache.spark.deploy"
    ports = ["--port", "0", "--webui-port", "0"]
    master, line = start(f"{deploy}.master.Master", "--host", "127.0.0.1", *ports, until="Starting Spark master at")
    processes.append(master)
    address = line.split(" at ")[-1].strip()
    for host in HOSTS:
        folder = tempfile.mkdtemp()
        command = [f"{deploy}.worker.Worker", "--host", host, *ports, "--cores", "1", "--memory", "1g", "--work-dir", folder, address]
        processes.append(start(*command, until="Successfully registered with master")[0])
    spark = session(
        address,
        **{
            "spark.executor.memory": "512m",
            "spark.speculation": "true",
            "spark.speculation.interval": "100ms",
            "spark.speculation.multiplier": "1.1",
            "spark.speculation.quantile": "0.3",
        },
    )
    scratch, plain = Path(tempfile.mkdtemp()), rs._round
    workers = [process.pid for process in processes[1:]]
    for folder in FOLDERS:
        attempts = scratch / f"attempts-{folder.name}"
        rs._round = one_straggles(plain, str(attempts), 300.0 if HOSTS[0] != HOSTS[1] else 1.0)
        same(estimator().fitFiles(spark, str(folder / "part-*.svm")), folder)
        made = set(attempts.read_text().split())
        assert len(made) > 1 or HOSTS[0] == HOSTS[1], "nothing was begun a second time"
        print(f"attempts of a slow task: {len(made)}")
    for folder in FOLDERS:
        mark = scratch / f"third-{folder.name}"
        rs._round = slowly(plain, str(mark), 1.5)
        killed = kill_when(mark, lambda: [pid for worker in workers for pid in children(worker, "CoarseGrainedExecutor")])
        same(estimator().fitFiles(spark, str(folder / "part-*.svm")), folder)
        assert killed, "no executor was killed"
        print(f"killed executor {killed[0]}")
    spark.stop()
finally:
    for process in reversed(processes):
        process.kill()
        process.wait()
