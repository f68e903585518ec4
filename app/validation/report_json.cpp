// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/validation/report.hpp"
#include "sim/base/csv_cell.hpp"

namespace ascendsim::validation {
namespace {

using nlohmann::ordered_json;

using Filter = std::function<bool(const JudgedRow&)>;

ordered_json fit_json(const Validation& validation, const Filter& filter) {
    const Fit fit = validation.fit_of(filter);
    const bool any = fit.cases > 0;
    const auto shown = [any](double value) { return any ? ordered_json(value) : ordered_json(nullptr); };
    return {{"rows", validation.count(filter)},
            {"ran", fit.cases},
            {"mape", shown(fit.mape)},
            {"median_ape", shown(fit.median_ape)},
            {"p90_ape", shown(fit.p90_ape)},
            {"bias", shown(fit.bias)},
            {"kendall", fit.cases > 1 ? ordered_json(fit.kendall) : ordered_json(nullptr)}};
}

template <class T>
ordered_json optional_json(const std::optional<T>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json text_json(const std::string& text) {
    return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json row_json(const JudgedRow& row) {
    const Measurement& given = row.measurement;
    return {{"id", given.id},
            {"class", name(row.which)},
            {"family", row.family},
            {"measured_us", optional_json(row.measured_us)},
            {"simulated_us", optional_json(row.simulated_us)},
            {"error", row.ran() ? ordered_json(row.us().error()) : ordered_json(nullptr)},
            {"why_not", text_json(row.why_not)},
            {"chip", text_json(row.chip)},
            {"kernel", given.kernel},
            {"shape", given.shape},
            {"dtype", given.dtype},
            {"metric", given.metric},
            {"reliability", given.reliability},
            {"source", given.source},
            {"assumed", text_json(row.assumed)},
            {"calibrated", row.calibrated},
            {"standard_error", optional_json(row.standard_error)},
            {"cause", text_json(row.cause)},
            {"command", text_json(row.command)},
            {"published",
             row.published.empty()
                 ? ordered_json(nullptr)
                 : ordered_json{{"operator", row.published},
                                {"simulated_us", optional_json(row.published_us)},
                                {"error",
                                 row.published_ran() ? ordered_json(row.published_pair().error())
                                                     : ordered_json(nullptr)},
                                {"why_not", text_json(row.published_why_not)},
                                {"command", text_json(row.published_command)}}}};
}

ordered_json pipes_json(const Validation& validation, ordered_json& summary) {
    ordered_json list = ordered_json::array();
    const auto entry = [](const std::vector<TimePair>& pairs) {
        const Fit of = fit(pairs);
        return ordered_json{
            {"rows", of.cases}, {"mape", of.mape}, {"median_ape", of.median_ape}, {"bias", of.bias}};
    };
    std::map<std::string, std::vector<TimePair>> all;
    for (const PipeComparison& one : validation.pipes) {
        list.push_back({{"id", one.id},
                        {"run", one.run},
                        {"pipe", one.pipe},
                        {"class", name(one.which)},
                        {"measured_us", one.us.measured},
                        {"simulated_us", one.us.simulated},
                        {"error", one.us.error()}});
        all[one.pipe].push_back(one.us);
    }
    summary["pipes"] = ordered_json::object();
    for (const auto& [pipe, pairs] : all) {
        summary["pipes"][pipe] = entry(pairs);
    }
    for (const SourceClass which : {SourceClass::known_source, SourceClass::black_box}) {
        for (const auto& [pipe, pairs] : validation.pipes_of(which)) {
            summary[std::string{name(which)}]["pipes"][pipe] = entry(pairs);
        }
    }
    return list;
}

}  // namespace

ordered_json validation_json(const Validation& validation) {
    ordered_json summary;
    ordered_json families = ordered_json::object();
    for (const SourceClass which : {SourceClass::known_source, SourceClass::black_box}) {
        ordered_json of = fit_json(validation, [&](const JudgedRow& row) { return row.which == which; });
        for (const bool calibrated : {true, false}) {
            of[calibrated ? "calibrated" : "not_calibrated"] = fit_json(
                validation,
                [&](const JudgedRow& row) { return row.which == which && row.calibrated == calibrated; });
        }
        of["families"] = ordered_json::object();
        for (const std::string& family : validation.families()) {
            const Filter filter = [&](const JudgedRow& row) {
                return row.which == which && row.family == family;
            };
            if (validation.count(filter) > 0) {
                families[family][std::string{name(which)}] = of["families"][family] =
                    fit_json(validation, filter);
            }
        }
        summary[std::string{name(which)}] = std::move(of);
    }
    summary["all"] = fit_json(validation, [](const JudgedRow&) { return true; });
    ordered_json result{{"data", validation.data}};
    ordered_json pipes = pipes_json(validation, summary);
    result["summary"] = std::move(summary);
    for (const std::string& family : validation.families()) {
        families[family]["all"] =
            fit_json(validation, [&](const JudgedRow& row) { return row.family == family; });
    }
    result["families"] = std::move(families);
    result["rows"] = ordered_json::array();
    for (const JudgedRow& row : validation.rows) {
        result["rows"].push_back(row_json(row));
    }
    result["pipes"] = std::move(pipes);
    result["simulations"] = validation.simulations;
    result["wall_s"] = validation.wall_s;
    return result;
}

std::string validation_csv(const Validation& validation) {
    std::string text =
        "id,class,family,chip,kernel,shape,dtype,measured_us,simulated_us,error,why_not,assumed,cause,"
        "calibrated,standard_error\n";
    for (const JudgedRow& row : validation.rows) {
        const auto number = [](const std::optional<double>& value) {
            return value ? fmt::format("{:.6g}", *value) : std::string{};
        };
        const Measurement& given = row.measurement;
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                            given.id,
                            name(row.which),
                            row.family,
                            row.chip,
                            csv_cell(given.kernel),
                            csv_cell(given.shape),
                            csv_cell(given.dtype),
                            number(row.measured_us),
                            number(row.simulated_us),
                            row.ran() ? fmt::format("{:.4f}", row.us().error()) : std::string{},
                            csv_cell(row.why_not),
                            csv_cell(row.assumed),
                            csv_cell(row.cause),
                            row.calibrated,
                            number(row.standard_error));
    }
    return text;
}

}  // namespace ascendsim::validation
