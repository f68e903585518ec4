// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "networks/loops/axis_classes.hpp"
#include "networks/loops/elementary.hpp"
#include "networks/loops/loops.hpp"
#include "networks/loops/lower.hpp"
#include "networks/loops/source.hpp"
#include "networks/loops/tiling.hpp"
#include "networks/loops/vector_work.hpp"

namespace ascendsim::networks::loops {
namespace {

using isa::DataType;

constexpr std::size_t most_tensors = 24;

void check_types(const Loop& loop, const ChipSpec& chip) {
    const auto check_type = [&chip](DataType type) {
        const bool known = type == DataType::half || type == DataType::bfloat16 ||
                           type == DataType::float32 || type == DataType::int8 || type == DataType::uint8 ||
                           type == DataType::int16 || type == DataType::int32 || type == DataType::int64 ||
                           type == DataType::boolean;
        if (!known) {
            throw CannotGenerate{Reason::element_type, std::string{isa::name(type)}};
        }
        if (type == DataType::bfloat16 && !chip.cores.split) {
            throw CannotGenerate{Reason::chip_type, fmt::format("bfloat16 on {}", chip.name)};
        }
    };
    for (const Value& input : loop.inputs) {
        check_type(input.type);
    }
    for (const Step& step : loop.steps) {
        check_type(step.result.type);
    }
    if (loop.outputs.empty() || loop.steps.empty()) {
        throw CannotGenerate{Reason::empty, "no step, or no output"};
    }
    if (loop.inputs.size() + loop.outputs.size() > most_tensors) {
        throw CannotGenerate{Reason::too_many_tensors,
                             fmt::format("{} of {}", loop.inputs.size() + loop.outputs.size(), most_tensors)};
    }
}

std::string entry_of(const Loop& loop) {
    if (!loop.name.empty()) {
        return loop.name;
    }
    std::string text = "fused";
    std::size_t named = 0;
    for (const Step& step : loop.steps) {
        if (step.op != Op::constant && !is_view(step.op) && named++ < 5) {
            text += "_" + std::string{name(step.op)};
        }
    }
    return text;
}

std::vector<std::byte> bytes_of(const Tiling& tiling) {
    std::vector<std::byte> bytes(4 * tiling.fields.size());
    for (std::size_t i = 0; i < tiling.fields.size(); ++i) {
        std::memcpy(bytes.data() + 4 * i, &tiling.fields[i].value, 4);
    }
    return bytes;
}

/// What one rounding to the type leaves, and the float arithmetic before it.
host::Tolerance tolerance_of(const std::string& output, DataType type, const Space& space) {
    if (is_integer(type) || type == DataType::boolean) {
        return {.output = output};
    }
    const double summed = space.reduces() ? std::sqrt(static_cast<double>(space.reduced_extent())) / 8 : 1;
    const double step = type == DataType::half ? 0x1p-10 : type == DataType::bfloat16 ? 0x1p-7 : 1e-5;
    return {.output = output, .absolute = 1e-5 * std::max(1.0, summed), .relative = step};
}

host::Fill fill_for(DataType type) {
    if (type == DataType::boolean) {
        return host::fill::Integers{0, 1};
    }
    return is_integer(type) ? host::Fill{host::fill::Integers{0, 9}}
                            : host::Fill{host::fill::Uniform{0.25, 1}};
}

std::vector<double> numbers_of(host::ReferenceData& data, const std::string& name, DataType type) {
    std::vector<double> numbers;
    if (type == DataType::int32) {
        const auto view = data.view<std::int32_t>(name);
        numbers.assign(view.begin(), view.end());
    } else if (type == DataType::int64) {
        const auto view = data.view<std::int64_t>(name);
        std::ranges::transform(
            view, std::back_inserter(numbers), [](std::int64_t value) { return static_cast<double>(value); });
    } else {
        const std::vector<float>& floats = data.floats(name);
        numbers.assign(floats.begin(), floats.end());
    }
    return numbers;
}

void reference(const Loop& loop, host::ReferenceData& data) {
    std::vector<std::vector<double>> inputs;
    for (std::size_t i = 0; i < loop.inputs.size(); ++i) {
        inputs.push_back(numbers_of(data, fmt::format("input_{}", i), loop.inputs[i].type));
    }
    std::vector<std::vector<double>> outputs = evaluate(loop, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        data.expected(fmt::format("output_{}", i)) = std::move(outputs[i]);
    }
}

host::Plan plan_of(
    const Loop& loop, const Space& space, const Tiling& tiling, const std::string& entry, double work) {
    host::Plan plan;
    plan.problem = fmt::format("{} {}", entry, host::text(value_of(loop, loop.outputs[0]).shape));
    host::Launch launch{.entry = entry, .blocks = tiling.blocks, .arguments = {}, .label = {}, .kernel = {}};
    for (std::size_t i = 0; i < loop.inputs.size(); ++i) {
        const std::string buffer = fmt::format("input_{}", i);
        plan.buffers.push_back(host::Buffer::input(
            buffer, loop.inputs[i].type, loop.inputs[i].shape, fill_for(loop.inputs[i].type)));
        launch.arguments.push_back(host::Argument::address(buffer));
    }
    for (std::size_t i = 0; i < loop.outputs.size(); ++i) {
        const std::string buffer = fmt::format("output_{}", i);
        const Value& value = value_of(loop, loop.outputs[i]);
        plan.buffers.push_back(host::Buffer::output(buffer, value.type, value.shape));
        launch.arguments.push_back(host::Argument::address(buffer));
        plan.tolerances.push_back(tolerance_of(buffer, value.type, space));
    }
    launch.arguments.push_back({.buffer = {}, .offset = 0, .value = bytes_of(tiling)});
    plan.launches = {launch};
    plan.work = {.vector_flops = work,
                 .vector_type = DataType::float32,
                 .gm_bytes = host::least_traffic(plan.buffers)};
    plan.reference = [of = std::make_shared<const Loop>(loop)](host::ReferenceData& data) {
        reference(*of, data);
    };
    return plan;
}

std::string scenario_of(const host::Plan& plan, const Tiling& tiling, const ChipSpec& chip) {
    std::string text =
        fmt::format("[scenario]\ntitle = \"{}\"\nchip = \"{}\"\n\n[launch]\nentry = \"{}\"\nblocks = {}\n",
                    plan.problem,
                    chip.name,
                    plan.launches[0].entry,
                    tiling.blocks);
    for (const host::Buffer& buffer : plan.buffers) {
        const bool output = buffer.role == host::Role::output;
        text += fmt::format("\n[[args]]\nname = \"{}\"\n{}type = \"{}\"\nshape = {}\n",
                            buffer.name,
                            output ? "role = \"output\"\n" : "",
                            isa::name(buffer.type),
                            host::text(buffer.shape));
        text += output                             ? ""
                : buffer.type == DataType::boolean ? "fill = { integers = [0, 1] }\n"
                : is_integer(buffer.type)          ? "fill = { integers = [0, 9] }\n"
                                                   : "fill = { uniform = [0.25, 1] }\n";
    }
    text += "\n[[args]]\nname = \"tiling\"\nrole = \"struct\"\nfields = [\n";
    for (const Field& field : tiling.fields) {
        float factor = 0;
        std::memcpy(&factor, &field.value, sizeof factor);
        text += fmt::format("    {{ name = \"{}\", type = \"{}\", value = {} }},\n",
                            field.name,
                            field.is_float ? "float32" : "uint32",
                            field.is_float ? fmt::format("{:e}", factor) : fmt::format("{}", field.value));
    }
    return text + fmt::format("]\n\n[work]\nvector_flops = {}\nvector_type = \"float32\"\n",
                              static_cast<std::uint64_t>(plan.work.vector_flops));
}

/// All that is reduced together at once where it fits a tile, else in several passes.
Schedule schedule_for(const Loop& loop, const Space& space, const Program& program, const ChipSpec& chip) {
    Schedule plan = schedule(program, space, false);
    if (space.reduces() && !fits_whole({loop, space, program, plan, chip})) {
        plan = schedule(program, space, true);
    }
    return plan;
}

}  // namespace

Kernel generate(const Loop& loop, const ChipSpec& chip, const TilingChoice& choice) {
    check_types(loop, chip);
    const Space space = lay_out(loop);
    const Program program = lower(loop, space);
    const Schedule plan = schedule_for(loop, space, program, chip);
    const Tiling tiling = tile({loop, space, program, plan, chip, choice});
    const std::string entry = entry_of(loop);
    Kernel kernel{.source = source_text({loop, space, program, plan, tiling, entry}),
                  .entry = entry,
                  .plan = plan_of(loop, space, tiling, entry, vector_work(program, space, chip)),
                  .scenario = {}};
    kernel.scenario = scenario_of(kernel.plan, tiling, chip);
    return kernel;
}

std::vector<TilingChoice> other_tilings(const Loop& loop, const ChipSpec& chip) {
    check_types(loop, chip);
    const Space space = lay_out(loop);
    const Program program = lower(loop, space);
    const Schedule plan = schedule_for(loop, space, program, chip);
    return choices_beside({loop, space, program, plan, chip});
}

}  // namespace ascendsim::networks::loops
