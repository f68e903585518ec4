// SPDX-License-Identifier: Apache-2.0
// The table of the vendor's profiler.
#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/networks/network_report.hpp"
#include "app/networks/operator_lines.hpp"

namespace ascendsim::report {
namespace {

/// A field of CSV, in quotes.
std::string quoted(std::string text) {
    std::ranges::replace(text, '"', '\'');
    return fmt::format("\"{}\"", text);
}

/// Shapes, element types and formats as the vendor's tables have them.
struct VendorTensors {
    std::string shapes;
    std::string types;
    std::string formats;

    void add(const networks::Tensor& tensor) {
        static const std::map<isa::DataType, std::string> names{{isa::DataType::half, "FLOAT16"},
                                                                {isa::DataType::bfloat16, "DT_BF16"},
                                                                {isa::DataType::float32, "FLOAT"}};
        const auto name = names.find(tensor.type);
        std::string word = name != names.end() ? name->second : std::string{isa::name(tensor.type)};
        std::ranges::transform(
            word, word.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        const std::string border = types.empty() ? "" : ";";
        shapes += border + fmt::format("{}", fmt::join(tensor.shape, ","));
        types += border + word;
        formats += border + "ND";
    }

    [[nodiscard]] std::string cells() const {
        return types.empty() ? "N/A,N/A,N/A" : quoted(shapes) + "," + types + "," + formats;
    }
};

}  // namespace

std::string kernel_details(const NetworkRun& run) {
    std::string csv =
        "Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,Mix Block "
        "Dim,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data "
        "Types,Output "
        "Formats\n";
    auto result = run.results.begin();
    double now = 0;
    for (const networks::PlannedNode& node : run.plan.nodes) {
        VendorTensors inputs;
        for (const std::string& name : node.inputs) {
            if (const auto tensor = run.plan.tensors.find(name); tensor != run.plan.tensors.end()) {
                inputs.add(tensor->second);
            }
        }
        VendorTensors outputs;
        for (const networks::Tensor& tensor : node.results) {
            outputs.add(tensor);
        }
        // Of several kernels none is the operator: they have names of their own, and shapes nobody states.
        const bool whole = node.tasks.size() == 1;
        const VendorTensors unknown;
        for (const networks::Task& task : node.tasks) {
            const std::string kernel = networks::kernel_name(task);
            csv += fmt::format("{},{},dynamic,{},{:.3f},{:.3f},0,{},0,NO,{},{}\n",
                               quoted(title(node) + "/" + kernel),
                               quoted(whole ? node.op : kernel),
                               result->work_type,
                               now,
                               result->time_us,
                               result->blocks,
                               (whole ? inputs : unknown).cells(),
                               (whole ? outputs : unknown).cells());
            now += result->time_us;
            ++result;
        }
    }
    return csv;
}

}  // namespace ascendsim::report
