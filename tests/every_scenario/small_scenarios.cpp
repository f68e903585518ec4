// SPDX-License-Identifier: Apache-2.0
#include "tests/every_scenario/small_scenarios.hpp"

#include <map>

#include <fmt/format.h>

#include "app/scenario/catalogue.hpp"

namespace ascendsim::testing {

std::string SmallScenario::options() const {
    std::string text = "--set scenario.mode=timing";
    for (const std::string& set : sets) {
        text += fmt::format(" --set '{}'", set);
    }
    return text;
}

std::vector<SmallScenario> small_scenarios(const toolchain::Installation& installation) {
    // Those that take more than a fraction of a second as they are. Ragged where the kernel takes it.
    static const std::map<std::string, std::vector<std::string>> smaller{
        {"add_8192_910b1", {"kernel.shape=[1000, 2049]"}},
        {"block_sparse_attention_910b3",
         {"kernel.q_len=300", "kernel.kv_len=300", "kernel.heads=2", "kernel.sparse_from=0"}},
        {"embedding_grad_310p3", {"kernel.shape=[4, 77, 320]", "kernel.rows=2000"}},
        {"layer_norm_gelu_910b3", {"kernel.shape=[3, 333, 768]"}},
        {"matmul_all_reduce_910b3",
         {"scenario.ranks=2", "kernel.ranks=2", "kernel.m=512", "kernel.n=500", "kernel.k=256"}},
        {"matmul_8192_910b1", {"kernel.m=1000", "kernel.n=1000", "kernel.k=1111"}},
        {"swiglu_910b", {"kernel.shape=[3, 100, 272]", "kernel.gate=[272, 1000]", "kernel.up=[272, 1000]"}},
    };
    std::vector<SmallScenario> all;
    for (const scenario::ListedScenario& one : scenario::list_scenarios(installation)) {
        const auto found = smaller.find(one.name);
        all.push_back({one.name, found == smaller.end() ? std::vector<std::string>{} : found->second});
    }
    return all;
}

}  // namespace ascendsim::testing
