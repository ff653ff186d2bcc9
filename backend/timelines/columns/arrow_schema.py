"""Defines the Arrow schema of runs for charts, statistics and the Arrow form of a listing.

One row is one run, oldest first within its profile. Names are dictionary-coded, instants are UTC
microseconds, null means that the source does not report the value. ``deductions`` and ``bonuses`` hold names
and points; their descriptions are in the run itself.
"""

import pyarrow as pa

NAME = pa.dictionary(pa.int32(), pa.string())
PARTS = pa.list_(pa.struct([("name", NAME), ("points", pa.float64())]))

SCHEMA = pa.schema(
    [
        pa.field("profile", NAME, nullable=False),
        pa.field("case_id", NAME, nullable=False),
        pa.field("run_id", pa.string(), nullable=False),
        pa.field("timestamp", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("finished_at", pa.timestamp("us", tz="UTC")),
        pa.field("success", pa.bool_(), nullable=False),
        pa.field("total_score", pa.float64(), nullable=False),
        pa.field("raw_score", pa.float64(), nullable=False),
        pa.field("max_score", pa.float64(), nullable=False),
        pa.field("normalized_score", pa.float64(), nullable=False),
        pa.field("read_file_calls", pa.int64()),
        pa.field("write_file_calls", pa.int64()),
        pa.field("list_dir_calls", pa.int64()),
        pa.field("read_write_ratio", pa.float64()),
        pa.field("pre_write_read_coverage", pa.float64()),
        pa.field("deductions", PARTS, nullable=False),
        pa.field("bonuses", PARTS, nullable=False),
        pa.field("provider", NAME),
        pa.field("model", NAME),
        pa.field("model_vendor", NAME),
        pa.field("inference_provider", NAME),
        pa.field("cost_usd", pa.float64()),
        pa.field("machinery_failure", pa.bool_(), nullable=False),
        pa.field("evaluation_id", NAME),
        pa.field("suite", NAME),
        pa.field("revision", NAME),
        pa.field("config_digest", NAME),
    ]
)
