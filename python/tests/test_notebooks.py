# SPDX-License-Identifier: Apache-2.0
"""Notebooks run from their first cell to the last. Jupyter is not needed: the code cells are executed as they stand."""

import ast
import html
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))


def execute(cells):
    """Runs code cells in one namespace; returns what the last expression of each shows in a notebook."""
    names, shown = {"__name__": "__main__"}, []
    for i, cell in enumerate(cells):
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), f"cell {i}", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {i}", "eval"), names)
            shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    return shown


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_runs(file):
    book = json.loads(file.read_text())
    assert book["nbformat"] == 4
    cells = [one for one in book["cells"] if one["cell_type"] == "code"]
    assert all(one["outputs"] == [] and one["execution_count"] is None for one in cells), "keep outputs out of the file"
    shown = execute(cells)
    assert len(shown) == len(cells)
    assert any("<svg" in html.unescape(one) for one in shown)  # the timeline of a run
