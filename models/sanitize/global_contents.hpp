// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "models/sanitize/launch_cores.hpp"
#include "models/sanitize/range_map.hpp"
#include "models/sanitize/reporter.hpp"

namespace ascendsim::sanitize {

/// What is in global memory: which bytes have a content, which are only read, and who touched them. Most
/// reads are of bytes that nobody writes; those are kept aside and cost little.
class GlobalContents {
public:
    /// What it is given must outlive it.
    GlobalContents(const LaunchCores& cores, Reporter& reporter);

    /// Bytes that the host leaves without content: outputs and workspace.
    void declare_unwritten(std::uint64_t offset, std::uint64_t bytes);
    /// Bytes that the host has given a content.
    void declare_written(std::uint64_t offset, std::uint64_t bytes);
    /// Bytes that kernels only read: inputs. Not followed until one writes there, which is a finding.
    void declare_read_only(std::uint64_t offset, std::uint64_t bytes);
    /// True if no instruction wrote any of these bytes.
    [[nodiscard]] bool unwritten(std::uint64_t offset, std::uint64_t bytes) const;
    /// Of these bytes, the runs [begin, end) that no instruction wrote.
    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> unwritten_runs(
        std::uint64_t offset, std::uint64_t bytes) const;
    /// The operation of the last launch that wrote the last bytes before `offset`, or else the first behind
    /// it; null if none of that launch did.
    [[nodiscard]] const Touch* writer_beside(std::uint64_t offset, std::uint64_t bytes) const;
    /// Reports that `reader` reads [begin, end), which nobody wrote, with what was written beside them.
    void report_unwritten(const Touch& reader, std::uint64_t begin, std::uint64_t end);
    /// True if kernels have only read these bytes, as was declared.
    [[nodiscard]] bool read_only(std::uint64_t offset, std::uint64_t bytes) const;

    /// The declaration that has all of these bytes as only read, if one has.
    [[nodiscard]] std::optional<std::pair<std::uint64_t, std::uint64_t>> read_only_range(
        std::uint64_t offset, std::uint64_t bytes) const;

    /// From `offset` on and up to `end`, where the bytes end that have a content.
    [[nodiscard]] std::uint64_t written_end(std::uint64_t offset, std::uint64_t end) const {
        return runs_.written_end(offset, end);
    }

    /// True if `touch` reads what is only read. A write ends that for the whole declaration.
    [[nodiscard]] bool only_reads(const Touch& touch);
    /// True if `touch` reads a buffer that nobody has written in this launch: kept aside until somebody does.
    [[nodiscard]] bool keep_aside(const Touch& touch, const isa::Access& access);
    /// All other bytes and who touched them.
    [[nodiscard]] RangeMap& runs();

    /// Forgets who touched what; what has a content stays.
    void start_launch();

private:
    using ReadOnly = std::map<std::uint64_t, std::uint64_t>;  // begin, end

    /// What was read of a buffer in this launch. It is looked up only if someone writes there as well.
    struct ReadLog {
        std::vector<std::pair<Touch, isa::Access>> reads;
        bool over = false;  // reads go to the range map at once
    };

    void declare(std::uint64_t offset, std::uint64_t bytes, bool written);
    void log(ReadLog& log, const Touch& touch, const isa::Access& access);
    void apply(const ReadLog& log);
    [[nodiscard]] ReadOnly::const_iterator declared(std::uint64_t offset, std::uint64_t bytes) const;

    const LaunchCores& cores_;
    Reporter& reporter_;
    RangeMap runs_;
    ReadOnly read_only_;
    std::map<std::uint64_t, ReadLog> logs_;  // by the buffer's offset
};

}  // namespace ascendsim::sanitize
