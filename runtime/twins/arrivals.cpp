// SPDX-License-Identifier: Apache-2.0
#include "runtime/twins/arrivals.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/process/digest.hpp"

namespace ascendsim::runtime {
namespace {

using nlohmann::ordered_json;
using sanitize::Poison;

constexpr std::uint64_t most_parts = 4096;
constexpr std::uint64_t least_part_bytes = 32;
constexpr std::uint64_t other_seed = 1;
constexpr std::size_t most_tried = 24;  // suspects that are run for one by one

std::uint64_t part_bytes(std::uint64_t bytes) {
    return std::max(least_part_bytes, (bytes + most_parts - 1) / most_parts);
}

/// The buffer's bytes; zeros where the kernel wrote none.
std::string written_bytes(const host::Buffer& buffer,
                          const Tensors& tensors,
                          const sanitize::Checker& checker,
                          const isa::GlobalMemory& memory) {
    const std::span<const std::byte> bytes = tensors.bytes(buffer);
    std::string text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    if (buffer.role == host::Role::output) {
        const std::uint64_t offset = memory.offset_of(bytes.data());
        auto runs = checker.unwritten_runs(offset, bytes.size());
        for (auto& [begin, end] : runs) {
            begin -= offset;
            end -= offset;
        }
        for (const auto& [begin, end] : tensors.untouched(buffer, std::move(runs))) {
            std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin),
                      text.begin() + static_cast<std::ptrdiff_t>(end),
                      '\0');
        }
    }
    return text;
}

}  // namespace

ordered_json result_digests(const host::Plan& plan,
                            const Tensors& tensors,
                            const sanitize::Checker& checker,
                            const isa::GlobalMemory& memory) {
    ordered_json results = ordered_json::object();
    for (const host::Buffer& buffer : plan.buffers) {
        if (buffer.role != host::Role::output && buffer.role != host::Role::in_out) {
            continue;
        }
        const std::string text = written_bytes(buffer, tensors, checker, memory);
        const std::string_view all{text};
        ordered_json parts = ordered_json::array();
        for (std::size_t at = 0; at < all.size(); at += part_bytes(all.size())) {
            process::Digest digest;
            digest.add(all.substr(at, part_bytes(all.size())));
            parts.push_back(digest.hex());
        }
        results[buffer.name] = {{"bytes", all.size()}, {"parts", std::move(parts)}};
    }
    return results;
}

std::string result_bytes(const host::Plan& plan,
                         const Tensors& tensors,
                         const sanitize::Checker& checker,
                         const isa::GlobalMemory& memory) {
    std::string all;
    for (const host::Buffer& buffer : plan.buffers) {
        if (buffer.role == host::Role::output || buffer.role == host::Role::in_out) {
            all += written_bytes(buffer, tensors, checker, memory);
        }
    }
    return all;
}

std::optional<std::string> difference(const ordered_json& a, const ordered_json& b) {
    if (!a.is_object() || !b.is_object()) {
        return "how the run ends";
    }
    for (const auto& [name, one] : a.items()) {
        const ordered_json& parts = one["parts"];
        const ordered_json& others = b[name]["parts"];
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (i >= others.size() || parts[i] != others[i]) {
                return fmt::format(
                    "output '{}' from byte {} on", name, i * part_bytes(one["bytes"].get<std::uint64_t>()));
            }
        }
    }
    return std::nullopt;
}

void find_arrivals(sanitize::Checker& checker, const ordered_json& results, Twins& twins) {
    bool answered = true;
    const auto difference_with = [&](const Poison& poison) {
        const std::optional<ordered_json> others = twins.run({.poison = poison, .timing = {}});
        answered = answered && others;
        return others ? difference(results, *others) : std::nullopt;
    };
    const auto& suspects = checker.suspects();
    std::vector<std::uint64_t> seeds{other_seed};
    if (!suspects.empty() && checker.any_decision()) {
        seeds.insert(seeds.end(), {Poison::largest, Poison::least, Poison::zero});
    }
    for (const std::uint64_t seed : seeds) {
        if (const std::optional<std::string> all = difference_with({.seed = seed})) {
            bool found = false;
            for (std::size_t i = 0; i < std::min(suspects.size(), most_tried); ++i) {
                const sanitize::Suspect& one = suspects[i];
                const Poison poison{
                    .area =
                        Poison::Area{.memory = one.memory, .begin = one.begin, .end = one.end, .seed = seed}};
                if (const std::optional<std::string> there = difference_with(poison)) {
                    checker.confirm(i, *there);
                    found = true;
                }
            }
            if (!found) {
                checker.confirm(suspects.empty() ? std::nullopt : std::optional<std::size_t>{0}, *all);
            }
            return;
        }
    }
    if (!answered) {
        checker.confirm_wide();
    }
}

}  // namespace ascendsim::runtime
