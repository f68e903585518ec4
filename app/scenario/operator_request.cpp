// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/scenario/argument_fill.hpp"
#include "app/scenario/library_operator.hpp"
#include "kernels/plan/knob.hpp"

namespace ascendsim::scenario {
namespace {

namespace fs = std::filesystem;

void read_tolerance(TableReader& table, OperatorTensor& tensor) {
    if (std::optional<TableReader> limits = table.find_table("tolerance")) {
        constexpr double most = 1e300;
        tensor.tolerance.absolute = limits->get_or<double>("absolute", 0, {0, most});
        tensor.tolerance.relative = limits->get_or<double>("relative", 0, {0, most});
        tensor.tolerance.ulp = limits->get_or<std::uint32_t>("ulp", 0);
        limits->finish();
    }
}

OperatorTensor read_tensor(TableReader& table) {
    const fs::path folder = table.node().file().folder();
    OperatorTensor tensor;
    tensor.place = table.node().place();
    tensor.name = table.get<std::string>("name");
    if (const std::optional<Node> shape = table.find("shape")) {
        tensor.shape = shape->list<std::int64_t>();
        for (const std::int64_t extent : *tensor.shape) {
            if (extent < 0) {
                throw shape->error(fmt::format("{} is no extent", extent));
            }
        }
    }
    if (const std::optional<Node> type = table.find("type")) {
        tensor.type = host::parse_type(type->as<std::string>(), type->place());
    }
    tensor.format = table.get_or<std::string>("format", {});
    if (const std::optional<Node> fill = table.find("fill")) {
        tensor.fill = read_fill(*fill);
    }
    for (auto [key, file] :
         {std::pair{"file", &tensor.file}, {"save", &tensor.save}, {"expect", &tensor.expect}}) {
        if (const std::optional<Node> node = table.find(key)) {
            *file = folder / node->as<std::string>();
        }
    }
    tensor.values = table.list<double>("values");
    read_tolerance(table, tensor);
    table.finish();
    return tensor;
}

}  // namespace

OperatorRequest read_operator(const Node& node) {
    TableReader table = node.table();
    OperatorRequest request;
    request.place = node.place();
    request.name = table.get<std::string>("name");
    request.library = node.file().folder() / table.get<std::string>("library");
    request.deterministic = table.get_or<bool>("deterministic", false);
    if (const std::optional<Node> attributes = table.find("attributes")) {
        for (const Node& one : attributes->members()) {
            request.attributes.emplace_back(one.key(), attribute_value(one));
        }
    }
    for (TableReader& tensor : table.tables("tensors")) {
        request.tensors.push_back(read_tensor(tensor));
    }
    table.finish();
    return request;
}

}  // namespace ascendsim::scenario
