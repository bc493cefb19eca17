"""Uses a Hub with its official Python client, and prints what it saw, as JSON. HF_ENDPOINT and HF_TOKEN say which and as whom.

hub_client.py publish NAME FOLDER   makes the data set, commits all files of a folder at once, reads everything back; then tries to
                                    commit on the old head, and opens a pull request
hub_client.py upload NAME FOLDER    makes the data set and commits all files of a folder at once
"""

import hashlib
import json
import os
import pathlib
import sys
import tempfile

os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
scratch = tempfile.TemporaryDirectory()
os.environ["HF_HOME"] = scratch.name
os.environ["HF_XET_CACHE"] = os.path.join(scratch.name, "xet")

import huggingface_hub
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi


def publish(name, folder):
    api = HfApi()
    account = api.whoami()
    url = api.create_repo(name, repo_type="dataset", private=True)
    before = api.dataset_info(name).sha
    files = sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file())

    def added():
        return [CommitOperationAdd(path.relative_to(folder).as_posix(), str(path)) for path in files]

    about = {"repo_id": name, "repo_type": "dataset", "commit_message": "All of it"}
    made = api.create_commit(operations=added(), parent_commit=before, commit_description="At once", **about)
    again = api.create_commit(operations=added(), parent_commit=made.oid, **about)
    seen = {
        "account": {"name": account["name"], "role": account["auth"]["accessToken"]["role"]},
        "url": url.url,
        "commit": made.oid,
        "again": again.oid,
        "private": api.dataset_info(name).private,
        "commits": [commit.title for commit in api.list_repo_commits(name, repo_type="dataset")],
        "tree": listed(api.list_repo_tree(name, recursive=True, expand=True, repo_type="dataset")),
        "paths": listed(api.get_paths_info(name, ["data", "README.md"], repo_type="dataset")),
        "downloaded": downloaded(name, "main"),
    }

    def note():
        return CommitOperationAdd("note.txt", b"A note.\n")

    try:
        api.create_commit(operations=[note()], parent_commit=before, **about)
    except huggingface_hub.errors.HfHubHTTPError as error:
        seen["conflict"] = {"status": error.response.status_code, "message": error.server_message}

    pull = api.create_commit(
        operations=[note(), CommitOperationDelete("data/", is_folder=True)], create_pr=True, parent_commit=made.oid, **about
    )
    refs = api.list_repo_refs(name, repo_type="dataset", include_pull_requests=True)
    seen["pull"] = {
        "url": pull.pr_url,
        "revision": pull.pr_revision,
        "refs": {ref.ref: ref.target_commit for ref in refs.branches + refs.pull_requests},
        "downloaded": downloaded(name, pull.pr_revision),
    }
    api.create_branch(name, branch="other/one", repo_type="dataset")
    api.create_commit(operations=[note()], revision="other/one", **about)
    seen["branch"] = downloaded(name, "other/one")
    return seen


def listed(entries):
    def entry(one):
        if isinstance(one, huggingface_hub.hf_api.RepoFolder):
            return "folder"
        lfs = one.lfs and one.lfs.sha256
        return {"size": one.size, "lfs": lfs, "title": one.last_commit and one.last_commit.title}

    return {one.path: entry(one) for one in entries}


def downloaded(name, revision):
    api = HfApi()
    folder = api.snapshot_download(name, repo_type="dataset", revision=revision)
    paths = sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def upload(name, folder):
    HfApi().create_repo(name, repo_type="dataset")
    return HfApi().upload_folder(repo_id=name, repo_type="dataset", folder_path=folder).oid


what, *arguments = sys.argv[1:]
json.dump({"publish": publish, "upload": upload}[what](*arguments), sys.stdout)
