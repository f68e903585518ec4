// SPDX-License-Identifier: Apache-2.0
// COLL: collectives over several chips.
#include "app/validation/family.hpp"

namespace ascendsim::validation {
namespace {

class Collectives final : public Family {
public:
    [[nodiscard]] bool recognises(const Row& row) const override {
        return row.kernel_has({"allreduce",
                               "allgather",
                               "alltoall",
                               "reducescatter",
                               "broadcastrank",
                               "dispatch",
                               "combine",
                               "sdma",
                               "rdma",
                               "hccl"});
    }

    [[nodiscard]] Adapted adapt(const Row& /*row*/, const Context& /*context*/) const override {
        return WhyNot{"transfers between chips are not simulated"};
    }
};

}  // namespace

std::unique_ptr<Family> make_coll_family() {
    return std::make_unique<Collectives>();
}

}  // namespace ascendsim::validation
