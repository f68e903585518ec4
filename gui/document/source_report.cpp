// SPDX-License-Identifier: Apache-2.0
#include "gui/document/source_report.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "app/analysis/auto_sync.hpp"
#include "app/analysis/lane_use.hpp"
#include "app/analysis/network_figures.hpp"
#include "app/analysis/quotes.hpp"
#include "sim/base/error.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::gui {
namespace {

namespace fs = std::filesystem;

std::vector<LineTotal> totals_by_site(const Run& run) {
    std::vector<LineTotal> totals(run.recording().sites().size());
    std::vector<bool> inserted;  // by number of the instruction's name
    for (const std::string& name : run.recording().names()) {
        inserted.push_back(analysis::is_inserted(name));
    }
    for (std::uint32_t number = 0; number < run.recording().lanes().size(); ++number) {
        const record::Lane& lane = run.recording().lane(number);
        if (!lane.core_index) {
            continue;
        }
        record::for_each_span(lane, 0, [&](const record::ChunkColumns& of, std::size_t k, std::size_t i) {
            if (of.site[k] >= totals.size() || analysis::outside_program(of.reason[k])) {
                return true;
            }
            LineTotal& total = totals[of.site[k]];
            const std::uint64_t cycles = of.end[k] - of.start[k];
            const bool waits = of.reason[k] != record::Reason::none;
            ++total.count;
            (waits ? total.wait : total.busy) += cycles;
            total.bytes += waits ? 0 : of.bytes[k];
            if (inserted[of.op[k]]) {
                ++total.inserted;
                total.inserted_cycles += cycles;
            }
            if (!total.largest || cycles > total.largest->cycles()) {
                total.largest = Pick{number, {of.start[k], of.end[k], of.reason[k], false, i}};
            }
            return true;
        });
    }
    return totals;
}

/// Where shipped kernels are, which are recorded by their path in it; empty for a program moved away from it.
fs::path installed_root() {
    try {
        return toolchain::Installation::find().root;
    } catch (const UserError&) {
        return {};
    }
}

void take_lines(SourceText& file, std::istream& stream) {
    for (std::string line; std::getline(stream, line);) {
        std::ranges::replace(line, '\t', ' ');
        file.lines.push_back(std::move(line));
    }
    file.found = true;
}

/// The text as it was when it ran; else what is at its place now.
void read_text(SourceText& file, const record::Recording& recorded_run) {
    if (const nlohmann::json* const text = analysis::source_named(recorded_run.metadata(), file.path)) {
        std::istringstream stream{text->get<std::string>()};
        take_lines(file, stream);
        return;
    }
    const fs::path recorded{file.path};
    const fs::path recording = recorded_run.path();
    for (const fs::path& place : {recorded,
                                  recording.parent_path() / recorded,
                                  recording.parent_path() / recorded.filename(),
                                  installed_root() / recorded}) {
        std::error_code error;
        if (!fs::is_regular_file(place, error)) {
            continue;
        }
        std::ifstream stream{place};
        take_lines(file, stream);
        return;
    }
}

/// Sources of a network's operators: they are there even if no pipe of their kernels is recorded.
std::vector<std::string> sources_of_operators(const record::Recording& recording) {
    std::vector<std::string> sources;
    const std::optional<std::uint32_t> number = recording.find(analysis::operators_track());
    if (number && analysis::is_network(recording)) {
        for (const std::uint32_t site : recording.lane(*number).site) {
            if (site != 0 && site < recording.sites().size()) {
                sources.push_back(recording.sites()[site].file);
            }
        }
    }
    return sources;
}

void add(LineTotal& to, const LineTotal& from) {
    to.count += from.count;
    to.busy += from.busy;
    to.wait += from.wait;
    to.bytes += from.bytes;
    to.inserted += from.inserted;
    to.inserted_cycles += from.inserted_cycles;
    if (from.largest && (!to.largest || from.largest->cycles() > to.largest->cycles())) {
        to.largest = from.largest;
    }
}

void add_to(std::map<std::string, SourceText>& files,
            const record::SourceLine& line,
            const LineTotal& total) {
    SourceText& file = files[line.file];
    file.totals.resize(std::max<std::size_t>(file.totals.size(), line.line));
    if (line.line > 0) {
        add(file.totals[line.line - 1], total);
    }
    file.cycles += total.busy + total.wait;
}

}  // namespace

std::vector<SourceText> source_report(const Run& run) {
    const std::vector<LineTotal> totals = totals_by_site(run);
    std::map<std::string, SourceText> files;
    for (std::size_t site = 1; site < totals.size(); ++site) {
        const record::SourceLine& line = run.recording().sites()[site];
        if (totals[site].count == 0 || line.file.empty()) {
            continue;
        }
        add_to(files, line, totals[site]);
        if (line.caller != 0) {  // what a call of the framework's costs stands at the kernel's line as well
            add_to(files, run.recording().site(line.caller), totals[site]);
        }
    }
    for (const std::string& path : sources_of_operators(run.recording())) {
        files.try_emplace(path);
    }
    std::vector<SourceText> result;
    for (auto& [path, file] : files) {
        file.path = path;
        file.label = fs::path{path}.filename().string();
        read_text(file, run.recording());
        const std::size_t lines = std::max(file.lines.size(), file.totals.size());
        file.lines.resize(lines);
        file.totals.resize(lines);
        for (const LineTotal& total : file.totals) {
            file.most = std::max(file.most, total.busy + total.wait);
        }
        result.push_back(std::move(file));
    }
    std::ranges::stable_sort(result, std::ranges::greater{}, &SourceText::cycles);
    return result;
}

}  // namespace ascendsim::gui
