// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress.hpp"

#include <chrono>
#include <csignal>

#include <fmt/format.h>

#include "app/cli/text_output.hpp"

namespace ascendsim::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds first_after{300};  // short runs show nothing
constexpr std::chrono::milliseconds step{100};

}  // namespace

Progress::Progress(std::string label, const runtime::SessionProgress& session, bool wanted)
    : label_{std::move(label)}, session_{session} {
    if (!wanted || !shows_progress()) {
        return;
    }
    // Signals of the simulation (a crash, the watchdog's clock) belong to the thread that simulates.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread{[this] { draw(); }};
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
    done_ = true;
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Progress::draw() const {
    const Clock::time_point begin = Clock::now();
    bool drawn = false;
    while (!done_) {
        std::this_thread::sleep_for(step);
        if (Clock::now() - begin < first_after) {
            continue;
        }
        const std::uint64_t total = session_.blocks_total;
        const std::uint64_t finished = session_.blocks_done;
        const double share = total == 0 ? 0 : static_cast<double>(finished) / static_cast<double>(total);
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        const double rate = seconds > 0 ? static_cast<double>(finished) / seconds : 0;
        show_progress(fmt::format("{}  {}  ", label_, session_.stage.load()),
                      share,
                      fmt::format(" {} of {} blocks  {:.1f} s{}{}",
                                  finished,
                                  total,
                                  seconds,
                                  finished == 0 ? "" : fmt::format(", {:.3g} blocks/s", rate),
                                  time_left(seconds, finished, total)));
        drawn = true;
    }
    if (drawn) {
        show_progress({});
    }
}

}  // namespace ascendsim::cli
