// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/file_name.hpp"

#include <fmt/format.h>

namespace ascendsim::analysis {

std::string place_text(const record::Recording& recording, std::uint32_t site) {
    const record::SourceLine& line = recording.site(site);
    if (line.file.empty() || line.line == 0) {
        return {};
    }
    std::string text = fmt::format("{}:{}", file_name(line.file), line.line);
    if (line.caller != 0) {
        const record::SourceLine& caller = recording.site(line.caller);
        text += fmt::format(" for {}:{}", file_name(caller.file), caller.line);
    }
    return text;
}

}  // namespace ascendsim::analysis
