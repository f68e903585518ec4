// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/line_costs.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/analysis/lane_use.hpp"
#include "app/analysis/quotes.hpp"

namespace ascendsim::analysis {

namespace {

struct SiteCost {
    AnnotatedLine cost;
    std::array<std::uint64_t, record::reason_count> reasons{};
};

void add_cost(SiteCost& to, const SiteCost& from) {
    to.cost.busy += from.cost.busy;
    to.cost.wait += from.cost.wait;
    to.cost.path += from.cost.path;
    to.cost.bytes += from.cost.bytes;
    to.cost.count += from.cost.count;
    for (std::size_t reason = 0; reason < to.reasons.size(); ++reason) {
        to.reasons[reason] += from.reasons[reason];
    }
}

std::vector<SiteCost> costs_by_site(const record::Recording& recording, const CriticalPath& path) {
    std::vector<SiteCost> costs(recording.sites().size());
    for (const record::Lane& lane : recording.lanes()) {
        if (!lane.core_index) {
            continue;
        }
        record::for_each_span(lane, 0, [&](const record::ChunkColumns& of, std::size_t k, std::size_t) {
            if (of.site[k] >= costs.size() || outside_program(of.reason[k])) {
                return true;
            }
            SiteCost& site = costs[of.site[k]];
            const std::uint64_t cycles = of.end[k] - of.start[k];
            const bool waits = of.reason[k] != record::Reason::none;
            ++site.cost.count;
            (waits ? site.cost.wait : site.cost.busy) += cycles;
            site.cost.bytes += waits ? 0 : of.bytes[k];
            site.reasons[static_cast<std::size_t>(of.reason[k])] += waits ? cycles : 0;
            return true;
        });
    }
    for (const Root& root : path.roots) {
        if (root.site < costs.size() && !root.pipe.empty()) {
            costs[root.site].cost.path += root.cycles;
        }
    }
    return costs;
}

std::vector<std::string> lines_of(std::istream& stream) {
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        std::ranges::replace(line, '\t', ' ');
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace

std::map<std::string, FileCosts> line_costs(const record::Recording& recording, const CriticalPath& path) {
    const std::vector<SiteCost> costs = costs_by_site(recording, path);
    std::map<std::pair<std::string, std::uint32_t>, SiteCost> lines;
    for (std::uint32_t number = 1; number < costs.size(); ++number) {
        const record::SourceLine& line = recording.site(number);
        if (costs[number].cost.count == 0 || line.file.empty()) {
            continue;
        }
        add_cost(lines[{line.file, line.line}], costs[number]);
        if (line.caller != 0) {
            const record::SourceLine& caller = recording.site(line.caller);
            add_cost(lines[{caller.file, caller.line}], costs[number]);
        }
    }
    std::map<std::string, FileCosts> files;
    for (auto& [place, site] : lines) {
        AnnotatedLine& cost = files[place.first][place.second];
        cost = site.cost;
        const auto most = std::ranges::max_element(site.reasons);
        cost.reason =
            *most == 0 ? std::string_view{} : name(static_cast<record::Reason>(most - site.reasons.begin()));
    }
    return files;
}

std::vector<std::string> source_lines(const record::Recording& recording,
                                      const std::string& file,
                                      const std::string& root) {
    if (const nlohmann::json* const text = source_named(recording.metadata(), file)) {
        std::istringstream stream{text->get<std::string>()};
        return lines_of(stream);
    }
    namespace fs = std::filesystem;
    const fs::path folder = recording.path().parent_path();
    for (const fs::path& place : {fs::path{file}, folder / file, fs::path{root} / file}) {
        std::error_code missing;
        if (fs::is_regular_file(place, missing)) {
            std::ifstream stream{place};
            return lines_of(stream);
        }
    }
    return {};
}

}  // namespace ascendsim::analysis
