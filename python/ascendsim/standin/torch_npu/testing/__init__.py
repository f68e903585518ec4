# SPDX-License-Identifier: Apache-2.0
"""What suites of operators import: a test case with its comparisons."""
