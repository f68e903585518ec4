// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/faults.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace ascendsim::analysis {

namespace {

using nlohmann::json;

/// A number as JSON holds it, with so many digits; what is not finite is there by its name.
std::string number_text(const json& object, const char* key, int digits = 6) {
    const auto found = object.find(key);
    if (found == object.end() || (!found->is_number() && !found->is_string())) {
        return "not known";
    }
    return found->is_string() ? found->get<std::string>()
                              : fmt::format("{:.{}g}", found->get<double>(), digits);
}

/// The tolerance in force, as in " (atol 0.001, rtol 0.001)"; empty of a recording that does not hold it.
std::string tolerance_text(const json& output) {
    const auto found = output.find("tolerance");
    if (found == output.end() || !found->is_object()) {
        return {};
    }
    const auto ulp = found->value("ulp", std::uint64_t{0});
    return fmt::format(" (atol {}, rtol {}{})",
                       number_text(*found, "absolute"),
                       number_text(*found, "relative"),
                       ulp == 0 ? std::string{} : fmt::format(", {} ulp", ulp));
}

bool are_wrong(const json& numerics) {
    if (!numerics.is_object() || !numerics.value("checked", false)) {
        return false;
    }
    const auto passed = numerics.find("passed");
    return passed != numerics.end() && passed->is_boolean() && !passed->get<bool>();
}

void add_results(std::vector<std::string>& faults, const json& hazards, const json& numerics) {
    // What ended the run is told as its failure already.
    const auto stops = static_cast<std::size_t>(std::ranges::count_if(
        hazards, [](const json& hazard) { return hazard.is_object() && hazard.value("stops", false); }));
    if (const std::size_t count = count_hazards(hazards) - stops; count > 0) {
        faults.push_back(fmt::format("{} {}{}: on the chip the result would not be certain",
                                     count,
                                     count == 1 ? "hazard was found" : "hazards were found",
                                     stops > 0 ? " before" : ""));
    }
    if (are_wrong(numerics)) {
        const std::vector<std::string> outputs = wrong_outputs(numerics);
        for (const std::string& output : outputs) {
            faults.push_back("The numbers are wrong: " + output);
        }
        if (outputs.empty()) {
            faults.push_back("The numbers are wrong: largest error " +
                             number_text(numerics, "max_abs_error"));
        }
    }
}

}  // namespace

bool failed(const RunSummary& summary) {
    return !summary.error.empty();
}

std::vector<std::string> wrong_outputs(const json& numerics) {
    std::vector<std::string> sentences;
    const auto outputs = numerics.is_object() ? numerics.find("outputs") : numerics.end();
    if (!numerics.is_object() || outputs == numerics.end() || !outputs->is_array()) {
        return sentences;
    }
    for (const json& output : *outputs) {
        if (!output.is_object() || output.value("passed", true)) {
            continue;
        }
        std::string text = fmt::format("{}: {} of {} elements are wrong{}",
                                       output.value("name", std::string{}),
                                       output.value("failures", std::uint64_t{0}),
                                       output.value("elements", std::uint64_t{0}),
                                       tolerance_text(output));
        if (const auto first = output.find("first_failure"); first != output.end() && first->is_object()) {
            // So many digits that the two differ; nine tell any two floats apart, 17 any two doubles.
            int digits = 6;
            for (const int more : {9, 17}) {
                const bool alike =
                    number_text(*first, "got", digits) == number_text(*first, "expected", digits);
                digits = alike ? more : digits;
            }
            text += fmt::format(", the first at {}: got {}, expected {}",
                                first->value("index", std::uint64_t{0}),
                                number_text(*first, "got", digits),
                                number_text(*first, "expected", digits));
        }
        sentences.push_back(std::move(text));
    }
    return sentences;
}

std::size_t count_hazards(const json& hazards) {
    std::size_t count = 0;
    for (const json& hazard : hazards) {
        const bool waste = hazard.is_object() && hazard.value("severity", std::string{"error"}) != "error";
        count += waste ? 0U : 1U;
    }
    return count;
}

std::vector<const json*> hazards_of(const RunSummary& summary, std::string_view severity) {
    std::vector<const json*> found;
    for (const json& hazard : summary.hazards) {
        if ((hazard.is_object() ? hazard.value("severity", std::string{"error"}) : "error") == severity) {
            found.push_back(&hazard);
        }
    }
    return found;
}

std::vector<std::string> faults_of(const RunSummary& summary) {
    std::vector<std::string> faults;
    if (failed(summary)) {
        faults.push_back(summary.error);
    }
    add_results(faults, summary.hazards, summary.numerics);
    return faults;
}

std::vector<std::string> faults_of(const json& run) {
    std::vector<std::string> faults;
    if (!run.is_object()) {
        return {"The run did not start"};
    }
    if (run.value("outcome", std::string{}) == "failed") {
        faults.push_back(run.value("error", std::string{"The run failed"}));
    }
    add_results(faults, run.value("hazards", json::array()), run.value("numerics", json{}));
    return faults;
}

}  // namespace ascendsim::analysis
