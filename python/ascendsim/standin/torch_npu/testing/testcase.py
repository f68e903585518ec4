# SPDX-License-Identifier: Apache-2.0
import unittest

import numpy as np
import torch


class TestCase(unittest.TestCase):
    """A case that compares tensors with tolerances for their type."""

    def assertRtolEqual(self, expected, actual, prec=1.0e-4, prec16=1.0e-3, auto_trans_dtype=False, message=None):
        """All elements within prec (prec16 for float16), in relation to the larger where that exceeds one."""
        if isinstance(expected, (list, tuple)) and isinstance(actual, (list, tuple)):
            self.assertEqual(len(expected), len(actual), message)
            for one, other in zip(expected, actual):
                self.assertRtolEqual(one, other, prec, prec16, auto_trans_dtype, message)
            return
        pair = []
        for one in (expected, actual):
            if isinstance(one, torch.Tensor):
                one = one.detach().cpu()
                one = one.float().numpy() if one.dtype == torch.bfloat16 else one.numpy()
            pair.append(np.asarray(one))
        first, second = pair
        self.assertEqual(first.shape, second.shape, message)
        bound = prec16 if np.float16 in (first.dtype, second.dtype) else prec
        first, second = first.astype(np.float64), second.astype(np.float64)
        both_nan = np.isnan(first) & np.isnan(second)
        same = (first == second) | both_nan
        error = np.abs(first - second) / np.maximum(1, np.maximum(np.abs(first), np.abs(second)))
        wrong = ~same & ~(error <= bound)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            self.fail(message or f"{int(wrong.sum())} of {wrong.size} elements differ, the first at {place}: {first[place]:g}, {second[place]:g}")

    def assertEqual(self, first, second, *rest, **named):
        if isinstance(first, torch.Tensor) and isinstance(second, torch.Tensor):
            torch.testing.assert_close(first.cpu(), second.cpu(), equal_nan=True)
        else:
            super().assertEqual(first, second, *rest[:1])


def run_tests():
    unittest.main()
