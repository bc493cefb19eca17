"""Runs the tasks of a benchmark with Inspect and its mock model, which gives the same answers one after the other.

Arguments: hf/OWNER/NAME on the Hub at HF_ENDPOINT, or a folder, of which only the choices are run; the answer of the grader; and the
answers to questions. Prints a JSON object: for each task its accuracy and samples.
"""

import json
import os
import sys
import tempfile

os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
scratch = tempfile.TemporaryDirectory()
os.environ["HF_HOME"] = os.environ["XDG_CACHE_HOME"] = os.environ["XDG_DATA_HOME"] = scratch.name

from itertools import cycle

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample, hf_dataset
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

task, grade, *answers = sys.argv[1:]


def repeat(texts):
    rest = cycle(texts)

    def answer(*_):
        output = ModelOutput.from_content("mockllm/model", next(rest))
        # Without it, tokens are counted with a file from the internet.
        output.usage = ModelUsage()
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def read_question(row):
    return Sample(input=row["input"], choices=row["choices"], target="ABCD"[row["answer"]])


def open_folder(folder):
    questions = hf_dataset(folder, "test", name="choice", sample_fields=read_question)
    return Task(questions, solver=multiple_choice(), scorer=choice(), name="choice")


logs = eval(
    task if task.startswith("hf/") else open_folder(task),
    model=repeat(answers),
    model_roles={"grader": repeat([grade])},
    display="none",
    log_dir=os.path.join(scratch.name, "logs"),
)
results = {}
for log in logs:
    if log.status != "success":
        sys.exit(log.error.message)
    results[log.eval.task.split("/")[-1]] = {
        "accuracy": log.results.scores[0].metrics["accuracy"].value,
        "samples": [
            {"input": one.input, "choices": one.choices, "target": one.target} for one in log.samples
        ],
    }
print(json.dumps(results))
