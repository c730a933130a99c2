"""Prints sum, number and number of ids of an exported file as DuckDB reads it: format and file are the arguments."""

import json
import sys

import duckdb

form, file = sys.argv[1:]
if form == "parquet":
    table = f"read_parquet('{file}')"
elif form == "csv":
    table = f"read_csv('{file}', all_varchar = true)"
else:
    # As text: DuckDB reads numbers of JSON as doubles.
    lines = f"read_csv('{file}', columns = {{'line': 'varchar'}}, delim = '\x01', quote = '', escape = '', header = false)"
    table = f"""(select regexp_extract(line, '"origId":"(\\w+)"', 1) as "origId",
        regexp_extract(line, '"actualBalance":([-0-9.]+)', 1) as "actualBalance" from {lines})"""
total, count, ids = duckdb.sql(
    f"""select sum("actualBalance"::decimal(38, 10))::varchar, count(*), count(distinct "origId") from {table}"""
).fetchall()[0]
print(json.dumps({"total": total.rstrip("0").rstrip("."), "count": count, "ids": ids}))
