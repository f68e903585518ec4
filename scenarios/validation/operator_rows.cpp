// SPDX-License-Identifier: Apache-2.0
#include "scenarios/validation/operator_rows.hpp"

#include <algorithm>
#include <array>

#include "kernels/host/work_split.hpp"

namespace ascendsim::validation {
namespace {

void strip_front(std::string& name, std::string_view prefix) {
    if (name.starts_with(prefix) && name.size() > prefix.size()) {
        name.erase(0, prefix.size());
    }
}

void strip_back(std::string& name, std::string_view suffix) {
    if (name.ends_with(suffix) && name.size() > suffix.size() + 1) {
        name.erase(name.size() - suffix.size());
    }
}

std::string stripped(std::string name) {
    for (const char* prefix : {"aclnn", "torch", "npu", "inplace"}) {
        strip_front(name, prefix);
    }
    for (const char* suffix : {"aicore", "v2", "v3", "v4", "composed"}) {
        strip_back(name, suffix);
    }
    return name;
}

}  // namespace

std::vector<std::string> operator_names(const Row& row) {
    std::vector<std::string> words{""};
    for (const char letter : row.kernel) {
        if (letter == ' ') {
            words.emplace_back();
        } else {
            words.back() += letter;
        }
    }
    std::string joined;
    for (const std::string& word : words) {
        joined += word;
    }
    std::vector<std::string> names{joined, stripped(joined)};
    strip_front(joined, "foreach");
    names.push_back(stripped(joined));
    for (std::size_t size = words.size() - 1; size > 0; --size) {  // "sum reduce dim1", "sum reduce", "sum"
        std::string front;
        std::string behind_first;
        for (std::size_t i = 0; i < size; ++i) {
            front += words[i];
            behind_first += words[i + 1];
        }
        names.push_back(stripped(behind_first));
        names.push_back(stripped(front));
    }
    names.push_back(stripped(words.back()));
    for (const std::string& word : words) {
        names.push_back(stripped(word));
    }
    for (std::size_t i = 0, count = names.size(); i < count; ++i) {
        std::string shorter = names[i];
        strip_back(shorter, "d");
        if (shorter != names[i]) {
            names.push_back(std::move(shorter));
        }
    }
    return names;
}

bool operator_is(const Row& row, std::initializer_list<std::string_view> names) {
    const std::vector<std::string> spellings = operator_names(row);
    return std::ranges::any_of(spellings, [&](const std::string& spelling) {
        return std::ranges::find(names, spelling) != names.end();
    });
}

std::uint64_t elements_of(const Row& row, std::size_t argument) {
    if (argument >= row.shape.arguments.size()) {
        return argument == 0 ? row.shape.elements().value_or(0) : 0;
    }
    std::uint64_t count = 0;
    for (const TensorShape& tensor : row.shape.arguments[argument]) {
        count += tensor.given ? tensor.elements() : 0;
    }
    return count;
}

std::optional<Extents> first_shape(const Row& row) {
    if (const Extents* shape = row.shape.tensor(0)) {
        return shape->empty() ? Extents{1} : *shape;
    }
    const auto count = row.shape.elements();
    return count ? std::optional{Extents{*count}} : std::nullopt;
}

isa::DataType first_type(const Row& row) {
    return row.types.inputs.empty() ? isa::DataType::half : row.types.inputs.front();
}

void set_cores(KernelRun& run, const Row& row, const Context& context) {
    const auto cores = row.cores.aiv ? row.cores.aiv : row.cores.count;
    if (cores && *cores > 0 && *cores <= host::vector_cores(context.chip)) {
        run.knob("blocks", *cores);
    }
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
    const std::int64_t positive = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(positive, 0, static_cast<std::int64_t>(rank) - 1));
}

std::uint64_t product(const Extents& extents, std::size_t from, std::size_t to) {
    std::uint64_t count = 1;
    for (std::size_t i = from; i < to && i < extents.size(); ++i) {
        count *= extents[i];
    }
    return count;
}

void set_without_pipe(KernelRun& run) {
    run.chip("scalar.init_cycles", 0);
    run.chip("scalar.pipe_lines", 0);
}

void set_pipe_in_object(KernelRun& run) {
    constexpr std::uint32_t lines = 30;
    run.chip("scalar.pipe_lines", lines);
}

KernelRun kernel_of(const Row& row, const Context& context, std::string kernel) {
    KernelRun run{.kernel = std::move(kernel), .set = {}, .warm_l2 = context.source.warm_l2};
    set_cores(run, row, context);
    return run;
}

Adapted operator_case(const Row& row, const Context& context) {
    using Adapter = std::optional<Adapted> (*)(const Row&, const Context&);
    for (const Adapter adapter : {Adapter{published_case}, Adapter{row_case}, Adapter{movement_case}, Adapter{elementwise_case}}) {
        if (std::optional<Adapted> adapted = adapter(row, context)) {
            return *adapted;
        }
    }
    return WhyNot{"no vector kernel of ours goes by '" + row.measurement->kernel + "'"};
}

}  // namespace ascendsim::validation
