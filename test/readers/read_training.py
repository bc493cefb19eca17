"""Takes the rows of training data as TRL's trainers do, with TRL's own functions and a chat template, and prints them.

Arguments: the folders of training data. Prints a JSON list with an object for each folder: `conversational` tells whether TRL takes every row for
a chat, `texts` are the rows under TRL's template, and for pairs `unpaired` are those for KTO. All splits are one after the other.
"""

import json
import os
import sys
import tempfile

os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
scratch = tempfile.TemporaryDirectory()
os.environ["HF_HOME"] = scratch.name

import datasets
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast
from trl.data_utils import apply_chat_template, is_conversational, unpair_preference_dataset

tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"?": 0}, unk_token="?")))
tokenizer.chat_template = (
    "{% for message in messages %}[{{ message.role }}]{{ message.content }}{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)


def read(folder):
    splits = datasets.load_dataset(folder)
    rows = datasets.concatenate_datasets([splits[name] for name in splits])
    read = {
        "conversational": all(is_conversational(row) for row in rows),
        "texts": [apply_chat_template(row, tokenizer) for row in rows],
    }
    if "chosen" in rows.column_names:
        unpaired = unpair_preference_dataset(rows)
        read["unpaired"] = [apply_chat_template(row, tokenizer) for row in unpaired]
    return read


print(json.dumps([read(folder) for folder in sys.argv[1:]]))
