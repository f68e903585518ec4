// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>

#include "runtime/acl/host_threads.hpp"

namespace ascendsim::program {

/// The threads of the program that runs, for one of them; null on others.
[[nodiscard]] HostThreads* own_threads();

/// What is done on a thread of the system that is to be `number` of the program: waits for its turn, does
/// `body`, and ends. An error ends the program with a sentence.
void* run_as_thread(HostThreads& threads, ThreadNumber number, const std::function<void*()>& body);

constexpr double us_per_s = 1e6;
constexpr double ns_per_us = 1e3;

[[nodiscard]] double us_of(const timespec& time);

/// The time that a program reads from one of the system's clocks, ns: that of its thread in the simulation,
/// behind a fixed beginning.
[[nodiscard]] std::int64_t time_of(HostThreads& threads, clockid_t clock, bool reads);

/// Until when a thread of the program waits, on the axis of one of the clocks that it reads.
class Deadline {
public:
    Deadline(HostThreads& threads, const timespec& at, clockid_t clock);

    /// From now on; 0 if it has passed.
    [[nodiscard]] double left_us() const;

private:
    HostThreads* threads_;
    std::int64_t at_ns_;
    clockid_t clock_;
};

/// The same of a wait that may last for ever.
[[nodiscard]] std::optional<double> left_us(const std::optional<Deadline>& deadline);

}  // namespace ascendsim::program
