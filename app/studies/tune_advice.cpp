// SPDX-License-Identifier: Apache-2.0
#include "app/studies/tune_advice.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/studies/tune.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::study {

namespace {

std::optional<double> number_in(const std::string& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional{number} : std::nullopt;
}

/// The values each way from the run's own, the nearest first: of numbers the smaller and the larger ones, of
/// words the first few others by themselves.
std::vector<std::vector<std::string>> ways_from(std::vector<std::string> values, const std::string& now) {
    std::erase(values, now);
    std::vector<std::vector<std::string>> ways;
    const std::optional<double> here = number_in(now);
    if (!here ||
        !std::ranges::all_of(values, [](const std::string& one) { return number_in(one).has_value(); })) {
        constexpr std::size_t most = 3;
        for (std::size_t i = 0; i < std::min(most, values.size()); ++i) {
            ways.push_back({values[i]});
        }
        return ways;
    }
    std::ranges::sort(values, {}, [](const std::string& one) { return *number_in(one); });
    const auto above =
        std::ranges::find_if(values, [&](const std::string& one) { return *number_in(one) > *here; });
    ways.emplace_back(std::make_reverse_iterator(above), values.rend());
    ways.emplace_back(above, values.end());
    std::erase_if(ways, [](const std::vector<std::string>& way) { return way.empty(); });
    return ways;
}

/// The file's [tune]; nothing if it has none, or a wrong one, which `tune` complains of.
std::vector<TuneKnob> knobs_of(const TomlFile& file) {
    try {
        return read_tune(file).knobs;
    } catch (const UserError&) {
        return {};
    }
}

bool tries(const std::vector<analysis::Advice>& advice, const std::string& setting) {
    return std::ranges::any_of(
        advice, [&](const analysis::Advice& each) { return std::ranges::count(each.tries, setting) != 0; });
}

}  // namespace

std::vector<analysis::Advice> advice_of_tune(const BatchRun& run,
                                             const std::vector<analysis::Advice>& advice) {
    std::vector<analysis::Advice> result;
    const TomlFile file = scenario::with_overrides(run.file.toml(), run.run);
    for (const TuneKnob& knob : knobs_of(file)) {
        const std::string now = scenario::text_at(file, knob.path);
        std::vector<std::string> values = knob.values;
        std::erase_if(values, [&](const std::string& value) {
            return tries(advice, fmt::format("{}={}", knob.path, value));
        });
        const std::vector<std::vector<std::string>> ways = ways_from(std::move(values), now);
        if (ways.empty() || now.empty()) {
            continue;
        }
        std::vector<std::string> next;
        for (const std::vector<std::string>& way : ways) {
            next.push_back(way.front());
        }
        analysis::Advice one{.sentence = fmt::format(
                                 "Another value of {}, of those that the scenario's [tune] lists", knob.path),
                             .evidence = fmt::format("next to {}: {}", now, fmt::join(next, ", ")),
                             .knob = fmt::format("{} = {}", knob.path, now),
                             .resource = std::string{analysis::no_resource},
                             .root = {}};
        for (const std::vector<std::string>& way : ways) {
            one.tries.push_back(fmt::format("{}={}", knob.path, way.front()));
            for (std::size_t i = 1; i < way.size(); ++i) {
                one.further[one.tries.back()].push_back(fmt::format("{}={}", knob.path, way[i]));
            }
        }
        result.push_back(std::move(one));
    }
    return result;
}

}  // namespace ascendsim::study
