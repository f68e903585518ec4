// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/chip_numbers.hpp"

#include <algorithm>

namespace ascendsim::analysis {

ChipNumbers::ChipNumbers(const nlohmann::json& metadata) {
    if (const auto chip = metadata.find("chip"); chip != metadata.end()) {
        values_ = *chip;
    }
}

std::optional<double> ChipNumbers::number(std::string_view path) const {
    std::string pointer{"/"};
    pointer += path;
    std::ranges::replace(pointer, '.', '/');
    const nlohmann::json::json_pointer where{pointer};
    if (!values_.is_object() || !values_.contains(where)) {
        return std::nullopt;
    }
    const nlohmann::json& value = values_.at(where);
    if (value.is_boolean()) {
        return value.get<bool>() ? 1.0 : 0.0;
    }
    return value.is_number() ? std::optional{value.get<double>()} : std::nullopt;
}

std::string ChipNumbers::name() const {
    if (values_.is_string()) {
        return values_.get<std::string>();
    }
    const auto found = values_.find("name");  // none in what is no object
    return found != values_.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

bool ChipNumbers::split() const {
    return number("cores.split", 1) != 0;
}

double ChipNumbers::cube_work_per_cycle(std::string_view type) const {
    const double depth = number("cube.k0_bytes", 32) * 8 / bits_of(type);
    const double steps = type == "float32" ? number("cube.fp32_slowdown", 1) : 1;
    return number("cube.m0", 16) * number("cube.n0", 16) * depth / steps;
}

double ChipNumbers::vector_work_per_cycle(std::string_view type) const {
    return number("vector.repeat_bytes", 256) * 8 / bits_of(type);
}

unsigned bits_of(std::string_view type) {
    if (type == "int4") {
        return 4;
    }
    if (type == "int8" || type == "uint8" || type == "bool") {
        return 8;
    }
    if (type.ends_with("32")) {
        return 32;
    }
    return type.ends_with("64") ? 64 : 16;
}

}  // namespace ascendsim::analysis
