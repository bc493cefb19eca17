"""Reads data sets with the libraries people read them with, and says what each of them saw: a request a line of standard input, a JSON
list, and its answer a line of standard output, as JSON.

["file", FILE]         a .parquet, .arrow or .jsonl file, with every library that reads it
["folder", FOLDER, …]  data sets' folders, as `datasets` loads each by the card in it, and what it counts of it
["hub", NAME]          the same of a data set of the Hub at HF_ENDPOINT, with HF_HUB_OFFLINE=0
["splits", FOLDER]     every split of such a folder, by its name; a configuration may follow
["infos", FOLDER, …]   only what `datasets` counts of each of these folders
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
import pyarrow
import pyarrow.ipc
import pyarrow.parquet


def answer(what, path, *others):
    if what == "folder":
        return [with_card(one) for one in (path, *others)]
    if what == "hub":
        return with_card(path)
    if what == "splits":
        return {split: with_datasets(data) for split, data in load(path, None, name=next(iter(others), None)).items()}
    if what == "infos":
        return [load(one).info._to_yaml_dict() for one in (path, *others)]
    # Not beside every version of `datasets`.
    global duckdb, polars
    import duckdb
    import polars

    if path.endswith(".arrow"):
        return {
            "pyarrow": with_pyarrow(pyarrow.ipc.open_file(path).read_all()),
            "polars": with_polars(polars.read_ipc(path)),
            "datasets": with_datasets(load("arrow", data_files={"test": path})),
        }
    if path.endswith(".jsonl"):
        return {
            "polars": with_polars(polars.read_ndjson(path, infer_schema_length=None)),
            "datasets": with_datasets(load("json", data_files={"test": path})),
        }
    return {
        "pyarrow": with_pyarrow(pyarrow.parquet.read_table(path)) | {"layout": layout(path)},
        "polars": with_polars(polars.read_parquet(path)),
        "duckdb": with_duckdb(duckdb.read_parquet(path)),
        "datasets": with_datasets(load("parquet", data_files={"test": path})),
    }


def load(path, split="test", **options):
    # Nothing that an earlier request left in the cache is read.
    return datasets.load_dataset(path, split=split, cache_dir=tempfile.mkdtemp(dir=scratch.name), **options)


def with_card(name):
    data = load(name)
    return with_datasets(data) | {"info": data.info._to_yaml_dict()}


def with_pyarrow(table):
    def name(type):
        if pyarrow.types.is_list(type):
            return list_of(name(type.value_type))
        if pyarrow.types.is_struct(type):
            return struct_of((field.name, name(field.type)) for field in type)
        return str(type)

    own = json.loads((table.schema.metadata or {}).get(b"cupid", b"{}"))
    return reading(((field.name, name(field.type)) for field in table.schema), table.to_pylist()) | {"marks": own}


def with_polars(frame):
    names = {polars.String: "string", polars.Int64: "int64", polars.Float64: "double", polars.Boolean: "bool"}

    def name(type):
        if isinstance(type, polars.List):
            return list_of(name(type.inner))
        if isinstance(type, polars.Struct):
            return struct_of((field.name, name(field.dtype)) for field in type.fields)
        return names.get(type, str(type))

    return reading(((column, name(type)) for column, type in frame.schema.items()), frame.to_dicts())


def with_duckdb(relation):
    names = {"varchar": "string", "bigint": "int64", "double": "double", "boolean": "bool"}

    def name(type):
        if type.id == "list":
            return list_of(name(type.children[0][1]))
        if type.id == "struct":
            return struct_of((child, name(inner)) for child, inner in type.children)
        return names.get(type.id, str(type))

    columns = zip(relation.columns, map(name, relation.types))
    return reading(columns, [dict(zip(relation.columns, row)) for row in relation.fetchall()])


def with_datasets(data):
    names = {"float64": "double"}

    def name(feature):
        if isinstance(feature, datasets.Value):
            return names.get(feature.dtype, feature.dtype)
        if isinstance(feature, dict):
            return struct_of((child, name(inner)) for child, inner in feature.items())
        # Before version 4 a list was its only element.
        return list_of(name(feature[0] if isinstance(feature, list) else feature.feature))

    return reading(((column, name(feature)) for column, feature in data.features.items()), list(data))


def layout(path):
    metadata = pyarrow.parquet.ParquetFile(path).metadata
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    chunks = [group.column(index) for group in groups for index in range(group.num_columns)]
    return {
        "row_groups": [group.num_rows for group in groups],
        "compression": sorted({chunk.compression for chunk in chunks}),
        "page_index": all(chunk.has_column_index and chunk.has_offset_index for chunk in chunks),
    }


def reading(columns, rows):
    return {"columns": [f"{name}: {type}" for name, type in columns], "rows": rows}


def list_of(type):
    return f"list<{type}>"


def struct_of(fields):
    return "struct<" + ", ".join(f"{name}: {type}" for name, type in fields) + ">"


for line in sys.stdin:
    print(json.dumps(answer(*json.loads(line)), sort_keys=True), flush=True)
