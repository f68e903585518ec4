// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/tensors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "kernels/plan/content.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::runtime {
namespace {

using host::Buffer;
using host::Role;

std::string_view role_name(Role role) {
    constexpr std::array<std::string_view, 5> names{"input", "output", "in_out", "workspace", "tiling"};
    return names[static_cast<std::size_t>(role)];
}

/// JSON has numbers for finite values alone: "inf", "-inf" and "nan" stand for the others.
nlohmann::json number_json(double value) {
    return std::isfinite(value) ? nlohmann::json(value)
           : std::isnan(value)  ? nlohmann::json("nan")
                                : nlohmann::json(value < 0 ? "-inf" : "inf");
}

/// The larger error; one that is no number is the largest.
double larger(double a, double b) {
    return std::isnan(a) || a > b ? a : b;
}

/// Memory that this machine has left, in bytes; nothing if it does not tell.
std::optional<std::uint64_t> memory_left() {
    std::ifstream stream{"/proc/meminfo"};
    for (std::string line; std::getline(stream, line);) {
        std::uint64_t kib = 0;
        if (std::istringstream text{line}; line.starts_with("MemAvailable:") && text >> line >> kib) {
            return kib * 1024;
        }
    }
    return std::nullopt;
}

/// True if the buffer gets a content before the run, which takes the host's memory.
bool is_filled(const Buffer& buffer, bool functional) {
    return (functional || buffer.control) && !std::holds_alternative<host::fill::Zeros>(buffer.fill);
}

/// Better now than when the system ends the process for want of memory.
void check_memory(const host::Plan& plan, bool functional) {
    std::uint64_t needed = 0;
    std::string largest;
    std::uint64_t most = 0;
    for (const Buffer& buffer : plan.buffers) {
        needed += is_filled(buffer, functional) ? buffer.bytes() : 0;
        if (is_filled(buffer, functional) && buffer.bytes() > most) {
            most = buffer.bytes();
            largest = buffer.name;
        }
    }
    constexpr double gb = 1e9;
    if (const std::optional<std::uint64_t> left = memory_left(); left && needed > *left) {
        throw UserError{
            "the tensors' data take {:.1f} GB, '{}' alone {:.1f} GB, and this machine has {:.1f} GB left: "
            "make the "
            "shapes smaller, or run for time alone (--timing-only), which computes no data",
            static_cast<double>(needed) / gb,
            largest,
            static_cast<double>(most) / gb,
            static_cast<double>(*left) / gb};
    }
}

}  // namespace

Tensors::Tensors(const host::Plan& plan,
                 isa::GlobalMemory& memory,
                 std::uint64_t seed,
                 bool functional,
                 std::optional<sanitize::Poison> poison)
    : plan_{plan}, memory_{memory}, seed_{seed}, functional_{functional}, poison_{poison} {
    for (const Buffer& buffer : plan.buffers) {
        check(!addresses_.contains(buffer.name), "two buffers are called '{}'", buffer.name);
        addresses_[buffer.name] = memory.allocate(buffer.name, buffer.bytes(), buffer.control);
    }
    check_memory(plan, functional);
    for (const Buffer& buffer : plan.buffers) {
        fill(buffer);
    }
}

void Tensors::fill(const Buffer& buffer) const {
    if (is_filled(buffer, functional_) || is_poisoned(buffer)) {  // fresh memory is zero
        write_first_content(buffer, bytes(buffer));
    }
}

bool Tensors::is_poisoned(const Buffer& buffer) const {
    constexpr std::uint64_t most = std::uint64_t{64} << 20U;  // larger ones would take the host's memory
    return poison_ && functional_ && buffer.bytes() <= most &&
           (buffer.role == Role::output || buffer.role == Role::workspace) &&
           std::holds_alternative<host::fill::Zeros>(buffer.fill);
}

void Tensors::write_first_content(const Buffer& buffer, std::span<std::byte> to) const {
    if (is_poisoned(buffer)) {
        poison_->fill(to, Memory::gm, memory_.offset_of(address(buffer.name)));
    } else {
        host::write_content(buffer, seed_, to);
    }
}

void Tensors::restore() {
    for (const Buffer& buffer : plan_.buffers) {
        if (functional_ && buffer.role != Role::input && buffer.role != Role::tiling) {
            write_first_content(buffer, bytes(buffer));
        }
    }
}

void Tensors::compute_reference() {
    if (!functional_ || !plan_.reference) {
        return;
    }
    host::ReferenceData data;
    for (const Buffer& buffer : plan_.buffers) {
        data.add(buffer, bytes(buffer));
    }
    plan_.reference(data);
    for (const host::Tolerance& tolerance : plan_.tolerances) {
        expected_[tolerance.output] = std::move(data.expected(tolerance.output));
        errors_[tolerance.output] = data.errors(tolerance.output);
    }
}

std::vector<host::Comparison> Tensors::compare() const {
    std::vector<host::Comparison> result;
    for (const host::Tolerance& tolerance : plan_.tolerances) {
        const auto expected = expected_.find(tolerance.output);
        if (expected == expected_.end()) {
            continue;
        }
        const auto buffer = std::ranges::find(plan_.buffers, tolerance.output, &Buffer::name);
        const auto errors = errors_.find(tolerance.output);
        result.push_back(host::compare(
            *buffer,
            bytes(*buffer),
            [&](std::uint64_t i) { return expected->second[i]; },
            tolerance,
            errors == errors_.end() ? host::ElementErrors{} : errors->second));
    }
    return result;
}

std::byte* Tensors::address(const std::string& buffer) const {
    const auto found = addresses_.find(buffer);
    check(found != addresses_.end(), "a launch names '{}', which is no buffer of the plan", buffer);
    return found->second;
}

std::span<std::byte> Tensors::bytes(const Buffer& buffer) const {
    return {address(buffer.name), buffer.bytes()};
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> Tensors::untouched(
    const Buffer& buffer, std::vector<std::pair<std::uint64_t, std::uint64_t>> runs) const {
    if (runs.empty()) {
        return runs;
    }
    std::vector<std::byte> before(buffer.bytes());
    write_first_content(buffer, before);
    const std::span<const std::byte> now = bytes(buffer);
    std::erase_if(runs, [&](const auto& run) {
        const auto begin = before.begin() + static_cast<std::ptrdiff_t>(run.first);
        return !std::ranges::equal(now.subspan(run.first, run.second - run.first),
                                   std::span{begin, run.second - run.first});
    });
    return runs;
}

nlohmann::json Tensors::description() const {
    nlohmann::json result = nlohmann::json::array();
    for (const Buffer& buffer : plan_.buffers) {
        result.push_back({{"name", buffer.name},
                          {"role", role_name(buffer.role)},
                          {"type", isa::name(buffer.type)},
                          {"shape", buffer.shape},
                          {"offset", memory_.offset_of(address(buffer.name))},
                          {"bytes", buffer.bytes()}});
    }
    return result;
}

nlohmann::json to_json(const std::vector<host::Comparison>& comparisons) {
    nlohmann::json outputs = nlohmann::json::array();
    double max_absolute = 0;
    double max_relative = 0;
    bool passed = true;
    for (const host::Comparison& one : comparisons) {
        nlohmann::json output{{"name", one.output},
                              {"elements", one.count},
                              {"failures", one.failures},
                              {"max_abs_error", number_json(one.max_absolute)},
                              {"max_rel_error", number_json(one.max_relative)},
                              {"max_ulp", one.max_ulp},
                              {"tolerance",
                               {{"absolute", one.tolerance.absolute},
                                {"relative", one.tolerance.relative},
                                {"ulp", one.tolerance.ulp}}},
                              {"passed", one.passed()}};
        if (one.first) {
            output["first_failure"] = {{"index", one.first->index},
                                       {"got", number_json(one.first->got)},
                                       {"expected", number_json(one.first->expected)}};
        }
        outputs.push_back(std::move(output));
        max_absolute = larger(max_absolute, one.max_absolute);
        max_relative = larger(max_relative, one.max_relative);
        passed = passed && one.passed();
    }
    return {{"checked", !comparisons.empty()},
            {"passed", comparisons.empty() ? nlohmann::json{} : nlohmann::json(passed)},
            {"max_abs_error", number_json(max_absolute)},
            {"max_rel_error", number_json(max_relative)},
            {"outputs", std::move(outputs)}};
}

}  // namespace ascendsim::runtime
