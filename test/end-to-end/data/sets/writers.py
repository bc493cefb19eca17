"""Writes the rows of a JSON file in the ways that people's tools write data sets.

writers.py ROWS FOLDER   what is broken on purpose goes into the folder above
"""

import json
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"

import datasets
import duckdb
import polars
import pyarrow
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet


def main(rows, folder):
    os.chdir(folder)
    with_pyarrow(rows)
    with_polars(rows)
    with_duckdb(rows)
    with_datasets(rows)
    not_text(rows)


def table(rows, text=pyarrow.string(), many=pyarrow.list_):
    message = pyarrow.struct([("role", text), ("content", text)])
    prior = pyarrow.struct([("context_factor", text), ("contextual_preference", text), ("dialogue", many(message))])
    columns = [
        ("persona_id", text),
        ("instance_type", text),
        ("current_request", text),
        ("current_context_factor", text),
        ("current_contextual_preference", text),
        ("current_checklist", many(text)),
        ("prior_interactions", many(prior)),
    ]
    return pyarrow.Table.from_pylist(rows, schema=pyarrow.schema(columns))


def with_pyarrow(rows):
    plain = table(rows)
    large = table(rows, pyarrow.large_string(), pyarrow.large_list)
    coded = plain.set_column(1, "instance_type", plain["instance_type"].dictionary_encode())
    # Columns in another order, and one that CUPID does not have.
    mixed = plain.select(plain.column_names[::-1]).append_column("note", pyarrow.array(range(len(rows))))
    write = pyarrow.parquet.write_table
    for codec in ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]:
        write(plain, f"pyarrow-{codec}.parquet", compression=codec)
    write(plain, "pyarrow-pages-v2.parquet", data_page_version="2.0", data_page_size=2000)
    # Of several pages a row, which begin anywhere within it.
    write(plain, "pyarrow-pages.parquet", data_page_size=500, write_batch_size=3, dictionary_pagesize_limit=2000)
    write(plain, "pyarrow-small.parquet", data_page_size=1000, row_group_size=7)
    write(plain, "pyarrow-old.parquet", use_dictionary=False, version="1.0", use_compliant_nested_type=False)
    write(plain, "pyarrow-delta.parquet", use_dictionary=False, column_encoding={"persona_id": "DELTA_BYTE_ARRAY"})
    write(large, "pyarrow-large.parquet")
    write(coded, "pyarrow-coded.parquet")
    write(mixed, "pyarrow-mixed.parquet")
    feather = pyarrow.feather.write_feather
    feather(plain, "pyarrow.feather")
    feather(plain, "pyarrow-zstd.feather", compression="zstd")
    feather(plain, "pyarrow-none.feather", compression="uncompressed")
    # What pandas makes of a category. Read first: nothing else has loaded the codec then.
    feather(coded, "coded.feather")
    for name, rows in {"plain": plain, "large": large, "coded": coded, "mixed": mixed}.items():
        for form, opened in {"file": pyarrow.ipc.new_file, "stream": pyarrow.ipc.new_stream}.items():
            with opened(f"pyarrow-{name}-{form}.arrow", rows.schema) as writer:
                writer.write_table(rows, max_chunksize=7)


def with_polars(rows):
    frame = polars.from_arrow(table(rows))
    frame.write_parquet("polars.parquet")
    frame.write_ipc("polars.arrow")
    frame.write_ipc("polars-lz4.arrow", compression="lz4")
    frame.write_ipc("polars-zstd.arrow", compression="zstd")
    frame.write_ipc_stream("polars-stream.arrow")
    frame.write_ndjson("polars.ndjson")
    coded = frame.with_columns(polars.col("instance_type").cast(polars.Categorical))
    coded.write_parquet("polars-coded.parquet")
    coded.write_ipc("polars-coded.arrow")


def with_duckdb(rows):
    rows = table(rows)
    connection = duckdb.connect()
    connection.register("given", rows)
    connection.sql("copy given to 'duckdb.parquet' (format parquet)")
    connection.sql("copy given to 'duckdb-v2.parquet' (format parquet, parquet_version v2, compression zstd)")
    connection.sql("copy given to 'duckdb.jsonl' (format json)")


def with_datasets(rows):
    data = datasets.Dataset.from_list(rows)
    data.to_parquet("datasets.parquet")
    data.to_json("datasets.jsonl")
    data.save_to_disk("datasets-on-disk", num_shards=3)
    datasets.DatasetDict({"train": data.select(range(2)), "test": data}).save_to_disk("datasets-splits")


def not_text(rows):
    bytes = pyarrow.array([b"\xff\xfe"] * len(rows), pyarrow.binary())
    broken = table(rows).set_column(0, "persona_id", bytes)
    pyarrow.parquet.write_table(broken, "../not-text.parquet")
    pyarrow.feather.write_feather(broken, "../not-text.feather")


with open(sys.argv[1], encoding="utf-8") as file:
    main(json.load(file), sys.argv[2])
