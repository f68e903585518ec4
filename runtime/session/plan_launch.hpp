// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/plan/plan.hpp"
#include "runtime/launches/plan_functions.hpp"
#include "runtime/session/session.hpp"
#include "runtime/session/tensors.hpp"

namespace ascendsim::runtime {

/// Arguments of a plan's launch as kernel functions take them: pointers to addresses and values that stay
/// where they are.
class PlanArguments {
public:
    PlanArguments(const host::Launch& launch, const Tensors& tensors);
    /// `address_of` tells where a buffer lies.
    PlanArguments(const host::Launch& launch,
                  const std::function<std::byte*(const std::string&)>& address_of);

    [[nodiscard]] void** pointers() const { return const_cast<void**>(pointers_.data()); }

    [[nodiscard]] std::uint32_t bytes() const;

private:
    std::vector<std::vector<std::byte>> values_;
    std::vector<void*> pointers_;
};

/// The launch as the session's machine takes it. `arguments` and `functions` must outlive it.
[[nodiscard]] Launch machine_launch(Session& session,
                                    const host::Launch& launch,
                                    const PlanFunctions::Pair& functions,
                                    const PlanArguments& arguments);

}  // namespace ascendsim::runtime
