// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace ascendsim::training {

/// Work of a stage on one pass: through the layers of one of its chunks, forward or backward.
struct PassUnit {
    bool forward = true;
    std::uint32_t chunk = 0;  // layers of chunk c come behind those of chunk c - 1 of the last stage
    std::uint32_t pass = 0;
};

/// In what order a stage works: one forward, one backward (1F1B) behind as many forward passes as the stages
/// behind it need to have work. With several chunks a stage goes through groups of as many passes as there
/// are stages, chunk by chunk (Narayanan et al. 2021, interleaved 1F1B); `passes` is then a multiple of
/// `stages`.
[[nodiscard]] std::vector<PassUnit> pipeline_order(std::uint32_t stage,
                                                   std::uint32_t stages,
                                                   std::uint32_t chunks,
                                                   std::uint32_t passes);

/// Forward passes of chunks that wait for their backward pass at the same time, at most.
[[nodiscard]] std::uint32_t most_waiting(const std::vector<PassUnit>& order);

}  // namespace ascendsim::training
