// SPDX-License-Identifier: Apache-2.0
#include "app/cli/batch_progress.hpp"

#include <chrono>

#include <fmt/format.h>

#include "app/cli/text_output.hpp"
#include "app/report/style.hpp"

namespace ascendsim::cli {

std::function<void(std::size_t, std::size_t, const std::string&)> batch_progress(bool wanted) {
    if (!wanted || !shows_progress()) {
        return {};
    }
    using Clock = std::chrono::steady_clock;
    return [begin = Clock::now()](std::size_t done, std::size_t total, const std::string& label) {
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        constexpr std::size_t bar_width = 24;
        const double share = static_cast<double>(done) / static_cast<double>(total);
        show_progress(done == total ? std::string{}
                                    : fmt::format("{} {} of {} runs, {:.1f} s{}  {}",
                                                  report::bar(share, bar_width),
                                                  done,
                                                  total,
                                                  seconds,
                                                  time_left(seconds, done, total),
                                                  label));
    };
}

}  // namespace ascendsim::cli
