# SPDX-License-Identifier: Apache-2.0
"""Writes the scenario of a run: tables, arrays of tables, and plain values."""

import json
import math


def _value(value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, float):
        if math.isfinite(value):
            return repr(value)
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(str(key))} = {_value(one)}" for key, one in value.items()) + " }"
    raise TypeError(f"a scenario cannot hold {type(value).__name__}: {value!r}")


def dumps(tables: dict) -> str:
    """The text of a document whose top level holds tables, and lists of tables."""
    text = ""
    for name, table in tables.items():
        for head, one in [("[[%s]]", part) for part in table] if isinstance(table, list) else [("[%s]", table)]:
            text += head % name + "\n"
            text += "".join(f"{json.dumps(str(key))} = {_value(value)}\n" for key, value in one.items()) + "\n"
    return text
