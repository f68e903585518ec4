// SPDX-License-Identifier: Apache-2.0
#include "app/studies/tune_advice.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

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

/// The next smaller and the next larger of numbers; of words the first few others.
std::vector<std::string> next_values(std::vector<std::string> values, const std::string& now) {
    std::erase(values, now);
    const std::optional<double> here = number_in(now);
    if (!here ||
        !std::ranges::all_of(values, [](const std::string& one) { return number_in(one).has_value(); })) {
        constexpr std::size_t most = 3;
        values.resize(std::min(most, values.size()));
        return values;
    }
    std::ranges::sort(values, {}, [](const std::string& one) { return *number_in(one); });
    const auto above =
        std::ranges::find_if(values, [&](const std::string& one) { return *number_in(one) > *here; });
    return {above == values.begin() ? above : std::prev(above),
            above == values.end() ? above : std::next(above)};
}

/// The file's [tune]; nothing if it has none, or a wrong one, which `tune` complains of.
std::vector<TuneKnob> knobs_of(const TomlFile& file) {
    try {
        return read_tune(file).knobs;
    } catch (const UserError&) {
        return {};
    }
}

bool tries(const analysis::Advice& advice, const std::string& path) {
    return std::ranges::any_of(advice.tries,
                               [&](const std::string& setting) { return setting.starts_with(path + "="); });
}

}  // namespace

std::vector<analysis::Advice> advice_of_tune(const BatchRun& run,
                                             const std::vector<analysis::Advice>& advice) {
    std::vector<analysis::Advice> result;
    const TomlFile file = scenario::with_overrides(run.file.toml(), run.run);
    for (const TuneKnob& knob : knobs_of(file)) {
        const std::string now = scenario::text_at(file, knob.path);
        const std::vector<std::string> values = next_values(knob.values, now);
        const bool told =
            std::ranges::any_of(advice, [&](const analysis::Advice& each) { return tries(each, knob.path); });
        if (told || values.empty() || now.empty()) {
            continue;
        }
        analysis::Advice one{.sentence = fmt::format(
                                 "Another value of {}, of those that the scenario's [tune] lists", knob.path),
                             .evidence = fmt::format("next to {}: {}", now, fmt::join(values, ", ")),
                             .knob = fmt::format("{} = {}", knob.path, now),
                             .resource = std::string{analysis::no_resource},
                             .root = {}};
        for (const std::string& value : values) {
            one.tries.push_back(fmt::format("{}={}", knob.path, value));
        }
        result.push_back(std::move(one));
    }
    return result;
}

}  // namespace ascendsim::study
