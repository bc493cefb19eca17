"""Reads all rows of a record set with mlcroissant, as checkers of submissions do, and prints them as a JSON list under the names of their columns.

Arguments: a Croissant file, the folder with the files that it describes, the name of the record set.
"""

import json
import os
import sys

import mlcroissant

description, folder, record_set = sys.argv[1:]


def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {name.split("/")[-1]: plain(one) for name, one in value.items()}
    return value


with open(description, encoding="utf-8") as file:
    sources = [one for one in json.load(file)["distribution"] if one["@type"] == "cr:FileObject"]
# Local files in place of those on the Hub; a repository is the folder itself.
places = {
    one["@id"]: folder if one["encodingFormat"] == "git+https" else os.path.join(folder, one["@id"]) for one in sources
}
data = mlcroissant.Dataset(jsonld=description, mapping=places)
print(json.dumps([plain(row) for row in data.records(record_set)]))
