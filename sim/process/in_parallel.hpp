// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace ascendsim::process {

/// Calls f(i) for i below `count` on at most `most` threads, as many as there are processors by default;
/// throws the error of the lowest i there is, and starts no further ones behind it.
template <class F>
void in_parallel(std::size_t count, const F& f, std::size_t most = std::thread::hardware_concurrency()) {
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> errors(count);
    const auto work = [&] {
        for (std::size_t i = next++; i < count; i = next++) {
            try {
                f(i);
            } catch (...) {
                errors[i] = std::current_exception();
                next = count;
            }
        }
    };
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(std::max<std::size_t>(most, 1), count); ++i) {
        threads.emplace_back(work);
    }
    work();
    threads.clear();
    for (const std::exception_ptr& error : errors) {
        if (error) {
            std::rethrow_exception(error);
        }
    }
}

}  // namespace ascendsim::process
