"""A standalone cluster of two workers, with speculation, one executor of which is killed in the middle of a round."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from drive import children, estimator, kill_when, same, session, slowly

from rosenblatt import spark as rs

FOLDERS = [Path(sys.argv[1]), Path(sys.argv[2])]


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
    host = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
    master, line = start(f"{deploy}.master.Master", *host, until="Starting Spark master at")
    processes.append(master)
    address = line.split(" at ")[-1].strip()
    for _ in range(2):
        folder = tempfile.mkdtemp()
        command = [f"{deploy}.worker.Worker", *host, "--cores", "1", "--memory", "1g", "--work-dir", folder, address]
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
    same(estimator().fitFiles(spark, str(FOLDERS[0] / "part-*.svm")), FOLDERS[0])
    mark = Path(tempfile.mkdtemp()) / "third"
    rs._round = slowly(rs._round, str(mark), 1.5)
    workers = [process.pid for process in processes[1:]]
    killed = kill_when(mark, lambda: [pid for worker in workers for pid in children(worker, "CoarseGrainedExecutor")])
    same(estimator().fitFiles(spark, str(FOLDERS[1] / "part-*.svm")), FOLDERS[1])
    assert killed, "no executor was killed"
    print(f"killed executor {killed[0]}")
    spark.stop()
finally:
    for process in reversed(processes):
        process.kill()
        process.wait()
