// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/validation/family.hpp"
#include "app/validation/system/system_row.hpp"
#include "models/node/node_spec.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::validation {

/// What the model says to a row, in the row's unit.
struct Prediction {
    double value = 0;
    std::string run;  // what ran, for people: "atlas800t_a3: ring, 16 devices"
};

using SystemAnswer = std::variant<Prediction, WhyNot>;

/// What answers are made of: machines by name, and the other rows, for times of kernels that a call's row
/// leaves to them.
class SystemContext {
public:
    SystemContext(const toolchain::Installation& installation, const std::vector<SystemRow>& rows)
        : installation_{installation}, rows_{rows} {}

    [[nodiscard]] node::NodeSpec machine(std::string_view name) const;
    [[nodiscard]] node::HostSpec host(std::string_view name) const;

    [[nodiscard]] const std::vector<SystemRow>& rows() const { return rows_; }

    [[nodiscard]] const toolchain::Installation& installation() const { return installation_; }

private:
    const toolchain::Installation& installation_;
    const std::vector<SystemRow>& rows_;
};

/// The name of the shipped machine that a row was measured on; empty if none is known.
[[nodiscard]] std::string machine_of(const SystemRow& row);

/// A time or rate in the row's unit, from microseconds and the bytes moved in them.
[[nodiscard]] SystemAnswer in_unit_of(const SystemRow& row, double us, double bytes, std::string run);

/// Rows of one category each.
[[nodiscard]] SystemAnswer transfer_answer(const SystemRow& row, const SystemContext& context);
[[nodiscard]] SystemAnswer copy_answer(const SystemRow& row, const SystemContext& context);
[[nodiscard]] SystemAnswer collective_answer(const SystemRow& row, const SystemContext& context);
[[nodiscard]] SystemAnswer host_answer(const SystemRow& row, const SystemContext& context);
[[nodiscard]] SystemAnswer power_answer(const SystemRow& row, const SystemContext& context);

}  // namespace ascendsim::validation
