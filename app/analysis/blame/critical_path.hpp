// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/analysis/blame/path_walker.hpp"

namespace ascendsim::analysis {

/// A root cause: an instruction at a source line on a kind of pipe, or something that is no instruction.
struct Root {
    PathKind kind = PathKind::other;
    std::string pipe;  // empty if no instruction
    std::uint32_t op = 0;
    std::uint32_t site = 0;
    record::Limiter limiter = record::Limiter::none;  // of a transfer
    std::uint64_t cycles = 0;
    std::uint64_t times = 0;

    friend bool operator==(const Root&, const Root&) = default;
};

/// Sums segments by root cause.
class RootSum {
public:
    explicit RootSum(const record::Recording& recording) : recording_{recording} {}

    RootSum(const RootSum&) = delete;
    RootSum& operator=(const RootSum&) = delete;
    RootSum(RootSum&&) = delete;
    RootSum& operator=(RootSum&&) = delete;
    ~RootSum() = default;

    void add(const PathSegment& segment, std::uint64_t cycles);

    void add(PathKind kind, std::uint64_t cycles) { add({.kind = kind, .span = {}}, cycles); }

    /// Largest first.
    [[nodiscard]] std::vector<Root> result() const;

    [[nodiscard]] std::uint64_t total() const { return total_; }

private:
    struct Key {
        std::uint64_t instruction = 0;  // name and site
        std::uint32_t place = 0;        // kind, limiter, pipe's number
        friend bool operator==(const Key&, const Key&) = default;
    };

    struct Hash {
        std::size_t operator()(const Key& key) const {
            return std::hash<std::uint64_t>{}(key.instruction * 0x9e3779b97f4a7c15U ^ key.place);
        }
    };

    struct Count {
        std::uint64_t cycles = 0;
        std::uint64_t times = 0;
    };

    /// A cause that was counted lately: the same few come again and again.
    struct Recent {
        Key key{};
        Count* count = nullptr;
    };

    static constexpr std::size_t recent_count = 256;

    Count& count_of(const Key& key);
    std::uint32_t pipe_number(std::uint32_t lane);
    [[nodiscard]] record::Limiter limiter(record::SpanId span) const;

    const record::Recording& recording_;
    std::unordered_map<Key, Count, Hash> counts_;  // elements stay where they are
    std::array<Recent, recent_count> recent_{};
    std::vector<std::string> pipes_;
    std::vector<std::uint32_t> pipe_of_lane_;
    std::uint64_t total_ = 0;
};

/// The chain of causes that made the run as long as it was.
struct CriticalPath {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::vector<PathSegment> segments;  // from `from` to `to`, without gaps
    std::array<std::uint64_t, path_kind_names.size()> by_kind{};
    std::vector<Root> roots;  // the same cycles by cause, largest first

    [[nodiscard]] std::uint64_t cycles() const { return to - from; }

    [[nodiscard]] std::uint64_t operator[](PathKind kind) const {
        return by_kind[static_cast<std::size_t>(kind)];
    }
};

/// Walks back from cycle `to` until `from`; the segments sum to to - from.
[[nodiscard]] CriticalPath critical_path(const record::Recording& recording,
                                         std::uint64_t from,
                                         std::uint64_t to);

}  // namespace ascendsim::analysis
