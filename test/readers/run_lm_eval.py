"""Runs the tasks in a folder with lm-evaluation-harness and a tiny model of bytes with random weights.

Argument: the folder. For generation, the model writes its likeliest letter, in a form that differs from row to row. Prints a JSON
object: for each task its metrics, and for each row the letter and the prompt.
"""

import json
import sys

import numpy as np

import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

(folder,) = sys.argv[1:]
SIZE = 24
random = np.random.default_rng(1)
embedding, output = random.normal(size=(256, SIZE)), random.normal(size=(SIZE, 256))
FORMS = ["### Choice\n\n{}", "### Choice\n\n**{}**", "({})", "Answer: {}.", "### Choice\n\n$\\boxed{{{}}}$"]


def likelihood(text, continuation):
    """Returns the logarithm of the probability of a continuation. Each byte depends on how often each byte occurs before it."""
    counts, total = np.bincount(np.frombuffer(text.encode(), np.uint8), minlength=256), 0.0
    for byte in continuation.encode():
        scores = np.sin(counts @ embedding) @ output
        total += scores[byte] - np.logaddexp.reduce(scores)
        counts[byte] += 1
    return float(total)


def choose(prompt):
    options = [letter for letter in "ABCD" if f"\n{letter}. " in prompt]
    return max(options, key=lambda letter: likelihood(f"{prompt}\n\n### Choice", f"\n\n{letter}"))


class RandomModel(LM):
    def loglikelihood(self, requests, **_):
        return [(likelihood(*request.args), False) for request in requests]

    def generate_until(self, requests, **_):
        return [FORMS[at % len(FORMS)].format(choose(one.args[0])) for at, one in enumerate(requests)]

    def loglikelihood_rolling(self, requests, **_):
        raise NotImplementedError


tasks = ["cupid_choice_likelihood", "cupid_choice_generate"]
results = lm_eval.simple_evaluate(
    model=RandomModel(), tasks=tasks, task_manager=TaskManager(include_path=folder, include_defaults=False)
)
print(
    json.dumps(
        {
            task: {
                "metrics": {
                    name.split(",")[0]: value for name, value in results["results"][task].items() if name.endswith(",none")
                },
                "answers": [
                    {"prompt": prompt, "letter": choose(prompt)}
                    for sample in results["samples"][task]
                    for prompt in [sample["arguments"][0][0].removesuffix("\n\n### Choice")]
                ],
            }
            for task in tasks
        }
    )
)
