# SPDX-License-Identifier: Apache-2.0
from typing import Any

def read(file: str) -> dict[str, Any]: ...
