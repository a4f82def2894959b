"""Training on Ray: an example, and no part of the package. Each file is a shard, and an actor keeps its rows between rounds.

    pip install rosenblatt ray
    python examples/on_ray.py model part-0.svm part-1.svm ...

The model has the bytes that `rosenblatt train --shards`, `rosenblatt.spark` and `rosenblatt.dask` give for the same shards and
seed. What is here is all that an engine must do: carry bytes to where the rows are, and reports back in the order of the shards.
An actor that dies is started again and reads its file again (`max_restarts`, `max_task_retries`).
"""

import sys

import ray

from rosenblatt import AveragedPerceptron
from rosenblatt._rosenblatt import Mixture
from rosenblatt._shards import begin, local_round, rows_of_file, train

ROUNDS = 10


@ray.remote(max_restarts=3, max_task_retries=3)
class Shard:
    """The rows of a file."""

    def __init__(self, path):
        self.rows = rows_of_file(path)

    def survey(self, key):
        return self.rows.survey(key)

    def round(self, state, shard):
        return local_round(Mixture.from_bytes(state), shard, self.rows)


def fit(paths, rounds=ROUNDS, seed=0, mixing="momentum"):
    """The state after the rounds."""
    shards = [Shard.remote(path) for path in paths]
    surveys = ray.get([shard.survey.remote(key) for key, shard in enumerate(shards)])
    trainer = AveragedPerceptron(max_iter=rounds, random_state=seed)._trainer(None, rounds)
    state, numbers = begin(trainer, mixing, surveys)

    def run(bytes_of_state, _):
        shared = ray.put(bytes_of_state)
        return ray.get([shards[key].round.remote(shared, number) for key, number in numbers.items()])

    return train(state, rounds, run)


if __name__ == "__main__":
    ray.init(include_dashboard=False)
    place, *files = sys.argv[1:]
    trained = fit(files)
    trained.model().save(place)
    print(trained.report())
