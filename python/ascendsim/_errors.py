# SPDX-License-Identifier: Apache-2.0
"""The three kinds of errors, as the command line's exit codes 2, 3 and 4 tell them apart."""


class SimulatorError(Exception):
    """Anything that went wrong in a run. `text` is the simulator's own sentence."""

    def __init__(self, text: str):
        super().__init__(text)
        self.text = text


class UserError(SimulatorError, ValueError):
    """The input is wrong: a file, a value, a source that does not compile."""


class KernelError(SimulatorError):
    """The kernel did not reach its end: a crash, a deadlock, an endless loop. `result` holds what was recorded."""

    def __init__(self, text: str, result=None):
        super().__init__(text)
        self.result = result


class InternalError(SimulatorError):
    """A defect of AscendSim."""
