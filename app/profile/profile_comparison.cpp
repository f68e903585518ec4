// SPDX-License-Identifier: Apache-2.0
#include "app/profile/profile_comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/validation/validation.hpp"
#include "models/spec/chip_file.hpp"
#include "sim/base/csv_cell.hpp"
#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"
#include "sim/process/temporary_folder.hpp"
#include "sim/process/whole_file.hpp"

namespace ascendsim::profile {
namespace {

/// Formats in which the extents are the tensor's own.
bool is_plain(const std::string& format) {
    constexpr std::array plain{"", "ND", "NCHW", "NHWC", "NCDHW", "NULL", "FORMAT_ND"};
    return std::ranges::find(plain, format) != plain.end();
}

std::string shape_text(const ProfiledTensor& tensor) {
    return tensor.extents.empty() ? "scalar" : fmt::format("{}", fmt::join(tensor.extents, "x"));
}

std::string shapes_text(const std::vector<ProfiledTensor>& tensors, std::string_view border) {
    std::string text;
    for (const ProfiledTensor& tensor : tensors) {
        text += (text.empty() ? std::string{} : std::string{border}) + shape_text(tensor);
    }
    return text;
}

std::string types_text(const std::vector<ProfiledTensor>& tensors) {
    std::string text;
    for (const ProfiledTensor& tensor : tensors) {
        if (tensor.type == "DT_UNDEFINED") {
            continue;  // an operand that is left out
        }
        text += (text.empty() ? "" : "+") + type_of(tensor.type);
    }
    return text;
}

/// Tasks that are alike.
struct Group {
    const ProfiledOperator* first = nullptr;
    std::vector<double> us;
};

/// By type, shapes, element types, formats and cores.
using GroupKey = std::tuple<std::string, std::string, std::string, std::string, std::uint32_t>;

std::map<GroupKey, Group> groups_of(const Profile& profile) {
    std::map<GroupKey, Group> groups;
    for (const ProfiledOperator& one : profile.operators) {
        std::string formats;
        std::string types;
        for (const std::vector<ProfiledTensor>* list : {&one.inputs, &one.outputs}) {
            for (const ProfiledTensor& tensor : *list) {
                formats += tensor.format + ";";
                types += tensor.type + ";";
            }
        }
        const std::string shapes = shapes_text(one.inputs, "; ") + " -> " + shapes_text(one.outputs, "; ");
        Group& group = groups[{one.type, shapes, types, formats, one.blocks.value_or(0)}];
        group.first = group.first == nullptr ? &one : group.first;
        group.us.push_back(one.us);
    }
    return groups;
}

double median_of(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

ComparedOperator operator_of(const Group& group) {
    const ProfiledOperator& first = *group.first;
    ComparedOperator one;
    one.type = first.type;
    one.name = first.name;
    one.place = first.place;
    one.shapes = first.unread.empty()
                     ? shapes_text(first.inputs, "; ") +
                           (first.outputs.empty() ? "" : " -> " + shapes_text(first.outputs, "; "))
                     : std::string{};
    one.types = first.unread.empty() ? types_text(first.inputs) : std::string{};
    one.count = group.us.size();
    for (const double us : group.us) {
        one.real_us += us;
    }
    one.least_us = *std::ranges::min_element(group.us);
    one.most_us = *std::ranges::max_element(group.us);
    one.refused = refusal_of(first);
    return one;
}

/// A row for validation: the same columns, and the same words, as published profiles have there.
std::string row_of(const Group& group, const std::string& chip, std::size_t number) {
    const ProfiledOperator& one = *group.first;
    std::string outputs;
    for (const ProfiledTensor& tensor : one.outputs) {
        outputs += (outputs.empty() ? "" : "; ") + fmt::format("{}", fmt::join(tensor.extents, ","));
    }
    return fmt::format(
        "PROFILE-{},kernel_details.csv of a profile,{},{},{},{},task_duration,{},us,{},{},high\n",
        number,
        csv_cell(chip),
        csv_cell(one.type),
        csv_cell(shapes_text(one.inputs, "; ")),
        csv_cell(types_text(one.inputs)),
        median_of(group.us),
        one.blocks ? std::to_string(*one.blocks) : "",
        csv_cell(
            fmt::format("{} samples, median{}", group.us.size(), outputs.empty() ? "" : "; out " + outputs)));
}

void add_clock_note(const Profile& profile, const ChipSpec& chip, ProfileComparison& to) {
    std::vector<double> clocks;
    for (const ProfiledOperator& one : profile.operators) {
        if (one.clock_ghz) {
            clocks.push_back(*one.clock_ghz);
        }
    }
    if (clocks.empty()) {
        return;
    }
    constexpr double close = 0.03;
    const double clock = median_of(clocks);
    if (std::abs(clock / chip.cores.clock_ghz - 1) > close) {
        to.notes.push_back(fmt::format(
            "The profile's cycles and times come to a clock of {:.2f} GHz; the {} has {:.2f} GHz. Is it "
            "another chip (--chip)?",
            clock,
            chip.name,
            chip.cores.clock_ghz));
    }
}

void sort_operators(std::vector<ComparedOperator>& operators) {
    std::ranges::stable_sort(operators, [](const ComparedOperator& a, const ComparedOperator& b) {
        if (a.simulated_us.has_value() != b.simulated_us.has_value()) {
            return a.simulated_us.has_value();
        }
        return a.simulated_us ? a.lost_us() > b.lost_us() : a.real_us > b.real_us;
    });
}

}  // namespace

std::string type_of(const std::string& vendor_name) {
    std::string word = lower(vendor_name);
    if (word.starts_with("dt_")) {
        word = word.substr(3);
    }
    static const std::map<std::string, std::string> names{{"float", "float32"},
                                                          {"float32", "float32"},
                                                          {"float16", "float16"},
                                                          {"bf16", "bfloat16"},
                                                          {"bfloat16", "bfloat16"},
                                                          {"int8", "int8"},
                                                          {"uint8", "uint8"},
                                                          {"int16", "int16"},
                                                          {"uint16", "uint16"},
                                                          {"int32", "int32"},
                                                          {"uint32", "uint32"},
                                                          {"int64", "int64"},
                                                          {"uint64", "uint64"},
                                                          {"bool", "bool"}};
    const auto found = names.find(word);
    return found == names.end() ? std::string{} : found->second;
}

std::string refusal_of(const ProfiledOperator& one) {
    if (one.communicates()) {
        return "communication: its time holds the waiting for other devices; 'ascendsim step' simulates "
               "collectives";
    }
    if (one.copies()) {
        return "a copy between host and device, which 'ascendsim step' simulates";
    }
    if (lower(one.core).find("cpu") != std::string::npos) {
        return "runs on the AI CPU, which is not simulated";
    }
    if (!one.unread.empty()) {
        return one.unread;
    }
    if (one.inputs.empty()) {
        return "the profile states no operand";
    }
    for (const std::vector<ProfiledTensor>* list : {&one.inputs, &one.outputs}) {
        for (const ProfiledTensor& tensor : *list) {
            if (tensor.type != "DT_UNDEFINED" && type_of(tensor.type).empty()) {
                return fmt::format("element type '{}' is not known", tensor.type);
            }
            if (!is_plain(tensor.format)) {
                return fmt::format("format {}: the extents are those of its layout, not the tensor's",
                                   tensor.format);
            }
        }
    }
    return {};
}

double ProfileComparison::real_us() const {
    double sum = 0;
    for (const ComparedOperator& one : operators) {
        sum += one.real_us;
    }
    return sum;
}

double ProfileComparison::compared_us() const {
    double sum = 0;
    for (const ComparedOperator& one : operators) {
        sum += one.simulated_us ? one.real_us : 0;
    }
    return sum;
}

double ProfileComparison::simulated_us() const {
    double sum = 0;
    for (const ComparedOperator& one : operators) {
        sum += one.simulated_us.value_or(0) * static_cast<double>(one.count);
    }
    return sum;
}

std::optional<double> ProfileComparison::mean_error() const {
    double sum = 0;
    double count = 0;
    for (const ComparedOperator& one : operators) {
        if (one.simulated_us && one.real_us > 0) {
            sum += std::abs(*one.simulated_us * static_cast<double>(one.count) / one.real_us - 1);
            ++count;
        }
    }
    return count > 0 ? std::optional{sum / count} : std::nullopt;
}

ProfileComparison compare_profile(const Profile& profile,
                                  const toolchain::Installation& installation,
                                  const ProfileOptions& options) {
    const ChipSpec chip = load_chip(options.chip, installation.chips());
    ProfileComparison result{.chip = chip.name,
                             .files = profile.files,
                             .operators = {},
                             .starvation = starvation_of(profile),
                             .steps = profile.steps,
                             .notes = profile.notes};
    std::string rows = "id,source,chip,kernel,shape,dtype,metric,value,unit,cores,notes,reliability\n";
    std::vector<std::size_t> asked;
    for (const auto& [key, group] : groups_of(profile)) {
        result.operators.push_back(operator_of(group));
        ComparedOperator& one = result.operators.back();
        if (one.refused.empty() && !(median_of(group.us) > 0)) {
            one.refused = "takes no time";
        }
        if (one.refused.empty()) {
            asked.push_back(result.operators.size() - 1);
            rows += row_of(group, chip.name, asked.size());
        }
    }
    if (!asked.empty()) {
        const process::TemporaryFolder folder;
        const std::filesystem::path file = folder.path() / "profile.csv";
        process::write_whole(file, rows);
        validation::ValidationOptions judge;
        judge.data = file;
        judge.all = true;
        judge.jobs = options.jobs;
        judge.progress = options.progress;
        const validation::Validation judged = validation::validate(judge, installation);
        check(judged.rows.size() == asked.size(), "{} rows for {}", judged.rows.size(), asked.size());
        for (std::size_t i = 0; i < asked.size(); ++i) {
            ComparedOperator& one = result.operators[asked[i]];
            const validation::JudgedRow& row = judged.rows[i];
            one.simulated_us = row.simulated_us;
            one.refused = row.simulated_us ? std::string{} : row.why_not;
            one.assumed = row.assumed;
            one.account = row.cause;
            one.command = row.command;
        }
    }
    add_clock_note(profile, chip, result);
    sort_operators(result.operators);
    return result;
}

}  // namespace ascendsim::profile
