# SPDX-License-Identifier: Apache-2.0
"""Programs to read and to start from: python3 -m ascendsim.examples.swiglu."""
