// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// What the time of a path's segment went to.
enum class PathKind : std::uint8_t {
    compute,   // cube or vector work
    transfer,  // a copy occupied its pipe
    latency,   // a result was on its way: pipeline drain, memory latency
    scalar,    // the scalar unit worked towards an instruction
    sync,      // flags, barriers, cross-core signals themselves
    launch,    // before a launch's first instruction
    block,     // between two blocks of a core
    tail,      // from the last instruction to the end of the task
    unused,    // (of blame) the launch has nothing for it to do
    other,     // nothing recorded explains it
};

inline constexpr std::array<std::string_view, 10> path_kind_names{
    "compute", "transfer", "latency", "scalar", "sync", "launch", "block", "tail", "unused", "other"};

[[nodiscard]] constexpr std::string_view name(PathKind kind) {
    return path_kind_names[static_cast<std::size_t>(kind)];
}

/// By PathKind: what people read.
inline constexpr std::array<std::string_view, path_kind_names.size()> path_kind_labels{
    "computing",
    "copying",
    "result on its way",
    "scalar work",
    "synchronising",
    "launch",
    "between blocks",
    "tail",
    "not used by the launch",
    "unexplained"};

/// "result on its way", where the key is "latency".
[[nodiscard]] constexpr std::string_view label(PathKind kind) {
    return path_kind_labels[static_cast<std::size_t>(kind)];
}

/// A piece of a chain of causes: [start, end) went to `span`, or to no span.
struct PathSegment {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    PathKind kind = PathKind::other;
    record::SpanId span{};

    [[nodiscard]] std::uint64_t cycles() const { return end - start; }
};

/// Walks back in time along what each thing waited for: from a completion to its work, from the start of work
/// to what held it up (its pipe, the scalar unit, a flag's source, room in a queue). Segments follow each
/// other without gaps, so a walk from cycle b to cycle a explains exactly b - a cycles.
class PathWalker {
public:
    explicit PathWalker(const record::Recording& recording);

    /// Next: why did everything end at `cycle`?
    void from_end(std::uint64_t cycle);
    /// Next: why did the wait `span` last until its end?
    void from_wait(record::SpanId span);
    /// Next: why did `span` start no earlier?
    void from_start(record::SpanId span);

    /// Where the walk is.
    [[nodiscard]] std::uint64_t time() const { return time_; }

    /// The segment that ends at time(), which moves to its start; empty at cycle 0.
    [[nodiscard]] std::optional<PathSegment> next();

private:
    enum class Phase : std::uint8_t { completing, running, starting, between_launches, between_blocks };
    enum class Role : std::uint8_t { scalar, copies, computes };

    using Step = std::optional<PathSegment>;

    /// What the walk asks of a span, read at once.
    struct Seen {
        std::uint64_t start = 0;
        record::Reason reason = record::Reason::none;
        bool works = false;  // computes or moves something
        record::SpanId culprit{};
    };

    Step complete();
    Step run();
    Step start();
    Step follow(record::SpanId culprit, record::Reason reason);
    Step go_back_to(std::size_t previous);
    Step to_scalar(std::uint64_t issue);
    Step outside(const Seen& span);
    Step restart(bool whole_chip);
    Step emit(std::uint64_t start, PathKind kind, record::SpanId span);

    void move_to(record::SpanId span, Phase phase) {
        at_ = span;
        phase_ = phase;
    }

    [[nodiscard]] const record::Lane& lane() const { return recording_.lane(at_.lane); }

    [[nodiscard]] Seen see(record::SpanId span) const;

    /// The scalar unit of the core where the walk is; SpanId::no_lane if there is none.
    [[nodiscard]] std::uint32_t scalar_lane() const;
    [[nodiscard]] PathKind kind_of(const Seen& span) const;
    [[nodiscard]] std::optional<record::SpanId> last_complete(std::uint32_t lane,
                                                              std::optional<std::uint64_t>& latest) const;
    [[nodiscard]] std::optional<record::SpanId> last_complete_of(bool whole_chip) const;

    const record::Recording& recording_;
    std::vector<std::uint32_t> scalar_of_;                                       // by core: its scalar lane
    std::vector<Role> roles_;                                                    // by lane
    std::unordered_map<std::uint64_t, std::optional<record::SpanId>> restarts_;  // of the chip, by time
    std::uint64_t time_ = 0;
    record::SpanId at_{};
    Phase phase_ = Phase::between_launches;
};

}  // namespace ascendsim::analysis
