// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/row_drafts.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "sim/base/lower_case.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::validation {
namespace {

constexpr std::uint64_t most_drafted = 64;

bool is_letter_at(const std::string& text, std::size_t at) {
    return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
}

/// The whole number from 1 to most_drafted at a place, if there is one.
std::optional<std::uint64_t> whole_at(const std::string& text, std::size_t at) {
    if (at >= text.size()) {
        return std::nullopt;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    return error == std::errc{} && value >= 1 && value <= most_drafted ? std::optional{value} : std::nullopt;
}

/// Where a name stands as a word of its own, digits behind it or not.
std::size_t place_of(const std::string& text, const std::string& name) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        if ((at == 0 || !is_letter_at(text, at - 1)) && !is_letter_at(text, at + name.size())) {
            return at;
        }
    }
    return std::string::npos;
}

ModelDrafts drafts_of(TableReader& table) {
    ModelDrafts drafts;
    drafts.models = table.list<std::string>("models");
    for (TableReader& one : table.tables("accepted")) {
        AcceptedDraft draft;
        draft.drafted = one.get<std::uint64_t>("of", {1, most_drafted});
        draft.accepted = one.get<double>("value", {0, static_cast<double>(draft.drafted)});
        (void)one.get<std::string>("source");
        one.finish();
        drafts.accepted.push_back(draft);
    }
    if (drafts.accepted.empty()) {
        throw table.error("accepted", "states of how many tokens how many are accepted");
    }
    table.finish();
    return drafts;
}

DraftMethod method_of(TableReader& table) {
    DraftMethod method;
    method.names = table.list<std::string>("names");
    method.passes = table.get_or<std::uint64_t>("passes", 0, {0, most_drafted});
    method.layers = table.get_or<std::uint64_t>("layers", 1, {1, most_drafted});
    method.block = table.get_or<bool>("block", false);
    method.on_host = table.get_or<bool>("on_host", false);
    if (auto acceptance = table.find_table("acceptance")) {
        DraftRange range;
        range.value = acceptance->get<double>("value", {0, 1});
        range.low = acceptance->get<double>("low", {0, range.value});
        range.high = acceptance->get<double>("high", {range.value, 1});
        (void)acceptance->get<std::string>("tag");
        (void)acceptance->get<std::string>("source");
        acceptance->finish();
        method.acceptance = range;
    }
    for (TableReader& one : table.tables("model")) {
        method.of_models.push_back(drafts_of(one));
    }
    table.finish();
    return method;
}

/// Of a draft of so many tokens, those that are accepted on average.
double accepted_of(double acceptance, std::uint64_t drafted) {
    double sum = 0;
    double all_before = 1;
    for (std::uint64_t i = 0; i < drafted; ++i) {
        all_before *= acceptance;
        sum += all_before;
    }
    return sum;
}

std::string table_of(const ServerCommand& command, const DraftMethod& method, double acceptance) {
    return fmt::format(
        "[speculation]\ndrafted = {}\nacceptance = {:.4f}\npasses = {}\nlayers = {}\nblock = {}\n"
        "captured = {}\non_host = {}\n",
        command.drafted,
        acceptance,
        method.on_host ? 0 : method.passes,
        method.layers,
        method.block,
        !command.draft_eager && command.mode != "eager",
        method.on_host);
}

/// Of what is known of the model, the draft whose length is nearest.
std::optional<AcceptedDraft> known_of(const DraftMethod& method,
                                      const std::string& model,
                                      std::uint64_t drafted) {
    std::optional<AcceptedDraft> nearest;
    const auto away = [&](const AcceptedDraft& one) {
        return one.drafted > drafted ? one.drafted - drafted : drafted - one.drafted;
    };
    for (const ModelDrafts& drafts : method.of_models) {
        if (std::ranges::find(drafts.models, model) == drafts.models.end()) {
            continue;
        }
        for (const AcceptedDraft& one : drafts.accepted) {
            nearest = !nearest || away(one) < away(*nearest) ? one : nearest;
        }
    }
    return nearest;
}

}  // namespace

std::vector<DraftMethod> read_drafts(const std::filesystem::path& file) {
    TableReader root = TomlFile::open(file).reader();
    std::vector<DraftMethod> methods;
    for (TableReader& table : root.tables("method")) {
        methods.push_back(method_of(table));
    }
    root.finish();
    return methods;
}

double acceptance_for(double accepted, std::uint64_t drafted) {
    double low = 0;
    double high = 1;
    constexpr int halvings = 40;
    for (int i = 0; i < halvings; ++i) {
        const double middle = (low + high) / 2;
        (accepted_of(middle, drafted) < accepted ? low : high) = middle;
    }
    return high;
}

std::optional<StatedDraft> stated_draft(const std::string& workload,
                                        const std::vector<DraftMethod>& methods) {
    const std::string text = lower(workload);
    for (const DraftMethod& method : methods) {
        for (const std::string& name : method.names) {
            const std::size_t at = place_of(text, name);
            if (at == std::string::npos) {
                continue;
            }
            StatedDraft draft{.method = &method, .drafted = whole_at(text, at + name.size())};
            const std::string behind = text.substr(at + name.size());
            for (const std::string& word : {std::string{"k"}, std::string{"spec "}}) {
                const std::size_t place = place_of(behind, word);
                if (!draft.drafted && place != std::string::npos) {
                    draft.drafted = whole_at(behind, place + word.size());
                }
            }
            return draft;
        }
    }
    return std::nullopt;
}

std::optional<double> stated_acceptance(const SystemRow& row) {
    constexpr std::string_view words = "accept rate ";
    const std::string notes = lower(row.notes);
    const std::size_t at = notes.find(words);
    if (at == std::string::npos) {
        return std::nullopt;
    }
    double percent = 0;
    const char* begin = notes.data() + at + words.size();
    const auto [end, error] = std::from_chars(begin, notes.data() + notes.size(), percent);
    const bool read = error == std::errc{} && end != notes.data() + notes.size() && *end == '%';
    return read && percent >= 0 && percent <= 100 ? std::optional{percent / 100} : std::nullopt;
}

std::variant<SpeculationTable, WhyNot> speculation_of(const ServerCommand& command,
                                                      const std::vector<DraftMethod>& methods,
                                                      const std::string& model) {
    if (command.drafted == 0) {
        return SpeculationTable{};
    }
    const auto method = std::ranges::find_if(methods, [&](const DraftMethod& one) {
        return std::ranges::find(one.names, command.draft) != one.names.end();
    });
    if (method == methods.end()) {
        return WhyNot{
            fmt::format("tokens are drafted by '{}', of whose acceptance nothing is known", command.draft)};
    }
    const std::uint64_t drafted = command.drafted;
    if (command.accepted) {
        return SpeculationTable{table_of(command, *method, acceptance_for(*command.accepted, drafted)), {}};
    }
    if (const auto known = known_of(*method, model, drafted)) {
        const double acceptance = acceptance_for(known->accepted, known->drafted);
        return SpeculationTable{
            table_of(command, *method, acceptance),
            fmt::format("{:.2f} of {} drafted tokens are taken to be accepted, as {:.2f} of {} were of this "
                        "model elsewhere (drafts.toml)",
                        accepted_of(acceptance, drafted),
                        drafted,
                        known->accepted,
                        known->drafted)};
    }
    if (!method->acceptance) {
        return WhyNot{"tokens are drafted, and how many are accepted is not stated"};
    }
    const auto accepted = [&](double acceptance) { return accepted_of(acceptance, drafted); };
    return SpeculationTable{
        table_of(command, *method, method->acceptance->value),
        fmt::format("{:.2f} of {} drafted tokens are taken to be accepted ({:.2f} to {:.2f}; drafts.toml)",
                    accepted(method->acceptance->value),
                    drafted,
                    accepted(method->acceptance->low),
                    accepted(method->acceptance->high))};
}

}  // namespace ascendsim::validation
