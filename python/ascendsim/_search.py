# SPDX-License-Identifier: Apache-2.0
"""Many runs: a grid of values, and the best of them."""

import html
import itertools
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from ._errors import KernelError, UserError


class Sweep:
    """The runs of a grid: `points` are dicts of values, `results` a Result or an exception for each."""

    def __init__(self, points, results):
        self.points = points
        self.results = results

    def __len__(self):
        return len(self.points)

    def __iter__(self):
        return iter(zip(self.points, self.results))

    @property
    def table(self) -> list:
        """A dict for each point: its values, time_us (None if it did not run) and what went wrong."""
        rows = []
        for point, result in self:
            failed = isinstance(result, Exception)
            rows.append(
                point
                | {
                    "time_us": None if failed else result.time_us,
                    "passed": not failed and result.passed,
                    "error": str(result) if failed else "",
                }
            )
        return rows


    def _repr_html_(self):
        rows = self.table
        heads = "".join(f"<th>{html.escape(str(one))}</th>" for one in (rows[0] if rows else []))
        cells = ["".join(f"<td>{html.escape(_shown(one))}</td>" for one in row.values()) for row in rows]
        return f"<table><tr>{heads}</tr>{''.join(f'<tr>{one}</tr>' for one in cells)}</table>"


def _shown(value):
    return f"{value:.2f}" if isinstance(value, float) else str(value)


class Tuning:
    """`best`: the point with the least time whose numbers are right; `result`: its run; `sweep`: all."""

    def __init__(self, best, result, tried):
        self.best = best
        self.result = result
        self.sweep = tried

    def __repr__(self):
        return f"<best of {len(self.sweep)}: {self.best}, {self.result.time_us:.2f} us>"


def sweep(function, over, where=None, jobs=None, progress=False):
    """Calls function(**point) for every point of the grid `over` = {"tile": [1024, 2048], …}, several at a time.

    `function` makes one run and returns its Result: values that depend on each other are computed there. `where` leaves
    out points for which it is false. UserError and KernelError of a run are kept in its place.
    """
    points = [dict(zip(over, values)) for values in itertools.product(*over.values())]
    points = [point for point in points if where is None or where(**point)]
    done = 0

    def one(point):
        nonlocal done
        try:
            result = function(**point)
        except (UserError, KernelError) as error:
            result = error
        done += 1
        if progress:
            print(f"\r{done} of {len(points)}", end="\n" if done == len(points) else "", file=sys.stderr, flush=True)
        return result

    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        return Sweep(points, list(pool.map(one, points)))


def tune(function, over, where=None, jobs=None, progress=False):
    """The fastest point of a grid whose run is complete, right and free of hazards; see sweep()."""
    tried = sweep(function, over, where, jobs, progress)
    good = [(result.time_us, i) for i, (_, result) in enumerate(tried) if not isinstance(result, Exception) and result.passed]
    if not good:
        first = next((row["error"] for row in tried.table if row["error"]), "every run has wrong numbers or hazards")
        raise UserError(f"none of {len(tried)} points runs: {first}")
    _, best = min(good)
    return Tuning(tried.points[best], tried.results[best], tried)
