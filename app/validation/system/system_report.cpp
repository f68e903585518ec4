// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/validation/system/system_validation.hpp"
#include "sim/base/csv_cell.hpp"

namespace ascendsim::validation {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t worst_rows = 10;

std::string errors_by_group(const SystemValidation& validation) {
    std::string text = fmt::format("  {:<24}{:>6}{:>6}{:>9}{:>10}{:>8}{:>9}{:>11}\n",
                                   "",
                                   "rows",
                                   "ran",
                                   "mean %",
                                   "median %",
                                   "P90 %",
                                   "bias %",
                                   "allowed %");
    for (const SystemGroup& group : validation.groups) {
        const Fit fit = validation.fit_of(group.name);
        text += fmt::format("  {:<24}{:>6}{:>6}", group.title, validation.count(group.name), fit.cases);
        if (fit.cases > 0) {
            text += fmt::format("{:>9.1f}{:>10.1f}{:>8.1f}{:>+9.1f}{:>11}{}",
                                100 * fit.mape,
                                100 * fit.median_ape,
                                100 * fit.p90_ape,
                                100 * fit.bias,
                                group.target > 0 ? fmt::format("{:.0f}", 100 * group.target) : "",
                                group.target > 0 && fit.mape > group.target ? "  missed" : "");
        }
        text += "\n";
        if (group.signed_target > 0 && fit.cases > 0) {
            text += fmt::format("  {:<24}{:>12.0f} % on the right side of 1 (goal: {:.0f} %)\n",
                                "",
                                100 * validation.signs_right(group.name),
                                100 * group.signed_target);
        }
        if (group.order_target > 0 && fit.cases > 1) {
            const double order = validation.order_of(group.name);
            text += fmt::format("  {:<24}order kept: Kendall's tau {:.2f} (goal: {:.2f}){}\n",
                                "",
                                order,
                                group.order_target,
                                order < group.order_target ? "  missed" : "");
        }
    }
    for (const SystemCoverage& one : validation.coverage) {
        if (one.rows == 0) {
            continue;
        }
        text += fmt::format("  {}: {} of {} run, {:.0f} % (goal: {:.0f} %){}\n",
                            one.title,
                            one.ran,
                            one.rows,
                            100 * one.share(),
                            100 * one.target,
                            one.share() < one.target ? "  missed" : "");
    }
    return text;
}

/// A line for a row, and below it of what its time consists.
std::string row_lines(const JudgedSystemRow& row) {
    std::string text = fmt::format("  {:<10}{:>+7.0f} %  measured {:.6g}, simulated {:.6g} {}: {}, {}\n",
                                   row.row.id,
                                   100 * row.error(),
                                   row.row.value,
                                   *row.simulated,
                                   row.row.unit,
                                   row.row.workload,
                                   row.row.shape);
    if (!row.diagnosis.empty()) {
        text += fmt::format("  {:<20}{}\n", "", row.diagnosis);
    }
    return text;
}

/// All rows that ran, group by group, where it is known of what their times consist.
std::string all_rows(const SystemValidation& validation) {
    std::string text;
    for (const SystemGroup& group : validation.groups) {
        std::string lines;
        for (const JudgedSystemRow& row : validation.rows) {
            if (!row.simulated || row.group != group.name || row.parts.empty()) {
                continue;
            }
            lines += row_lines(row) + fmt::format("  {:<20}{}\n", "", row.run);
            for (const std::string& part : row.parts) {
                lines += fmt::format("  {:<22}{}\n", "", part);
            }
        }
        text += lines.empty() ? "" : fmt::format("\nRows: {}\n{}", group.title, lines);
    }
    return text;
}

std::string worst(const SystemValidation& validation) {
    std::vector<const JudgedSystemRow*> ran;
    for (const JudgedSystemRow& row : validation.rows) {
        if (row.simulated) {
            ran.push_back(&row);
        }
    }
    std::ranges::stable_sort(
        ran, std::greater{}, [](const JudgedSystemRow* row) { return std::abs(row->error()); });
    ran.resize(std::min(ran.size(), worst_rows));
    std::string text = ran.empty() ? "" : "\nWorst rows\n";
    for (const JudgedSystemRow* row : ran) {
        text += row_lines(*row);
    }
    return text;
}

std::string refused(const SystemValidation& validation) {
    std::map<std::string, std::size_t> reasons;
    for (const JudgedSystemRow& row : validation.rows) {
        if (!row.simulated && !row.group.empty()) {
            ++reasons[row.why_not];
        }
    }
    std::string text = reasons.empty() ? "" : "\nRows that did not run\n";
    for (const auto& [reason, count] : reasons) {
        text += fmt::format("  {:>4}  {}\n", count, reason);
    }
    return text;
}

}  // namespace

std::string system_text(const SystemValidation& validation) {
    return fmt::format("Simulated against published measurements, {}\n", validation.data) +
           errors_by_group(validation) + worst(validation) + all_rows(validation) + refused(validation);
}

nlohmann::ordered_json system_json(const SystemValidation& validation) {
    ordered_json result{{"data", validation.data}};
    for (const SystemGroup& group : validation.groups) {
        const Fit fit = validation.fit_of(group.name);
        const auto shown = [any = fit.cases > 0](double value) {
            return any ? ordered_json(value) : ordered_json(nullptr);
        };
        const auto target = [](double value) {
            return value > 0 ? ordered_json(value) : ordered_json(nullptr);
        };
        result["groups"][group.name] = {{"rows", validation.count(group.name)},
                                        {"ran", fit.cases},
                                        {"mape", shown(fit.mape)},
                                        {"median_ape", shown(fit.median_ape)},
                                        {"p90_ape", shown(fit.p90_ape)},
                                        {"bias", shown(fit.bias)},
                                        {"target", target(group.target)}};
        if (group.signed_target > 0) {
            result["groups"][group.name]["signs_right"] = validation.signs_right(group.name);
            result["groups"][group.name]["signs_target"] = group.signed_target;
        }
        if (group.order_target > 0) {
            result["groups"][group.name]["kendall"] = validation.order_of(group.name);
            result["groups"][group.name]["kendall_target"] = group.order_target;
        }
    }
    for (const SystemCoverage& one : validation.coverage) {
        result["coverage"][one.name] = {{"rows", one.rows}, {"ran", one.ran}, {"target", one.target}};
    }
    ordered_json rows = ordered_json::array();
    for (const JudgedSystemRow& row : validation.rows) {
        ordered_json one{{"id", row.row.id},
                         {"group", row.group},
                         {"metric", row.row.metric},
                         {"unit", row.row.unit},
                         {"measured", row.row.value},
                         {"simulated", nullptr},
                         {"error", nullptr},
                         {"run", row.run},
                         {"parts", row.parts},
                         {"configuration", row.configuration},
                         {"why_not", row.why_not},
                         {"diagnosis", row.diagnosis}};
        if (row.simulated) {
            one["simulated"] = *row.simulated;
            one["error"] = row.error();
        }
        rows.push_back(std::move(one));
    }
    result["rows"] = std::move(rows);
    return result;
}

std::string system_csv(const SystemValidation& validation) {
    std::string text = "id,group,workload,shape,metric,unit,measured,simulated,error,why_not\n";
    for (const JudgedSystemRow& row : validation.rows) {
        text += fmt::format("{},{},{},{},{},{},{:.6g},{},{},{}\n",
                            csv_cell(row.row.id),
                            row.group,
                            csv_cell(row.row.workload),
                            csv_cell(row.row.shape),
                            csv_cell(row.row.metric),
                            csv_cell(row.row.unit),
                            row.row.value,
                            row.simulated ? fmt::format("{:.6g}", *row.simulated) : "",
                            row.simulated ? fmt::format("{:.4f}", row.error()) : "",
                            csv_cell(row.why_not));
    }
    return text;
}

}  // namespace ascendsim::validation
