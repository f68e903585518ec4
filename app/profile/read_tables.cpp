// SPDX-License-Identifier: Apache-2.0
// kernel_details.csv, op_summary*.csv and step_trace_time.csv.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "app/profile/profile_table.hpp"
#include "app/profile/vendor_profile.hpp"
#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::profile {
namespace {

std::vector<std::string> parts_of(const std::string& text, char border) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end = text.find(border); end != std::string::npos; end = text.find(border, begin)) {
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    parts.push_back(text.substr(begin));
    return parts;
}

/// "32,1024"; an empty text is a scalar. Nothing for what is no list of extents.
std::optional<Extents> extents_of(const std::string& text) {
    Extents extents;
    if (text.find_first_not_of(" \"") == std::string::npos) {
        return extents;
    }
    for (const std::string& part : parts_of(text, ',')) {
        constexpr double most = 1e12;
        const std::optional<double> extent = number_of(part);
        if (!extent || *extent < 0 || *extent > most ||
            *extent != static_cast<double>(static_cast<std::uint64_t>(*extent))) {
            return std::nullopt;
        }
        extents.push_back(static_cast<std::uint64_t>(*extent));
    }
    return extents;
}

/// The tensors of "32,1024;1024,2048" with their types and formats; what is wrong with them goes to `unread`.
std::vector<ProfiledTensor> tensors_of(const std::string& shapes,
                                       const std::string& types,
                                       const std::string& formats,
                                       std::string& unread) {
    if (types.empty()) {
        unread = unread.empty() ? "the profile does not state its shapes and types" : unread;
        return {};
    }
    const std::vector<std::string> extents = parts_of(shapes, ';');
    const std::vector<std::string> of_type = parts_of(types, ';');
    const std::vector<std::string> of_format = parts_of(formats, ';');
    if (extents.size() != of_type.size()) {
        unread = fmt::format("{} shapes and {} types", extents.size(), of_type.size());
        return {};
    }
    std::vector<ProfiledTensor> tensors;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const std::optional<Extents> one = extents_of(extents[i]);
        if (!one) {
            unread = fmt::format("'{}' is no shape", extents[i]);
            return {};
        }
        tensors.push_back({.extents = *one,
                           .type = of_type[i],
                           .format = i < of_format.size() ? of_format[i] : std::string{}});
    }
    return tensors;
}

/// The clock that cycles over all cores, time of a core and number of cores come to; nothing where they do
/// not stand.
std::optional<double> clock_of(const ProfileTable& table, std::optional<std::uint32_t> blocks) {
    for (const auto& [cycles, time] : {std::pair{"aiv_total_cycles", "aiv_time(us)"},
                                       std::pair{"aic_total_cycles", "aicore_time(us)"},
                                       std::pair{"aic_total_cycles", "aic_time(us)"}}) {
        const double count = table.number({cycles}).value_or(0);
        const double us = table.number({time}).value_or(0);
        constexpr double least_us = 20;  // times have two digits
        if (count > 0 && us >= least_us && blocks.value_or(0) > 0) {
            return count / us / *blocks / 1000;
        }
    }
    return std::nullopt;
}

std::size_t rank_of(const std::string& where, Profile& profile) {
    const auto at = std::ranges::find(profile.ranks, where);
    if (at == profile.ranks.end()) {
        profile.ranks.push_back(where);
        return profile.ranks.size() - 1;
    }
    return static_cast<std::size_t>(at - profile.ranks.begin());
}

ProfiledOperator operator_of(const ProfileTable& table, const std::string& name, Profile& profile) {
    ProfiledOperator one;
    one.name = table.text({"Name", "Op Name", "Kernel Name"});
    one.type = table.text({"Type", "OP Type", "Op Type"});
    one.core = table.text({"Accelerator Core", "Task Type"});
    one.step = table.text({"Step Id"});
    one.stream = table.text({"Stream ID"});
    one.start_us = table.number({"Start Time(us)", "Task Start Time(us)", "Task Start Time"});
    one.place = table.place();
    const std::string device = table.text({"Device_id", "Device ID"});
    one.rank = rank_of(device.empty() ? name : name + " device " + device, profile);
    const std::optional<double> blocks = table.number({"Block Dim", "Block Num"});
    constexpr double most_blocks = 1e6;
    if (blocks && *blocks > 0 && *blocks < most_blocks) {
        one.blocks = static_cast<std::uint32_t>(*blocks);
    }
    one.inputs = tensors_of(table.text({"Input Shapes"}),
                            table.text({"Input Data Types"}),
                            table.text({"Input Formats"}),
                            one.unread);
    std::string no_outputs;  // those may be missing
    one.outputs = tensors_of(table.text({"Output Shapes"}),
                             table.text({"Output Data Types"}),
                             table.text({"Output Formats"}),
                             no_outputs);
    one.clock_ghz = clock_of(table, one.blocks);
    return one;
}

}  // namespace

bool ProfiledOperator::communicates() const {
    const std::string kind = lower(type);
    const std::string unit = lower(core);
    return kind.starts_with("hcom") || kind.starts_with("allreduce") || kind.starts_with("allgather") ||
           unit.find("hccl") != std::string::npos || unit.find("communication") != std::string::npos;
}

bool ProfiledOperator::copies() const {
    const std::string kind = lower(type);
    return kind.starts_with("memcpy") || kind.starts_with("pcie_dma") || lower(core).starts_with("sdma");
}

void read_operators(const std::string& text, const std::string& name, Profile& profile) {
    ProfileTable table{text, name};
    if (!table.has({"Duration(us)", "Task Duration(us)"}) || !table.has({"Type", "OP Type", "Op Type"})) {
        throw UserError{"{}: has no columns Type and Duration(us), or OP Type and Task Duration(us)", name};
    }
    while (table.next()) {
        const std::optional<double> us = table.number({"Duration(us)", "Task Duration(us)"});
        if (!us || *us < 0) {
            throw UserError{
                "{}: '{}' is no duration", table.place(), table.text({"Duration(us)", "Task Duration(us)"})};
        }
        profile.operators.push_back(operator_of(table, name, profile));
        profile.operators.back().us = *us;
    }
}

void read_steps(const std::string& text, const std::string& name, Profile& profile) {
    ProfileTable table{text, name};
    if (!table.has({"Computing"}) || !table.has({"Free"})) {
        throw UserError{"{}: has no columns Computing and Free", name};
    }
    while (table.next()) {
        const auto us = [&](std::string_view column) { return table.number({column}).value_or(0); };
        profile.steps.push_back({.device = table.text({"Device_id", "Device ID"}),
                                 .step = table.text({"Step"}),
                                 .computing = us("Computing"),
                                 .communication_not_overlapped = us("Communication(Not Overlapped)"),
                                 .overlapped = us("Overlapped"),
                                 .communication = us("Communication"),
                                 .free = us("Free"),
                                 .stage = us("Stage"),
                                 .bubble = us("Bubble"),
                                 .preparing = us("Preparing")});
    }
}

}  // namespace ascendsim::profile
