"""Rows and scores of the tasks beside this file. lm-evaluation-harness imports it, and runs its functions."""

import re
from pathlib import Path


def load(**_):
    from datasets import load_dataset

    rows = Path(__file__).parent / "choice" / "test.parquet"
    return load_dataset("parquet", data_files={"test": str(rows)})


def score_likelihoods(row, results):
    """Scores the letter with the highest likelihood."""
    likelihoods = [likelihood for likelihood, _ in results]
    return score(row, likelihoods.index(max(likelihoods)))


def score_answer(row, results):
    """Scores the letter that an answer names. An answer that names none, or several, is wrong."""
    return score(row, read_letter(results[0], row["choices"]))


LINE = re.compile(r"[\W_]*(?:(?:the|my|final|answer|choice|option|is|boxed)[\W_]+)*([A-D])[\W_]*", re.I)
LETTER = re.compile(r"(?<![A-Za-z])[A-D](?![A-Za-z])")


def read_letter(answer, choices):
    """Returns the index of the option that an answer names below its heading: by its text, or by a letter with at most a label."""
    text = answer.split("### Choice")[-1]
    named = set()
    for letter, choice in sorted(zip("ABCD", choices), key=lambda option: -len(option[1])):
        bare = choice.rstrip(" .")
        if bare and bare in text:
            named.add(letter)
            text = text.replace(bare, "")
    named |= {match[1].upper() for line in text.splitlines() if (match := LINE.fullmatch(line))}
    others = set(LETTER.findall(text)) - named
    return "ABCD".index(named.pop()) if len(named) == 1 and not others else None


def score(row, chosen):
    right = float(chosen == row["answer"])
    kind = row["instance_type"]
    return {"acc": right, f"acc_{kind}": right, "acc_paired": (row["persona_id"], kind, row["answer"], right)}


def pair(items):
    """Averages over personas: 1 if the consistent and the changing row are right. Rows with the same right answer are no pair."""
    rows = {(persona, kind): (answer, right) for persona, kind, answer, right in items}
    pairs = []
    for (persona, kind), (answer, right) in rows.items():
        changing = rows.get((persona, "changing"))
        if kind == "consistent" and changing is not None and changing[0] != answer:
            pairs.append(min(right, changing[1]))
    return sum(pairs) / len(pairs) if pairs else float("nan")
