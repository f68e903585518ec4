// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace ascendsim::gui {

/// Calls work(0) to work(count - 1), each once, on as many threads as the machine has, at most four.
template <class Work>
void in_parallel(std::size_t count, const Work& work) {
    const std::size_t threads =
        std::min<std::size_t>(std::clamp(std::thread::hardware_concurrency(), 1U, 4U), count);
    std::atomic<std::size_t> next{0};
    const auto take = [&] {
        for (std::size_t n = next++; n < count; n = next++) {
            work(n);
        }
    };
    std::vector<std::jthread> others;
    for (std::size_t n = 1; n < threads; ++n) {
        others.emplace_back(take);
    }
    take();
}

}  // namespace ascendsim::gui
