// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/port/pipe.hpp"

namespace ascendsim::sanitize {

/// What the calls of InitBuffer that begin in line `line` of `source` give their memory to, as the source has
/// it: "tmpBuf" of `pipe.InitBuffer(tmpBuf, 256)`. Several where a line has several calls.
[[nodiscard]] std::vector<std::string> buffer_names(std::string_view source, std::uint32_t line);

/// Names of buffers by the place of their InitBuffer. Each place is looked up once.
class BufferNames {
public:
    /// "tmpBuf", or "a or b" of a line with two calls, as a place has no column. Empty where the source is
    /// not there or has no InitBuffer at this place.
    [[nodiscard]] const std::string& at(Site site);

private:
    std::map<std::pair<std::string_view, std::uint32_t>, std::string> known_;
};

}  // namespace ascendsim::sanitize
