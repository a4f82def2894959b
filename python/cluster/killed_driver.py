"""A driver that is killed after two rounds, and started again: it resumes from its checkpoint."""

import os
import signal
import sys
from pathlib import Path

from drive import estimator, same, session

from rosenblatt import _shards
from rosenblatt import spark as rs

folder, checkpoint, first = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "first"
spark = session("local[2]")
rounds = []


def train(state, count, run, directory):
    def ended(state):
        rounds.append(state.rounds)
        if first and state.rounds == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    return _shards.train(state, count, run, directory, ended)


rs.train = train
model = estimator(checkpointDir=checkpoint).fitFiles(spark, str(folder / "part-*.svm"))
assert rounds == [3, 4], rounds
same(model, folder)
try:
    estimator("errors", checkpointDir=checkpoint).fitFiles(spark, str(folder / "part-*.svm"))
except ValueError as error:
    assert "other settings" in str(error), error
else:
    raise AssertionError("a checkpoint of other settings was taken")
print("resumed")
