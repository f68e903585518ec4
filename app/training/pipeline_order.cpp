// SPDX-License-Identifier: Apache-2.0
#include "app/training/pipeline_order.hpp"

#include <algorithm>

namespace ascendsim::training {

std::vector<PassUnit> pipeline_order(std::uint32_t stage,
                                     std::uint32_t stages,
                                     std::uint32_t chunks,
                                     std::uint32_t passes) {
    const std::uint32_t units = chunks * passes;
    const auto forward = [&](std::uint32_t k) {
        const std::uint32_t group = k / (stages * chunks);
        const std::uint32_t in = k % (stages * chunks);
        return chunks == 1 ? PassUnit{true, 0, k} : PassUnit{true, in / stages, group * stages + in % stages};
    };
    const auto backward = [&](std::uint32_t k) {
        PassUnit unit = forward(k);
        unit.forward = false;
        unit.chunk = chunks - 1 - unit.chunk;
        return unit;
    };
    // Megatron-LM counts what is ahead of the first forward-backward pair: one less than 1F1B's depth.
    std::uint32_t ahead = stages - stage - 1;
    if (chunks > 1) {
        ahead = passes == stages ? units : 2 * ahead + (chunks - 1) * stages;
    }
    ahead = std::min(ahead, units);
    std::vector<PassUnit> order;
    for (std::uint32_t k = 0; k < ahead; ++k) {
        order.push_back(forward(k));
    }
    for (std::uint32_t k = ahead; k < units; ++k) {
        order.push_back(forward(k));
        order.push_back(backward(k - ahead));
    }
    for (std::uint32_t k = units - ahead; k < units; ++k) {
        order.push_back(backward(k));
    }
    return order;
}

std::uint32_t most_waiting(const std::vector<PassUnit>& order) {
    std::uint32_t waiting = 0;
    std::uint32_t most = 0;
    for (const PassUnit& unit : order) {
        waiting = unit.forward ? waiting + 1 : waiting - 1;
        most = std::max(most, waiting);
    }
    return most;
}

}  // namespace ascendsim::training
