// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_outputs.hpp"

#include <concepts>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/analysis/faults.hpp"
#include "app/analysis/run_summary.hpp"
#include "app/cli/kept_runs.hpp"
#include "app/cli/text_output.hpp"
#include "app/report/chrome_trace.hpp"
#include "app/report/csv_export.hpp"
#include "app/report/html_report.hpp"
#include "app/report/text_report.hpp"
#include "app/studies/batch.hpp"
#include "sim/base/error.hpp"
#include "sim/process/passing_names.hpp"
#include "sim/process/whole_file.hpp"
#include "sim/record/handed_on.hpp"
#include "sim/record/recording.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;

/// `name` as given for one run; among several each gets its label: out.json becomes out-fused.json.
fs::path of_run(const std::string& name, const RunPlace& place) {
    if (place.count == 1) {
        return name;
    }
    const fs::path path{name};
    return path.parent_path() /
           fmt::format("{}-{}{}", path.stem().string(), place.label, path.extension().string());
}

/// What was written, for the report's last lines.
struct Written {
    std::string_view what;
    fs::path file;
};

/// The file asked for, or the one of the run's folder; none if neither was.
std::optional<fs::path> file_of(const OutputChoice& choice,
                                const std::string& asked,
                                const RunPlace& place,
                                std::string_view ending) {
    if (!asked.empty()) {
        return of_run(asked, place);
    }
    if (!choice.folder.empty()) {
        return fs::path{choice.folder} / fmt::format("{}{}", place.label, ending);
    }
    return std::nullopt;
}

/// Lets `write` fill the file, or standard output if that is its name.
template <std::invocable<std::ostream&> Write>
void write_to(const fs::path& file, const Write& write) {
    if (file != standard_output) {
        process::WholeFile whole{file};
        write(whole.stream());
        whole.finish();
        return;
    }
    print_file(write);
}

std::vector<Written> write_files(const OutputChoice& choice,
                                 const RunPlace& place,
                                 const scenario::RunResult& result) {
    const analysis::RunSummary& summary = result.summary;
    std::vector<Written> written{
        {"recording", stays(place) ? result.recording : fs::path{"not kept; --record FILE keeps it"}}};
    if (const std::optional<fs::path> trace = file_of(choice, choice.trace, place, ".trace.json")) {
        write_to(*trace, [&](std::ostream& stream) { report::write_chrome_trace(stream, result.content()); });
        written.push_back({"trace", *trace});
    }
    if (const std::optional<fs::path> page = file_of(choice, choice.html, place, ".html")) {
        write_to(*page, [&](std::ostream& stream) { report::write_html(stream, summary, result.content()); });
        written.push_back({"page", *page});
    }
    if (!choice.csv.empty() || !choice.folder.empty()) {
        const fs::path folder =
            choice.csv.empty() ? fs::path{choice.folder} / (place.label + "-csv") : of_run(choice.csv, place);
        report::write_csv(folder, result.content(), summary);
        written.push_back({"tables", folder});
    }
    if (const std::optional<fs::path> json =
            choice.folder.empty() ? std::nullopt : file_of(choice, {}, place, ".json")) {
        study::write_file(*json, json_text(result.json));
        written.push_back({"figures", *json});
    }
    return written;
}

}  // namespace

RecordingPlace recording_place(const OutputChoice& choice, const RunPlace& place) {
    if (!choice.folder.empty()) {
        study::make_folder(choice.folder);
    }
    if (!choice.recording.empty()) {
        const fs::path file = of_run(choice.recording, place);
        return {choice.strip ? place_under_way(place.label) : file, file};
    }
    if (choice.folder.empty()) {
        return {place_under_way(place.label), {}};
    }
    // The folder may be that of several runs at a time: each puts a whole recording there.
    return {place_under_way(place.label, choice.folder), fs::path{choice.folder} / (place.label + ".rec")};
}

fs::path put_recording(const OutputChoice& choice, const RunPlace& place, const RecordingPlace& recording) {
    if (choice.strip) {
        record::copy_stripped(recording.during, recording.during);
    }
    if (recording.after.empty()) {
        return keep_run(place.label, recording.during);
    }
    if (recording.during != recording.after) {
        process::move_whole(recording.during, recording.after);
        process::keep_at_signal(recording.during);
    }
    return recording.after;
}

bool stays(const RunPlace& place) {
    return !place.kept || !toolchain::has_private_cache();
}

void keep_part(const OutputChoice& choice, const RunPlace& place, const RecordingPlace& recording) {
    std::error_code missing;
    if (recording.during == recording.after || !fs::exists(recording.during, missing)) {
        return;
    }
    try {
        const record::Recording readable{recording.during, record::Extent::heads};
        put_recording(choice, place, recording);
    } catch (const std::exception&) {  // what broke the run off is told; nothing can be read of this one
        drop_recording(recording);
    }
}

void drop_recording(const RecordingPlace& recording) {
    std::error_code error;  // of a file that was never made
    if (recording.during != recording.after) {
        fs::remove(recording.during, error);
        process::keep_at_signal(recording.during);
    }
}

void write_outputs(const OutputChoice& choice, const RunPlace& place, const scenario::RunResult& result) {
    if (choice.report()) {
        std::ostringstream text;
        report::print_report(text, result.summary, *result.heads, report::Style::of_terminal(STDOUT_FILENO));
        say(text.str());
        std::fflush(stdout);  // files may take longer than the run
    }
    const std::vector<Written> written = write_files(choice, place, result);
    if (choice.report()) {
        for (const Written& one : written) {
            say(fmt::format("  {:<10} {}\n", one.what, one.file.string()));
        }
        const std::string before = place.kept ? run_before(place.label) : std::string{};
        if (!before.empty()) {
            say(fmt::format(
                "  {:<10} {}; both: ascendsim compare {} {}\n", "before", before, before, place.label));
        }
    }
    if (!result.hazards.empty() && !choice.report()) {
        complain(result.hazards);
    }
    if (!choice.report()) {
        for (const std::string& output : analysis::wrong_outputs(result.summary.numerics)) {
            complain(fmt::format("ascendsim: {}: the numbers are wrong: {}\n", place.label, output));
        }
    }
    if (!result.error.empty()) {
        std::fflush(stdout);
        complain(fmt::format("ascendsim: {}\n", result.error));
    }
}

}  // namespace ascendsim::cli
