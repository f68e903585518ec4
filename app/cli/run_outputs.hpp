// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/text_output.hpp"
#include "app/scenario/result.hpp"

namespace ascendsim::cli {

/// What the user wants written, and where.
struct OutputChoice {
    std::string folder;  // --out: everything, named after the run
    // json, trace, html: "-" is standard output, and nothing else goes there
    std::string json;
    std::string trace;
    std::string html;
    std::string recording;
    std::string csv;
    bool quiet = false;
    bool strip = false;  // the recording is to be handed on

    /// All of them.
    [[nodiscard]] std::vector<std::string> places() const {
        return {folder, json, trace, html, recording, csv};
    }

    /// True if an output goes to standard output, where nothing else may be printed then.
    [[nodiscard]] bool alone() const { return takes_standard_output({json, trace, html}); }

    [[nodiscard]] bool report() const { return !quiet && !alone(); }
};

/// Which of several runs.
struct RunPlace {
    std::string label;
    std::size_t number = 1;
    std::size_t count = 1;
    bool kept = false;  // its recording went where the last runs of each name are
};

/// Where a recording grows and where it ends up. They are the same for --record, which can be read while it
/// grows, unless it is to be stripped. Where nobody asked for it, `after` is empty: the last runs of each
/// name are kept.
struct RecordingPlace {
    std::filesystem::path during;
    std::filesystem::path after;
};

/// Makes the folders of both. Throws UserError if one cannot be made.
[[nodiscard]] RecordingPlace recording_place(const OutputChoice& choice, const RunPlace& place);

/// Puts a recording that has ended where it belongs, stripped if that was asked for; returns that place.
std::filesystem::path put_recording(const OutputChoice& choice,
                                    const RunPlace& place,
                                    const RecordingPlace& recording);

/// False for a run that is kept in a cache that goes with this process.
[[nodiscard]] bool stays(const RunPlace& place);

/// The same as put_recording() for one that broke off, if there is any of it.
void keep_part(const OutputChoice& choice, const RunPlace& place, const RecordingPlace& recording);

/// Takes away what was recorded by a run that had to end without a result.
void drop_recording(const RecordingPlace& recording);

/// Writes the files of one run and prints its report, or its failure.
void write_outputs(const OutputChoice& choice, const RunPlace& place, const scenario::RunResult& result);

}  // namespace ascendsim::cli
