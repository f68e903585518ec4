// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/chip_view/chip_sentences.hpp"

#include <fmt/format.h>

#include "gui/canvas/format.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::gui {
namespace {

using record::Reason;

std::string place_of(const Run& run, const record::Span& span) {
    const std::string place = place_text(run.recording(), span.site);
    return place.empty() ? std::string{} : fmt::format(" ({})", place);
}

std::string busy_sentence(const Run& run, const Pick& pick) {
    const record::Span span = run.recording().span(pick.span());
    std::string text = fmt::format("runs {}", run.recording().name(span.op));
    if (span.bytes > 0) {
        text += fmt::format(", {}", format_bytes(span.bytes));
        if (span.memory > 0 && span.memory < memory_count) {
            text += fmt::format(" at {}", name(static_cast<Memory>(span.memory)));
        }
    }
    text += fmt::format(", for {} cycles", format_count(pick.cycles()));
    if (span.conflict > 0) {
        text += fmt::format(", {} of them lost to bank conflicts", format_count(span.conflict));
    }
    return text + place_of(run, span);
}

/// "MTE2 runs copy_gm_to_ubuf (add.cpp:29)": whom a wait waits for.
std::string culprit_text(const Run& run, const Pick& pick, const Theme& theme) {
    const std::optional<Pick> culprit = producer_of(run, pick);
    if (!culprit || culprit->waits()) {
        return {};
    }
    const record::Span span = run.recording().span(culprit->span());
    const record::Lane& lane = run.recording().lane(culprit->lane);
    const bool same_core = lane.core_index == run.recording().lane(pick.lane).core_index;
    return fmt::format("{}{} of {}{}",
                       same_core ? "" : lane.path.place() + " ",
                       run.recording().name(span.op),
                       track_label(lane.path, theme),
                       place_of(run, span));
}

std::string_view reason_words(Reason reason) {
    switch (reason) {
        case Reason::none:
            return "is busy";
        case Reason::launch:
            return "has not begun: the core's program is still being started";
        case Reason::issue:
            return "has nothing to do: the scalar unit has not handed over the next instruction";
        case Reason::queue_full:
            return "waits: the queue of the pipe it wants to feed is full";
        case Reason::flag_data:
            return "waits for data that are not there yet";
        case Reason::flag_buffer:
            return "waits for a buffer that is still in use";
        case Reason::flag_scalar:
            return "waits for a flag to or from the scalar unit";
        case Reason::barrier:
            return "waits at a barrier until earlier work is done";
        case Reason::memory:
            return "waits for a read of global memory";
        case Reason::fetch:
            return "waits for code it meets for the first time";
        case Reason::cross_core:
            return "waits for a flag of another core";
        case Reason::sync_all:
            return "waits until all cores have arrived";
        case Reason::block:
            return "is between two blocks";
        case Reason::tail:
            return "is done; other cores still work";
        case Reason::unused:
            return "is not used by this kernel";
    }
    return {};
}

}  // namespace

std::string sentence_for(const Run& run, const Pick& pick, const Theme& theme) {
    if (!pick.waits()) {
        return busy_sentence(run, pick);
    }
    std::string text{reason_words(pick.stretch.reason)};
    const std::string culprit = culprit_text(run, pick, theme);
    if (!culprit.empty()) {
        text += fmt::format("; it ends with {}", culprit);
    }
    return text + fmt::format(", {} cycles in all", format_count(pick.cycles()));
}

}  // namespace ascendsim::gui
