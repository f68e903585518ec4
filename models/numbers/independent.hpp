// SPDX-License-Identifier: Apache-2.0
#pragma once

/// In front of a loop whose rounds read nothing that another round writes, so that it may be vectorised. A
/// macro, as each compiler has a pragma of its own for that.
#ifdef __clang__
#define ASCENDSIM_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define ASCENDSIM_INDEPENDENT _Pragma("GCC ivdep")
#endif
