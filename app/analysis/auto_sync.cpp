// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/auto_sync.hpp"

#include <algorithm>

#include "models/port/pipe.hpp"

namespace ascendsim::analysis {
namespace {

using nlohmann::json;

std::uint64_t count_in(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<std::uint64_t>() : 0;
}

std::string text_in(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

InsertedAt place_of(const json& place) {
    return {.file = text_in(place, "file"),
            .line = static_cast<std::uint32_t>(count_in(place, "line")),
            .from = text_in(place, "from"),
            .to = text_in(place, "to"),
            .count = count_in(place, "count"),
            .spare = count_in(place, "spare"),
            .cycles = count_in(place, "cycles")};
}

bool is_one_of(std::string_view pipe, std::initializer_list<Pipe> pipes) {
    return std::ranges::any_of(pipes, [pipe](Pipe one) { return name(one) == pipe; });
}

/// The pipe of a finding's `later` or `earlier`.
std::string pipe_of(const json& hazard, const char* side) {
    const auto party = hazard.find(side);
    return party != hazard.end() && party->is_object() ? text_in(*party, "pipe") : std::string{};
}

bool is_covered(const json& hazard) {
    if (!hazard.is_object()) {
        return false;
    }
    const std::string kind = text_in(hazard, "kind");
    const std::string later = pipe_of(hazard, "later");
    const std::string earlier = pipe_of(hazard, "earlier");
    if (kind == "missing_barrier") {
        return later == name(Pipe::vector);
    }
    const bool scalar = later == name(Pipe::scalar) || earlier == name(Pipe::scalar);
    const std::string& other = later == name(Pipe::scalar) ? earlier : later;
    const bool in_ub =
        hazard.contains("later") && text_in(hazard["later"], "buffer").starts_with(name(Memory::ub));
    return kind == "race" && scalar && in_ub && is_one_of(other, {Pipe::vector, Pipe::mte2, Pipe::mte3});
}

}  // namespace

std::optional<AutoSyncFigures> auto_sync_of(const record::Recording& recording) {
    const json& metadata = recording.metadata();
    const auto said = metadata.is_object() ? metadata.find("auto_sync") : metadata.end();
    if (!metadata.is_object() || said == metadata.end() || !said->is_object()) {
        return std::nullopt;
    }
    AutoSyncFigures figures{.on = said->value("on", false),
                            .stated = said->value("stated", false),
                            .origin = text_in(*said, "origin"),
                            .places = {}};
    const json& totals = recording.totals();
    if (totals.is_object() && totals.contains("auto_sync") && totals["auto_sync"].is_object()) {
        const json& sums = totals["auto_sync"];
        figures.barriers = count_in(sums, "barriers");
        figures.flags = count_in(sums, "flags");
        figures.spare = count_in(sums, "spare");
        figures.cycles = count_in(sums, "cycles");
        figures.repeated = count_in(sums, "repeated");
        for (const json& place : sums.value("places", json::array())) {
            figures.places.push_back(place_of(place));
        }
    }
    return figures;
}

std::size_t covered_by_auto_sync(const json& hazards) {
    return static_cast<std::size_t>(std::ranges::count_if(hazards, is_covered));
}

nlohmann::ordered_json to_json(const AutoSyncFigures& figures) {
    nlohmann::ordered_json places = nlohmann::ordered_json::array();
    for (const InsertedAt& place : figures.places) {
        places.push_back({{"file", place.file},
                          {"line", place.line},
                          {"from", place.from},
                          {"to", place.to},
                          {"count", place.count},
                          {"spare", place.spare},
                          {"cycles", place.cycles}});
    }
    return {{"on", figures.on},
            {"stated", figures.stated},
            {"origin", figures.origin},
            {"barriers", figures.barriers},
            {"flags", figures.flags},
            {"spare", figures.spare},
            {"cycles", figures.cycles},
            {"repeated", figures.repeated},
            {"places", std::move(places)}};
}

}  // namespace ascendsim::analysis
