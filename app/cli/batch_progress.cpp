// SPDX-License-Identifier: Apache-2.0
#include "app/cli/batch_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/text_output.hpp"
#include "app/report/style.hpp"

namespace ascendsim::cli {

std::function<void(std::size_t, std::size_t, const std::string&)> batch_progress(bool wanted) {
    if (!wanted || isatty(STDERR_FILENO) == 0) {
        return {};
    }
    return [](std::size_t done, std::size_t total, const std::string& label) {
        constexpr std::size_t bar_width = 24;
        const double share = static_cast<double>(done) / static_cast<double>(total);
        show_progress(
            done == total
                ? std::string{}
                : fmt::format("{} {} of {} runs  {}", report::bar(share, bar_width), done, total, label));
    };
}

}  // namespace ascendsim::cli
