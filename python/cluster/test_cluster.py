"""Spark in one process, a cluster of two workers, Spark Connect, Dask and `--shards`: the same model bytes from the same
partitions, also where a process is killed in the middle of a round."""

import os
import signal
import subprocess
import sys

import pytest
from conftest import HERE, environment, run_driver

#: Each takes half a minute more.
LONG = pytest.mark.skipif(
    os.environ.get("ROSENBLATT_CLUSTER") != "all", reason="SKIPPED: long; set ROSENBLATT_CLUSTER=all to run it"
)


def test_spark_in_one_process(java, cases, tmp_path):
    said = run_driver("on_local.py", cases["two"], cases["three"], tmp_path)
    assert said.splitlines()[-1] == "refusals"


def test_a_cluster_of_two_workers_loses_an_executor(java, cases):
    assert "killed executor" in run_driver("on_cluster.py", cases["two"], cases["three"])


@LONG
def test_spark_connect(java, cases, tmp_path):
    assert "connect" in run_driver("on_connect.py", cases["two"], cases["three"], tmp_path)


def test_dask_loses_a_worker(cases):
    assert "killed worker" in run_driver("on_dask.py", cases["two"], cases["three"])


@LONG
def test_a_killed_driver_resumes(java, cases, tmp_path):
    command = [sys.executable, str(HERE / "killed_driver.py"), str(cases["three"]), str(tmp_path / "checkpoint")]
    first = subprocess.run([*command, "first"], capture_output=True, env=environment(), timeout=600)
    assert first.returncode == -signal.SIGKILL, first.stderr[-3000:].decode()
    assert "resumed" in run_driver("killed_driver.py", *command[2:], "second")
