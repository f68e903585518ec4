// SPDX-License-Identifier: Apache-2.0
#include "app/cli/batch_progress.hpp"

#include <chrono>

#include <fmt/format.h>

#include "app/cli/text_output.hpp"

namespace ascendsim::cli {

std::function<void(std::size_t, std::size_t, const std::string&)> batch_progress(bool wanted) {
    if (!wanted || !shows_progress()) {
        return {};
    }
    using Clock = std::chrono::steady_clock;
    return [begin = Clock::now()](std::size_t done, std::size_t total, const std::string& label) {
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        if (done == total) {
            show_progress({});
            return;
        }
        const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
        show_progress({},
                      static_cast<double>(done) / static_cast<double>(total),
                      fmt::format(" {} of {} runs, {:.1f} s{}{}",
                                  done,
                                  total,
                                  seconds,
                                  done == 0 ? "" : fmt::format(", {:.3g} runs/s", rate),
                                  time_left(seconds, done, total)),
                      label);
    };
}

}  // namespace ascendsim::cli
