// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/energy_prices.hpp"

#include <string_view>

namespace ascendsim::analysis {
namespace {

constexpr double j_a_nj = 1e-9;
constexpr double j_a_pj = 1e-12;

double price(const nlohmann::json& power, std::string_view group, std::string_view key) {
    const auto values = power.find(group);
    if (values == power.end() || !values->is_object()) {
        return 0;
    }
    const auto found = values->find(key);
    return found != values->end() && found->is_number() ? found->get<double>() : 0;
}

}  // namespace

std::optional<EnergyPrices> prices_of(const nlohmann::json& metadata) {
    const auto power = metadata.is_object() ? metadata.find("power") : metadata.end();
    if (power == metadata.end() || !power->is_object()) {
        return std::nullopt;
    }
    const auto limit = power->find("limit_w");
    return EnergyPrices{.idle_w = price(*power, "idle", "cost"),
                        .cube = j_a_nj * price(*power, "cube", "cost"),
                        .vector = j_a_nj * price(*power, "vector", "cost"),
                        .scalar = j_a_nj * price(*power, "scalar", "cost"),
                        .local = j_a_pj * price(*power, "local", "cost"),
                        .l2 = j_a_pj * price(*power, "l2", "cost"),
                        .hbm = j_a_pj * price(*power, "hbm", "cost"),
                        .limit_w = limit != power->end() && limit->is_number() ? limit->get<double>() : 0};
}

}  // namespace ascendsim::analysis
