// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "models/port/core_port.hpp"
#include "models/sanitize/finding.hpp"

namespace ascendsim::sanitize {

/// The buffers of one memory as the kernel framework handed them out.
class BufferMap {
public:
    /// A buffer, or what is left of it after a part was handed on.
    struct Part {
        std::uint64_t end = 0;
        isa::BufferNotice state = isa::BufferNotice::live;
        Site origin;   // of InitBuffer
        Site changed;  // where its queue took it back, or gave it out
    };

    /// The framework says what [begin, end) is now.
    void note(isa::BufferNotice notice, std::uint64_t begin, std::uint64_t end, Site site);
    /// What is wrong with using [begin, end), if anything. Without any notice nothing is: the kernel does
    /// without the framework.
    [[nodiscard]] std::optional<Kind> judge(std::uint64_t begin, std::uint64_t end);

    /// The buffer at an offset, or null.
    [[nodiscard]] const Part* find(std::uint64_t offset) const;

    /// Where the buffer at an offset begins and ends; an empty range if there is none.
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> bounds(std::uint64_t offset) const;

    /// True if the framework has told of any buffer.
    [[nodiscard]] bool tracked() const { return tracked_; }

    /// True if the kernel makes tensors of addresses itself.
    [[nodiscard]] bool raw() const { return raw_; }

    void clear();

private:
    std::map<std::uint64_t, Part> parts_;
    std::uint64_t good_begin_ = 0;  // the last answer was for this live part
    std::uint64_t good_end_ = 0;
    bool tracked_ = false;
    bool raw_ = false;  // the kernel makes tensors of addresses itself
};

}  // namespace ascendsim::sanitize
