"""Returns the k sessions that share the most telling words with the request (BM25): python bm25.py 2"""
import math
import re
import sys

from history import serve

K = int(sys.argv[1]) if len(sys.argv) > 1 else 2
K1, B = 1.5, 0.75  # how soon repeated words stop counting, and how much length counts


def split_words(text):
    return re.findall(r"\w+", text.lower())


def choose(sessions, request):
    """Returns the best sessions, and of equal ones the later."""
    documents = [split_words(" ".join(m["content"] for m in session["messages"])) for session in sessions]
    mean = sum(map(len, documents)) / max(1, len(documents))

    def score(document):
        total = 0.0
        for word in set(split_words(request)) & set(document):
            having = sum(word in other for other in documents)
            rarity = math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
            count = document.count(word)
            total += rarity * count * (K1 + 1) / (count + K1 * (1 - B + B * len(document) / mean))
        return total

    order = sorted(range(len(sessions)), key=lambda at: (-score(documents[at]), -at))
    return [sessions[at] for at in order[:K]]


serve(choose)
