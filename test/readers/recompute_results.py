"""Computes the numbers of an evaluation from the rows of its Parquet alone, by the paper's definitions (2.3).

Prints a list of cells, each with its key and the numbers of all instances and of each type, under the names of
results.json. Uses pyarrow and nothing of cupid.
"""

import json
import sys

import pyarrow.parquet as pq

CREDIT = {"Fully Covered": 1.0, "Partially Covered": 0.5, "Not Covered": 0.0}
KEY = ("task", "model", "context", "evaluator", "evaluator_form", "decomposer")


def divide(total, count):
    return None if count == 0 else total / count


def harmonic_mean(precision, recall):
    return 0.0 if precision + recall == 0 else 2 * precision * recall / (precision + recall)


def compute_inference(rows):
    scores = []
    n_true = n_predicted = true_matched = predicted_matched = 0
    for row in rows:
        true = [CREDIT[label] for label in row["true_labels"]]
        predicted = [CREDIT[label] for label in row["inferred_labels"]]
        n_true += len(true)
        n_predicted += len(predicted)
        true_matched += sum(true)
        predicted_matched += sum(predicted)
        precision, recall = divide(sum(predicted), len(predicted)) or 0.0, sum(true) / len(true)
        scores.append((precision, recall, harmonic_mean(precision, recall)))
    precision, recall = divide(predicted_matched, n_predicted), divide(true_matched, n_true)
    macro = [divide(sum(column), len(scores)) for column in zip(*scores)]
    return {
        "precision": precision,
        "recall": recall,
        "f1": None if recall is None else harmonic_mean(precision or 0.0, recall),
        "n_true": n_true,
        "n_predicted": n_predicted,
        "n_true_matched": true_matched,
        "n_predicted_matched": predicted_matched,
        "n_instances": len(rows),
        "macro": dict(zip(("precision", "recall", "f1"), macro)),
    }


def compute_generation(rows):
    return {"average_score": divide(sum(row["score"] for row in rows), len(rows)), "n_instances": len(rows)}


def compute_choice(rows):
    personas = {}
    for row in rows:
        personas.setdefault(row["persona_id"], {})[row["instance_type"]] = row["chosen_option"] == row["true_option"]
    pairs = [types for types in personas.values() if {"consistent", "changing"} <= types.keys()]
    triples = [types for types in personas.values() if len(types) == 3]
    return {
        "accuracy": divide(sum(row["chosen_option"] == row["true_option"] for row in rows), len(rows)),
        "chance": divide(sum(1 / row["n_options"] for row in rows), len(rows)),
        "paired_accuracy": divide(sum(types["consistent"] and types["changing"] for types in pairs), len(pairs)),
        "n_pairs": len(pairs),
        "triple_accuracy": divide(sum(all(types.values()) for types in triples), len(triples)),
        "n_triples": len(triples),
        "n_instances": len(rows),
    }


COMPUTE = {"inference": compute_inference, "generation": compute_generation, "choice": compute_choice}


def compute_numbers(task, rows):
    scored = [row for row in rows if row["state"] == "scored"]
    return {
        "counts": {"scored": len(scored), "missing": sum(row["state"] == "missing" for row in rows)},
        "n_personas": len({row["persona_id"] for row in scored}),
        task: COMPUTE[task](scored),
    }


def main(file):
    cells = {}
    for row in pq.read_table(file).to_pylist():
        cells.setdefault(tuple(row[name] for name in KEY), []).append(row)
    results = []
    for key, rows in cells.items():
        types = sorted({row["instance_type"] for row in rows})
        by_type = {name: compute_numbers(key[0], [row for row in rows if row["instance_type"] == name]) for name in types}
        results.append({**dict(zip(KEY, key)), "all": compute_numbers(key[0], rows), "by_type": by_type})
    json.dump(results, sys.stdout)


main(sys.argv[1])
