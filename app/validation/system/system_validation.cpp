// SPDX-License-Identifier: Apache-2.0
#include "app/validation/system/system_validation.hpp"

#include <algorithm>
#include <map>

#include "app/validation/system/system_answer.hpp"
#include "sim/base/lower_case.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::validation {
namespace {

constexpr std::uint64_t large_collective = 1'000'000;  // B

std::string group_of(const SystemRow& row) {
    if (row.category == "p2p_transfer") {
        return "transfers";
    }
    if (row.category == "host_device_copy") {
        return "copies";
    }
    if (row.category == "host_overhead") {
        return "host_calls";
    }
    if (row.category == "power") {
        return "power";
    }
    if (row.category == "collective") {
        const bool large = bytes_in(row.shape).value_or(0) >= large_collective;
        return large ? "large_collectives" : "small_collectives";
    }
    return {};
}

SystemAnswer answer(const SystemRow& row, const std::string& group, const SystemContext& context) {
    if (!(row.value > 0)) {
        return WhyNot{"the value is not positive"};
    }
    if (group == "transfers") {
        return transfer_answer(row, context);
    }
    if (group == "copies") {
        return copy_answer(row, context);
    }
    if (group == "power") {
        return power_answer(row, context);
    }
    return group == "host_calls" ? host_answer(row, context) : collective_answer(row, context);
}

/// What is known of rows that are off: `[[diagnosis]]` with `rows` and `why`.
std::vector<std::pair<std::string, std::string>> diagnoses(const toolchain::Installation& installation) {
    std::vector<std::pair<std::string, std::string>> known;
    const TomlFile file = TomlFile::open(installation.measurements() / "system_diagnoses.toml");
    TableReader table = file.reader();
    for (TableReader& one : table.tables("diagnosis")) {
        const auto why = one.get<std::string>("why");
        for (const std::string& id : one.require("rows").list<std::string>()) {
            known.emplace_back(id, why);
        }
        one.finish();
    }
    table.finish();
    return known;
}

}  // namespace

const std::vector<SystemGroup>& system_groups() {
    static const std::vector<SystemGroup> groups{
        {"copies", "host copies", 0.15},
        {"transfers", "transfers", 0.15},
        {"large_collectives", "collectives from 1 MB", 0.08},
        {"small_collectives", "smaller collectives", 0.25},
        {"host_calls", "host calls", 0.15},
        {"power", "power", 0.15},
    };
    return groups;
}

std::size_t SystemValidation::count(const std::string& group) const {
    return static_cast<std::size_t>(std::ranges::count(rows, group, &JudgedSystemRow::group));
}

Fit SystemValidation::fit_of(const std::string& group) const {
    std::vector<TimePair> pairs;
    for (const JudgedSystemRow& row : rows) {
        if (row.group == group && row.simulated) {
            pairs.push_back({row.row.value, *row.simulated});
        }
    }
    return fit(pairs);
}

double SystemValidation::order_of(const std::string& group) const {
    constexpr double ms_a_s = 1000;
    std::map<std::string, std::vector<TimePair>> of_unit;
    for (const JudgedSystemRow& row : rows) {
        if (row.group == group && row.simulated) {
            const bool seconds = row.row.unit == "s";
            const double scale = seconds ? ms_a_s : 1;
            of_unit[seconds ? "ms" : row.row.unit].push_back({scale * row.row.value, scale * *row.simulated});
        }
    }
    double sum = 0;
    double weight = 0;
    for (const auto& [unit, pairs] : of_unit) {
        const auto count = static_cast<double>(pairs.size());
        sum += kendall(pairs) * count * (count - 1);
        weight += count * (count - 1);
    }
    return weight > 0 ? sum / weight : 0;
}

double SystemValidation::signs_right(const std::string& group) const {
    std::size_t ran = 0;
    std::size_t right = 0;
    for (const JudgedSystemRow& row : rows) {
        if (row.group == group && row.simulated) {
            ++ran;
            const bool same = (row.row.value > 1) == (*row.simulated > 1);
            right += same ? std::size_t{1} : 0;
        }
    }
    return ran == 0 ? 1 : static_cast<double>(right) / static_cast<double>(ran);
}

SystemValidation validate_system(const std::filesystem::path& data,
                                 const toolchain::Installation& installation) {
    const std::filesystem::path file = data.empty() ? installation.measurements() / "system.csv" : data;
    const std::vector<SystemRow> rows = read_system_rows(file);
    const SystemContext context{installation, rows};
    const auto known = diagnoses(installation);
    SystemValidation result{.data = file.string(), .groups = system_groups(), .rows = {}};
    for (const SystemRow& row : rows) {
        JudgedSystemRow judged{.row = row, .group = group_of(row)};
        if (judged.group.empty()) {
            judged.why_not = "an input of other rows, or of a category that is not simulated";
            result.rows.push_back(std::move(judged));
            continue;
        }
        const SystemAnswer said = answer(row, judged.group, context);
        if (const auto* prediction = std::get_if<Prediction>(&said)) {
            judged.simulated = prediction->value;
            judged.run = prediction->run;
        } else {
            judged.why_not = std::get<WhyNot>(said).reason;
        }
        const auto at = std::ranges::find(known, row.id, [](const auto& one) { return one.first; });
        judged.diagnosis = at == known.end() ? std::string{} : at->second;
        result.rows.push_back(std::move(judged));
    }
    return result;
}

}  // namespace ascendsim::validation
