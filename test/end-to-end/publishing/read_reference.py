"""Reads a folder in the reference program's layout as that program would, and prints what it found, as JSON.

read_reference.py evaluation FOLDER   of every instance what evaluation needs of it: the log of its sessions, the request, what is true
read_reference.py synthesis FOLDER    of every persona what is made of it: its factors, sessions and dialogues
read_reference.py instances FOLDER    the instances that it makes of every persona's file, but for the two sessions that it leaves out at random
read_reference.py written FOLDER      the files that are not byte for byte what Python's json module writes
"""

import json
import os
import sys


def main(what, folder):
    return {"evaluation": evaluation, "synthesis": synthesis, "instances": instances, "written": written}[what](folder)


def evaluation(folder):
    return {name: of_instance(instance) for name, instance in files(os.path.join(folder, "instances"))}


def of_instance(instance):
    names = {"user": "User", "assistant": "AI Assistant"}
    log = ""
    for number, session in enumerate(instance["prior_interactions"], start=1):
        log += f"### Session {number}\n\n"
        for message in session["dialogue"]:
            log += f"#### {names[message['role']]}\n\n{message['content']}\n\n"
        log += "---\n\n"
    return {
        "key": [instance["persona_id"], instance["instance_type"]],
        "log": log.strip(),
        "request": instance["current_request"],
        "preference": instance["current_contextual_preference"],
        "checklist": "\n".join(f"{number}. {entry}" for number, entry in enumerate(instance["current_checklist"], start=1)),
    }


def synthesis(folder):
    with open(os.path.join(folder, "personas.json")) as file:
        personas = json.load(file)
    found = {}
    for persona in personas:
        occupation = persona["occupation"].lower().replace("/", " and ").replace(" ", "_")
        with open(os.path.join(folder, "data", f"{persona['id']}+{occupation}.json")) as file:
            made = json.load(file)
        chats = {one["session_id"]: one["chat"] for one in made["interactions"]}
        found[persona["id"]] = {
            "description": persona["description"],
            "factors": [factor["factor"] for factor in made["context_factors"]],
            "sessions": [
                [session["id"], session["preference"], session.get("resource"), len(chats.get(session["id"], []))]
                for session in made["sessions"]
            ],
        }
    return found


def instances(folder):
    return {name: list(instances_of(made)) for name, made in files(os.path.join(folder, "data"))}


def instances_of(made):
    # It takes the last interaction to be the one that the instances ask about, whichever session that is of.
    *prior, last = made["interactions"]
    sessions = {session["id"]: session for session in made["sessions"]}
    factor_of = lambda one: sessions[one["session_id"]]["context_factor"]
    current = factor_of(last)
    [contrasting] = [one["related_factor"] for one in made["context_factors"] if one["factor"] == current]
    own = [one for one in prior if factor_of(one) == current]
    consistent, changing = own[:2], own[2:]
    contrastive = [one for one in prior if factor_of(one) == contrasting]
    others = [one for one in prior if factor_of(one) not in (current, contrasting)]
    for kind, relevant, truth in [
        ("consistent", consistent, consistent[0]),
        ("contrastive", consistent + contrastive, consistent[0]),
        ("changing", consistent + changing, last),
    ]:
        yield {
            "type": kind,
            "request": last["chat"][0]["content"],
            "factor": current,
            "preference": truth["preference"],
            "checklist": truth["checklist"],
            "relevant": sorted(one["session_id"] for one in relevant),
            "others": [one["session_id"] for one in others],
        }


def written(folder):
    different = []
    paths = [("personas.json", 4)]
    paths += [(f"data/{name}.json", 4) for name, _ in files(os.path.join(folder, "data"))]
    paths += [(f"instances/{name}.json", 2) for name, _ in files(os.path.join(folder, "instances"))]
    for path, indent in paths:
        with open(os.path.join(folder, path), newline="") as file:
            text = file.read()
        if json.dumps(json.loads(text), indent=indent) != text:
            different.append(path)
    return {"files": len(paths), "different": different}


def files(folder):
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name)) as file:
            yield name.removesuffix(".json"), json.load(file)


json.dump(main(*sys.argv[1:]), sys.stdout)
