"""What the examples share: the loop over messages, and the layout of the full history."""
import json
import sys

NAMES = {"user": "User", "assistant": "AI Assistant"}


def render(sessions):
    """Writes sessions as --context full shows them, so that only their choice makes a difference."""
    parts = []
    for number, session in enumerate(sessions, start=1):
        turns = "".join(f"#### {NAMES[m['role']]}\n\n{m['content']}\n\n" for m in session["messages"])
        parts.append(f"### Session {number}\n\n{turns}---")
    return "\n\n".join(parts)


def serve(choose):
    """Answers messages until the input ends. choose(sessions, request) returns sessions, the best first."""
    users = {}
    for line in sys.stdin:
        message = json.loads(line)
        kind, user = message["type"], message["user"]
        reply = {}
        if kind == "reset":
            users[user] = {}
        elif kind == "add":
            # By its id, so that a repeated message, after a lost reply, changes nothing.
            users[user][message["session"]["id"]] = message["session"]
        elif kind == "query":
            sessions = list(users[user].values())
            chosen = choose(sessions, message["request"])
            in_order = [session for session in sessions if session in chosen]
            reply = {"context": render(in_order), "sessions": [session["id"] for session in chosen]}
        else:
            users.pop(user, None)
        print(json.dumps(reply), flush=True)
