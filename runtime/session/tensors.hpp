// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kernels/plan/comparison.hpp"
#include "kernels/plan/plan.hpp"
#include "models/port/global_memory.hpp"
#include "models/sanitize/poison/poison.hpp"

namespace ascendsim::runtime {

/// A plan's buffers in the chip's global memory: filled before the run, compared after it.
class Tensors {
public:
    /// Allocates all buffers in the plan's order and fills them; in a timing-only run only those that steer
    /// the kernel. Outputs and workspace, to which the host gives no content, hold `poison`, or zeros without
    /// it.
    Tensors(const host::Plan& plan,
            isa::GlobalMemory& memory,
            std::uint64_t seed,
            bool functional,
            std::optional<sanitize::Poison> poison = std::nullopt);

    /// Fills buffers that a kernel writes as they were at first, for another execution.
    void restore();
    /// Computes what the outputs should be; to be called before the run, while the inputs are as filled.
    void compute_reference();
    /// Compares the outputs with the reference; empty if there is none.
    [[nodiscard]] std::vector<host::Comparison> compare() const;

    /// The reference's outputs, which are not compared with any more.
    [[nodiscard]] std::map<std::string, std::vector<double>, std::less<>> take_expected() {
        return std::move(expected_);
    }

    /// Outputs that are compared with a reference, and what they should be; empty where nothing is.
    [[nodiscard]] std::map<std::string, std::vector<double>, std::less<>>& expected() { return expected_; }

    [[nodiscard]] std::byte* address(const std::string& buffer) const;
    [[nodiscard]] std::span<std::byte> bytes(const host::Buffer& buffer) const;
    /// Of runs [begin, end) of a buffer's bytes, those that hold what they held at first.
    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> untouched(
        const host::Buffer& buffer, std::vector<std::pair<std::uint64_t, std::uint64_t>> runs) const;
    /// Name, role, type, shape and place of each buffer.
    [[nodiscard]] nlohmann::json description() const;

private:
    void fill(const host::Buffer& buffer) const;
    /// True if the host gives no content to the buffer, and something else lies there.
    [[nodiscard]] bool is_poisoned(const host::Buffer& buffer) const;
    void write_first_content(const host::Buffer& buffer, std::span<std::byte> to) const;

    const host::Plan& plan_;
    const isa::GlobalMemory& memory_;
    std::uint64_t seed_;
    bool functional_;
    std::optional<sanitize::Poison> poison_;
    std::map<std::string, std::byte*, std::less<>> addresses_;
    std::map<std::string, std::vector<double>, std::less<>> expected_;
    std::map<std::string, host::ElementErrors, std::less<>> errors_;  // of the same outputs
};

/// `numerics` of a result.
[[nodiscard]] nlohmann::json to_json(const std::vector<host::Comparison>& comparisons);

}  // namespace ascendsim::runtime
