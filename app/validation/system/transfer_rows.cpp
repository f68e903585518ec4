// SPDX-License-Identifier: Apache-2.0
// Rows of transfers: blocks between two devices or hosts, and copies between a host and its device.
#include <fmt/format.h>

#include "app/validation/system/system_answer.hpp"
#include "models/node/node_file.hpp"
#include "models/node/transfers.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::validation {
namespace {

/// Direction as the benchmark writes it: source, "2", destination; r marks the remote side.
struct PathWord {
    std::string_view word;
    node::PathSpec node::TransportSpec::*path;
    bool local_host;
    bool host;
};

const PathWord* path_word(const SystemRow& row) {
    using node::TransportSpec;
    static constexpr std::array<PathWord, 8> words{{{"D2rD", &TransportSpec::write_dd, false, false},
                                                    {"D2rH", &TransportSpec::write_dh, false, true},
                                                    {"H2rD", &TransportSpec::write_hd, true, true},
                                                    {"H2rH", &TransportSpec::write_hh, true, true},
                                                    {"rD2D", &TransportSpec::read_dd, false, false},
                                                    {"rD2H", &TransportSpec::read_dh, true, true},
                                                    {"rH2D", &TransportSpec::read_hd, false, true},
                                                    {"rH2H", &TransportSpec::read_hh, true, true}}};
    for (const PathWord& one : words) {
        if (row.workload.ends_with(one.word) ||
            row.workload.find(std::string{one.word} + " ") != std::string::npos) {
            return &one;
        }
    }
    return nullptr;
}

const node::IssuerSpec& issuer_of(const SystemRow& row, const node::IssuersSpec& issuers) {
    if (row.says("communication domain")) {
        return issuers.domain;
    }
    return row.says("host unfold") ? issuers.host_streams : issuers.device;
}

SystemAnswer device_copy(const SystemRow& row, const node::NodeSpec& machine) {
    const bool both = row.says("both");
    constexpr std::uint64_t large = 64'000'000;  // of a rate that is stated for all sizes from some on
    const double rate = node::device_copy_gb_per_s(machine, large, both);
    return Prediction{rate, machine.name + ": one link" + (both ? ", both ways" : "")};
}

}  // namespace

node::NodeSpec SystemContext::machine(std::string_view name) const {
    return node::open_node(name, installation_.root / "models" / "nodes").spec;
}

node::HostSpec SystemContext::host(std::string_view name) const {
    return node::open_host(name, installation_.root / "models" / "hosts").spec;
}

std::string machine_of(const SystemRow& row) {
    const std::string chip = lower(row.chip);
    const auto has = [&chip](std::string_view word) { return chip.find(word) != std::string::npos; };
    if (has("910c") || has("a3") || has("910_93")) {
        return "atlas800t_a3_x2";
    }
    if (has("910b") || has("a2")) {
        return "atlas800t_a2_x2";
    }
    if (has("310p")) {
        return has("duo") ? "atlas300i_duo" : "atlas300i_pro";
    }
    return has("310") && !has("310b") ? "atlas500" : "";
}

SystemAnswer in_unit_of(const SystemRow& row, double us, double bytes, std::string run) {
    if (row.unit == "us") {
        return Prediction{us, std::move(run)};
    }
    if (row.unit == "ms") {
        return Prediction{us / 1e3, std::move(run)};
    }
    if (row.unit == "GB/s") {
        return Prediction{bytes / us / 1e3, std::move(run)};
    }
    return WhyNot{fmt::format("the unit {} is none of us, ms, GB/s", row.unit)};
}

SystemAnswer transfer_answer(const SystemRow& row, const SystemContext& context) {
    const std::string name = machine_of(row);
    if (name.empty()) {
        return WhyNot{"no machine of this chip is described"};
    }
    const node::NodeSpec machine = context.machine(name);
    const PathWord* word = path_word(row);
    if (word == nullptr) {
        return row.says("p2p") && machine.size() > 1 ? device_copy(row, machine)
                                                     : WhyNot{"its ends are not stated"};
    }
    const std::optional<std::uint64_t> block = bytes_in(row.shape);
    if (!block) {
        return WhyNot{"the size of its blocks is not stated"};
    }
    const std::size_t total_at = lower(row.shape).find("total");
    const std::uint64_t total =
        bytes_in(row.shape, std::min(total_at, row.shape.size())).value_or(std::uint64_t{128} << 20);
    const bool roce = row.says("roce");
    const bool far = number_in(row.devices).value_or(1) > 1;
    const node::TransportSpec& transport =
        roce ? (far ? machine.roce_far : machine.roce_near) : (far ? machine.hccs_far : machine.hccs_near);
    const node::PathSpec& path = transport.*(word->path);
    if (!(path.gb_per_s > 0)) {
        return WhyNot{
            fmt::format("{} has no path {} over {}", machine.name, word->word, roce ? "RoCE" : "HCCS")};
    }
    const node::BlockStream stream{.path = {.path = &path,
                                            .issuer = &issuer_of(row, roce ? machine.roce : machine.hccs),
                                            .roce = roce,
                                            .far = far,
                                            .local_host = word->local_host,
                                            .host = word->host},
                                   .block_bytes = *block,
                                   .total_bytes = total};
    return in_unit_of(
        row,
        node::stream_us(machine, stream),
        static_cast<double>(total),
        fmt::format("{}: {} blocks of {} B", machine.name, (total + *block - 1) / *block, *block));
}

SystemAnswer copy_answer(const SystemRow& row, const SystemContext& context) {
    const std::string name = machine_of(row);
    if (name.empty()) {
        return WhyNot{"no machine of this chip is described"};
    }
    const node::NodeSpec machine = context.machine(name);
    const bool to_host = row.says("d2h");
    if (!to_host && !row.says("h2d")) {
        return WhyNot{"its direction is not stated"};
    }
    const node::Direction direction = to_host ? node::Direction::to_host : node::Direction::to_device;
    if (const std::optional<std::uint64_t> bytes = bytes_in(row.shape)) {
        const double us = node::host_copy_us(machine, direction, *bytes, true);
        return in_unit_of(
            row, us, static_cast<double>(*bytes), fmt::format("{}: {} B, pinned", machine.name, *bytes));
    }
    const std::optional<std::uint64_t> copies = number_in(row.workload);
    if (!copies || row.says("batched")) {
        return WhyNot{"the size of its copies is not stated"};
    }
    const double us = node::host_copy_us(machine, direction, 1024, false) * static_cast<double>(*copies);
    return in_unit_of(row,
                      us,
                      1024 * static_cast<double>(*copies),
                      fmt::format("{}: {} copies, assumed small and pageable", machine.name, *copies));
}

}  // namespace ascendsim::validation
