# SPDX-License-Identifier: Apache-2.0
"""Run Ascend C kernels on a simulated Ascend chip, from Python.

    import ascendsim
    r = ascendsim.run("add.cpp", x, y, out=z, blocks=40, total=x.size, tile=2048)
    r.time_us, r.pipes["mte2"]["utilization"], r.hazards

Each run is a child process: nothing that a kernel does reaches the interpreter.
"""

from ._aclnn import Scalar, aclnn
from ._errors import InternalError, KernelError, SimulatorError, UserError
from ._library import operator
from ._result import Comparison, Result
from ._run import bfloat16, parameters, run
from ._search import Sweep, Tuning, sweep, tune
from ._shipped import op, shipped

__all__ = [
    "Comparison",
    "InternalError",
    "KernelError",
    "Result",
    "Scalar",
    "SimulatorError",
    "Sweep",
    "Tuning",
    "UserError",
    "aclnn",
    "bfloat16",
    "op",
    "operator",
    "parameters",
    "run",
    "shipped",
    "sweep",
    "tune",
]
