"""Runs the tasks of a data set on the Hub at HF_ENDPOINT with Inspect and its mock model, which always gives the same answer.

Arguments: hf/OWNER/NAME, the answer to a question, and the answer of the grader. Prints a JSON object: for each task its accuracy and samples.
"""

import json
import os
import sys
import tempfile

os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
scratch = tempfile.TemporaryDirectory()
os.environ["HF_HOME"] = os.environ["XDG_CACHE_HOME"] = os.environ["XDG_DATA_HOME"] = scratch.name

from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

task, answer, grade = sys.argv[1:]


def always(text):
    def answer(*_):
        output = ModelOutput.from_content("mockllm/model", text)
        # Without it, tokens are counted with a file from the internet.
        output.usage = ModelUsage()
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


logs = eval(
    task,
    model=always(answer),
    model_roles={"grader": always(grade)},
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
