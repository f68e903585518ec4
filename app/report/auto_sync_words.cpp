// SPDX-License-Identifier: Apache-2.0
#include "app/report/auto_sync_words.hpp"

#include <fmt/format.h>

#include "app/analysis/faults.hpp"
#include "app/report/style.hpp"

namespace ascendsim::report {
namespace {

std::string counted(std::uint64_t count, std::string_view what) {
    return fmt::format("{} {}{}", count_text(count), what, count == 1 ? "" : "s");
}

}  // namespace

std::string auto_sync_setting(const analysis::RunSummary& summary) {
    if (!summary.auto_sync) {
        return {};
    }
    const analysis::AutoSyncFigures& sync = *summary.auto_sync;
    return fmt::format("auto-sync {} ({}{})",
                       sync.on ? "on" : "off",
                       sync.origin,
                       sync.stated ? "" : "; --cce-auto-sync=on switches it on");
}

std::vector<std::string> inserted_sentences(const analysis::RunSummary& summary) {
    std::vector<std::string> sentences;
    if (!summary.auto_sync || !summary.auto_sync->on) {
        return sentences;
    }
    const analysis::AutoSyncFigures& sync = *summary.auto_sync;
    if (sync.count() != 0) {
        const analysis::PipeUse* const vector = summary.find("vector");
        const double time = static_cast<double>(summary.to - summary.from) *
                            static_cast<double>(vector == nullptr ? summary.cores_used : vector->lanes);
        sentences.push_back(
            fmt::format("{} and {}: pipes stood at them for {} cycles, {} of a core's time",
                        counted(sync.barriers, "barrier"),
                        counted(sync.flags, "flag"),
                        count_text(sync.cycles),
                        percent_text(time > 0 ? static_cast<double>(sync.cycles) / time : 0)));
    }
    if (sync.spare != 0) {
        sentences.push_back(fmt::format(
            "{} of them order a write behind a read, which the chip does by itself", count_text(sync.spare)));
    }
    if (sync.repeated != 0) {
        sentences.push_back(fmt::format(
            "{} of the kernel's own serve where the compiler inserts one, too: the chip executes both, "
            "this run only the kernel's",
            count_text(sync.repeated)));
    }
    return sentences;
}

std::string inserted_words(const analysis::InsertedAt& place) {
    return place.is_barrier() ? fmt::format("barrier of {}", place.to)
                              : fmt::format("flag from {} to {}", place.from, place.to);
}

std::string auto_sync_hint(const analysis::RunSummary& summary) {
    if (!summary.auto_sync || summary.auto_sync->on || summary.auto_sync->stated) {
        return {};
    }
    const std::size_t covered = analysis::covered_by_auto_sync(summary.hazards);
    return covered == 0 ? std::string{}
                        : fmt::format(
                              "{} of these {}: the compiler orders such instructions where it is called with "
                              "--cce-auto-sync, as in CANN's kernel-launch and operator projects; "
                              "--cce-auto-sync=on does so here",
                              covered,
                              analysis::count_hazards(summary.hazards));
}

}  // namespace ascendsim::report
