// SPDX-License-Identifier: Apache-2.0
// How quick the dashboard is on a large recording: opening it, and one frame's own work at every zoom.
//   gui_bench [millions of spans]     a recording made for it
//   gui_bench A.rec [B.rec]           recordings of runs, B beside A
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "gui/document/run_documents.hpp"
#include "gui/document/testing/runs.hpp"
#include "gui/panels/panel_list.hpp"
#include "gui/shell/shell.hpp"

namespace ascendsim::gui {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// What this thread has worked so far, so that others on the machine do not count; or the process.
double processor_milliseconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double peak_mib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

class EmptyLibrary final : public Library {
public:
    void refresh() override {}

    [[nodiscard]] const std::vector<LibraryEntry>& recent_runs() const override { return none_; }

    [[nodiscard]] const std::vector<LibraryEntry>& scenarios() const override { return none_; }

    [[nodiscard]] const std::vector<LibraryEntry>& lessons() const override { return none_; }

private:
    std::vector<LibraryEntry> none_;
};

/// The median and the longest of a few frames, milliseconds.
void time_frames(Shell& shell, const std::string& name, double begin, double length) {
    std::vector<double> times;
    constexpr int frames = 15;
    for (int n = 0; n < frames; ++n) {
        const double shift = length * 0.003 * n;  // every frame shows something else
        shell.view().window = TimeRange{begin + shift, begin + shift + length};
        const double start = processor_milliseconds();
        shell.frame(2560, 1440, 1.0 / 60);
        times.push_back(processor_milliseconds() - start);
    }
    std::ranges::sort(times);
    std::cout << fmt::format("frame, {:<28} median {:6.2f} ms, longest {:6.2f} ms, {} vertices\n",
                             name,
                             times[frames / 2],
                             times.back(),
                             shell.draw_data().TotalVtxCount);
}

/// What of a run is there: its picture, its figures, or all.
enum class Known { picture, figures, all };

bool is_known(const std::shared_ptr<const Document>& document, Known what) {
    const Run* const run = as_run(document.get());
    return run != nullptr && (what == Known::picture || run->figures() != nullptr) &&
           (what != Known::all || run->analysis() != nullptr);
}

void run(const std::string& a, const std::string& b) {
    const Clock::time_point start = Clock::now();
    RunDocuments documents;
    documents.open(a);
    if (!b.empty()) {
        documents.open_b(b);
    }
    const auto wait_until = [&](Known of_a, Known of_b) {
        while (!is_known(documents.run_a(), of_a) || (!b.empty() && !is_known(documents.run_b(), of_b))) {
            ::usleep(1000);
        }
    };
    wait_until(Known::picture, Known::picture);
    std::cout << fmt::format("{} spans open after {:.0f} ms, {:.0f} MiB at most\n",
                             as_run(documents.run_a().get())->recording().span_count(),
                             milliseconds_since(start),
                             peak_mib());
    wait_until(Known::all, Known::figures);  // all that is shown of B
    std::cout << fmt::format("analysed after {:.0f} ms, {:.0f} ms of processor time, {:.0f} MiB at most\n",
                             milliseconds_since(start),
                             processor_milliseconds(CLOCK_PROCESS_CPUTIME_ID),
                             peak_mib());
    wait_until(Known::all, Known::all);
    if (!b.empty()) {
        std::cout << fmt::format("B explained as well after {:.0f} ms\n", milliseconds_since(start));
    }
    EmptyLibrary library;
    Shell shell{{.library = library, .documents = &documents, .panels = make_all_panels()}};
    shell.view().compare = !b.empty();
    for (int n = 0; n < 10; ++n) {
        shell.frame(2560, 1440, 1.0 / 60);
        ::usleep(300'000);
    }
    const double all = documents.run_a()->cycles();
    for (const char* folds : {"timeline.fold_all", "timeline.unfold_all"}) {
        shell.commands().run(folds);
        for (double length = all * 0.99; length > 8; length /= 8) {
            time_frames(shell,
                        fmt::format("{} {:.0f} cycles", folds[9] == 'f' ? "folded," : "unfolded,", length),
                        (all - length) / 3,
                        length);
        }
    }
    std::cout << fmt::format("{:.0f} MiB at most\n", peak_mib());
}

void run_of(double millions) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / fmt::format("gui_bench_{}.rec", ::getpid());
    constexpr std::uint32_t cores = 48;
    constexpr double spans_per_tile = 5;
    {
        TiledRun tiled{file, cores, static_cast<std::uint64_t>(millions * 1e6 / spans_per_tile / cores), 2};
        tiled.finish();
    }
    run(file.string(), {});
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace ascendsim::gui

int main(int argc, char** argv) {
    const std::string first = argc > 1 ? argv[1] : "10";
    if (std::filesystem::is_regular_file(first)) {
        ascendsim::gui::run(first, argc > 2 ? argv[2] : "");
    } else {
        ascendsim::gui::run_of(std::atof(first.c_str()));
    }
}
