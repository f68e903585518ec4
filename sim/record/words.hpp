// SPDX-License-Identifier: Apache-2.0
// What people read where files hold a key: the one table that reports, pages, the dashboard and documents
// take their words from. A key is what record::name() gives.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sim/record/span.hpp"

namespace ascendsim::record {

/// A label, and a few words that say what it means.
struct Word {
    std::string_view label;
    std::string_view meaning;
};

/// By Reason.
inline constexpr std::array<Word, reason_count> reason_words{
    Word{"busy", "not waiting"},
    Word{"launch", "before the core's first instruction"},
    Word{"issue", "the scalar unit had not handed over the next instruction"},
    Word{"queue full", "the destination pipe's queue had no room"},
    Word{"waiting for data", "a flag from a pipe upstream: the data is not there yet"},
    Word{"waiting for a buffer", "a flag from a pipe downstream: the buffer is not free yet"},
    Word{"scalar flag", "a flag to or from the scalar unit"},
    Word{"barrier", "a pipe barrier: earlier work of the pipe, or of every pipe, is not done"},
    Word{"scalar memory", "the scalar unit reads global memory past its cache"},
    Word{"code fetch", "code met for the first time is fetched into the instruction cache"},
    Word{"other core", "a flag of another core"},
    Word{"all cores", "other cores have not arrived at the common barrier"},
    Word{"between blocks", "between two blocks on one core"},
    Word{"tail", "this core is done, others are not"},
    Word{"unused", "the pipe has no instruction in this run"},
};

/// "waiting for a buffer", where the key is "flag_buffer".
[[nodiscard]] constexpr std::string_view label(Reason reason) {
    return reason_words[static_cast<std::size_t>(reason)].label;
}

/// "a flag from a pipe downstream: the buffer is not free yet".
[[nodiscard]] constexpr std::string_view meaning(Reason reason) {
    return reason_words[static_cast<std::size_t>(reason)].meaning;
}

/// By Limiter.
inline constexpr std::array<std::string_view, limiter_names.size()> limiter_labels{"",
                                                                                   "the core's port",
                                                                                   "requests under way",
                                                                                   "L2 bandwidth",
                                                                                   "HBM bandwidth",
                                                                                   "the core's path to HBM",
                                                                                   "request rate",
                                                                                   "cores on one line",
                                                                                   "start-up"};

/// "HBM bandwidth", where the key is "hbm_bandwidth"; empty for none.
[[nodiscard]] constexpr std::string_view label(Limiter limiter) {
    return limiter_labels[static_cast<std::size_t>(limiter)];
}

}  // namespace ascendsim::record
