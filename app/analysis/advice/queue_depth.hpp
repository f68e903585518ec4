// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// Which pipes have two buffers in their queues. It reads all lives of buffers of a recording, of which there
/// may be millions, so whoever asks for many pipes makes one.
class QueueDepths {
public:
    explicit QueueDepths(const record::Recording& recording);

    /// True if every queue that a pipe fills was seen with two buffers or more on some core. False too where
    /// the recording has no lives of buffers: kernels that place their tensors by hand tell nothing.
    [[nodiscard]] bool has_double_buffers(std::string_view pipe) const;

private:
    std::map<std::string, bool, std::less<>> double_;  // by pipe
};

}  // namespace ascendsim::analysis
