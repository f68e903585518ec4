// SPDX-License-Identifier: Apache-2.0
// What the tests of the attention kernels have in common: a named choice of extents and schedule.
#pragma once

#include <ostream>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim::testing {

struct AttentionCase {
    const char* name;
    Settings settings;
};

inline void PrintTo(const AttentionCase& c, std::ostream* out) {
    *out << c.name;
}

/// The extents every attention has, then `more`.
inline Settings attention_sizes(const char* batch,
                                const char* q_len,
                                const char* kv_len,
                                const char* heads,
                                const char* dim,
                                const Settings& more = {}) {
    Settings all{{"batch", batch}, {"q_len", q_len}, {"kv_len", kv_len}, {"heads", heads}, {"head_dim", dim}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace ascendsim::testing
