"""A memory system for `cupid eval --memory "command:python template.py"`.

It reads one JSON message a line from standard input and writes one JSON reply a line to
standard output. Standard error is not kept: write logs to a file. Put your system into the
four functions of Memory. A user is one replay: nothing may pass from one to another.
"""
import json
import sys
import traceback


class Memory:
    """Keeps the messages of each session, and returns the last ones."""

    def __init__(self):
        self.users = {}

    def reset(self, user):
        self.users[user] = []

    def add(self, user, session, repeated=False):
        """session: {"id": "s1", "messages": [{"id": "s1:t1", "role": "user", "content": "…"}, …]}

        Return when the session can be found. repeated: cupid got no reply to this message before.
        """
        if repeated and session["id"] in [earlier["id"] for earlier in self.users[user]]:
            return  # it was stored, and only the reply was lost
        self.users[user].append(session)

    def query(self, user, request, budget):
        """Returns the context for the request, in at most `budget` tokens, and the sessions that it comes from."""
        kept, used, size = [], [], 0
        for session in reversed(self.users[user]):
            text = "\n".join(f"{m['role']}: {m['content']}" for m in session["messages"])
            size += len(text) / 4  # about four characters a token
            if size > budget:
                break
            kept.insert(0, text)
            used.append(session["id"])
        return {"context": "\n\n".join(kept), "sessions": used}

    def close(self, user):
        self.users.pop(user, None)  # it may be closed twice, if the first reply is lost


memory = Memory()
for line in sys.stdin:
    message = json.loads(line)
    try:
        reply = getattr(memory, message.pop("type"))(**message) or {}
    except Exception as error:  # reported to cupid, which names it
        place = traceback.extract_tb(error.__traceback__)[-1]
        reply = {"error": f"{type(error).__name__}: {error} (line {place.lineno} of {place.name})"}
    print(json.dumps(reply), flush=True)
