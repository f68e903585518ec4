// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/library_operator.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/scenario/host_process.hpp"
#include "app/scenario/operator_answer.hpp"
#include "app/skeleton/skeleton.hpp"
#include "kernels/plan/element.hpp"
#include "kernels/plan/npy.hpp"
#include "sim/base/error.hpp"
#include "toolchain/build/operator_build.hpp"
#include "toolchain/build/warnings.hpp"
#include "toolchain/project/operator_kernel.hpp"

namespace ascendsim::scenario {
namespace {

using host::Buffer;
using host::Role;
using tiling::SettledParameter;
using tiling::SettledTensor;

constexpr std::uint64_t system_workspace = 16U * 1024 * 1024;  // B, what kernels may count on

std::string upper(std::string name) {
    std::ranges::transform(
        name, name.begin(), [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    return name;
}

/// What fills an input about which nothing is said: numbers around 0, and 0 or 1 where they may be indices.
host::Fill usual_fill(isa::DataType type) {
    switch (type) {
        case isa::DataType::int4:
            return host::fill::Integers{-8, 7};
        case isa::DataType::int8:
            return host::fill::Integers{-16, 16};
        case isa::DataType::uint8:
        case isa::DataType::int16:
        case isa::DataType::uint16:
        case isa::DataType::int32:
        case isa::DataType::uint32:
        case isa::DataType::int64:
        case isa::DataType::uint64:
        case isa::DataType::boolean:
            return host::fill::Integers{0, 1};
        default:
            return host::fill::Uniform{};
    }
}

bool may_steer(isa::DataType type) {
    return type == isa::DataType::int32 || type == isa::DataType::int64 || type == isa::DataType::uint32 ||
           type == isa::DataType::uint64 || type == isa::DataType::boolean;
}

/// Makes the plan out of what the operator's host code answered.
class PlanMaker {
public:
    PlanMaker(const OperatorRequest& request, const tiling::OperatorAnswer& answer, UserKernel& kernel)
        : request_{request}, answer_{answer}, kernel_{kernel} {}

    void make(host::Launch launch) {
        for (const SettledParameter& one : answer_.parameters) {
            launch.arguments.push_back(one.list ? list(one) : tensor(one));
            define(one);
        }
        kernel_.plan.buffers.push_back(
            Buffer::workspace("workspace", std::max(answer_.workspace, system_workspace)));
        launch.arguments.push_back(host::Argument::address("workspace"));
        std::vector<std::byte> data = answer_.data;
        data.resize(std::max<std::size_t>((data.size() + 7) / 8 * 8, 8));
        Buffer tiling{.name = "tiling",
                      .type = isa::DataType::uint8,
                      .shape = {data.size()},
                      .role = Role::tiling,
                      .fill = host::fill::Content{std::move(data)},
                      .control = true};
        kernel_.plan.buffers.push_back(std::move(tiling));
        launch.arguments.push_back(host::Argument::address("tiling"));
        kernel_.plan.launches.push_back(std::move(launch));
        finish();
    }

private:
    host::Argument tensor(const SettledParameter& parameter) {
        if (parameter.tensors.empty()) {
            return host::Argument::of(std::uint64_t{0});
        }
        return host::Argument::address(add(parameter, 0, parameter.name));
    }

    /// A table: where the addresses begin; rank and number, then extents, of each tensor; the addresses.
    host::Argument list(const SettledParameter& parameter) {
        std::vector<std::uint64_t> words{0};
        AddressTable table{.buffer = parameter.name + ".list", .offset = 0, .members = {}};
        for (std::size_t i = 0; i < parameter.tensors.size(); ++i) {
            const SettledTensor& one = parameter.tensors[i];
            words.push_back((static_cast<std::uint64_t>(i) << 32U) | one.stored.size());
            words.insert(words.end(), one.stored.begin(), one.stored.end());
            table.members.push_back(add(parameter, i, fmt::format("{}[{}]", parameter.name, i)));
        }
        table.offset = words.size() * sizeof(std::uint64_t);
        words.front() = table.offset;
        words.resize(words.size() + std::max<std::size_t>(parameter.tensors.size(), 1));
        std::vector<std::byte> bytes(words.size() * sizeof(std::uint64_t));
        std::memcpy(bytes.data(), words.data(), bytes.size());
        if (parameter.output) {
            table.buffer += ".out";
        }
        kernel_.plan.buffers.push_back({.name = table.buffer,
                                        .type = isa::DataType::uint8,
                                        .shape = {bytes.size()},
                                        .role = Role::tiling,
                                        .fill = host::fill::Content{std::move(bytes)},
                                        .control = true});
        const std::string name = table.buffer;
        kernel_.tables.push_back(std::move(table));
        return host::Argument::address(name);
    }

    /// The buffer of a tensor; an output that has an input's name is that input's.
    std::string add(const SettledParameter& parameter, std::size_t i, const std::string& name) {
        const SettledTensor& one = parameter.tensors[i];
        auto& buffers = kernel_.plan.buffers;
        const auto same = std::ranges::find(buffers, name, &Buffer::name);
        const OperatorTensor* told = told_of(parameter.name, i);
        if (parameter.output && same != buffers.end()) {
            same->role = Role::in_out;
            note_output(*same, told);
            return name;
        }
        const TypeNames* type = names_of_number(one.type);
        if (type == nullptr) {
            throw UserError{"{}: '{}' has a type that is not simulated (number {} of the graph engine)",
                            answer_.type,
                            name,
                            one.type};
        }
        Buffer buffer{.name = name,
                      .type = type->type,
                      .shape = {one.stored.begin(), one.stored.end()},
                      .role = parameter.output ? Role::output : Role::input};
        if (parameter.output) {
            if (told != nullptr && begins_as_told(*told)) {
                if (parameter.zeroed) {
                    throw UserError{
                        "{}: output '{}' begins with zeros, whoever calls it", answer_.type, name};
                }
                buffer.role = Role::in_out;
                fill(buffer, told);
            } else if (parameter.zeroed) {
                buffer.role = Role::in_out;
                kernel_.zeroed.push_back(name);
            }
            note_output(buffer, told);
        } else {
            fill(buffer, told);
        }
        buffers.push_back(std::move(buffer));
        return name;
    }

    /// What an output holds before the kernel: kernels that add to it count on zeros from whoever calls them.
    static bool begins_as_told(const OperatorTensor& told) {
        return told.fill || told.file || !told.values.empty();
    }

    static void fill(Buffer& buffer, const OperatorTensor* told) {
        buffer.fill = usual_fill(buffer.type);
        buffer.control = may_steer(buffer.type);
        if (told == nullptr) {
            return;
        }
        if (!told->values.empty()) {
            std::vector<std::byte> bytes(buffer.bytes());
            for (std::size_t i = 0; i < std::min<std::size_t>(told->values.size(), buffer.count()); ++i) {
                host::write_element(buffer.type, bytes, i, told->values[i]);
            }
            buffer.fill = host::fill::Content{std::move(bytes)};
        } else if (told->file) {
            const host::NpyArray array = host::read_npy(*told->file, told->place);
            if (array.bytes.size() != buffer.bytes()) {
                throw UserError{"{}: {}: holds {} B, but '{}' ({} {}) takes {}",
                                told->place,
                                told->file->string(),
                                array.bytes.size(),
                                buffer.name,
                                isa::name(buffer.type),
                                host::text(buffer.shape),
                                buffer.bytes()};
            }
            buffer.fill = host::fill::Content{array.bytes};
        } else if (told->fill) {
            buffer.fill = *told->fill;
        }
    }

    void note_output(const Buffer& buffer, const OperatorTensor* told) {
        if (told != nullptr && told->save) {
            kernel_.outputs.push_back({buffer.name, *told->save});
        }
        if (told != nullptr && told->expect) {
            host::Tolerance tolerance = told->tolerance;
            tolerance.output = buffer.name;
            kernel_.plan.tolerances.push_back(tolerance);
            expected_.emplace_back(buffer.name, *told->expect);
        }
    }

    [[nodiscard]] const OperatorTensor* told_of(const std::string& name, std::size_t i) const {
        for (const OperatorTensor& one : request_.tensors) {
            if (one.name == name && i-- == 0) {
                return &one;
            }
        }
        return nullptr;
    }

    /// The macros that tell the kernel types and layouts.
    void define(const SettledParameter& parameter) {
        const std::string name = upper(parameter.name);
        const TypeNames* type = names_of_number(parameter.type);
        if (type != nullptr) {
            kernel_.flags.push_back(fmt::format("-DDTYPE_{}={}", name, type->kernel));
            kernel_.flags.push_back(fmt::format("-DORIG_DTYPE_{}={}", name, type->name));
        }
        kernel_.flags.push_back(fmt::format("-DFORMAT_{}={}", name, parameter.format));
    }

    void finish() {
        kernel_.plan.problem = answer_.type;
        for (const Buffer& buffer : kernel_.plan.buffers) {
            if (buffer.role == Role::input || buffer.role == Role::in_out) {
                kernel_.plan.problem +=
                    fmt::format(" {} {} {}", buffer.name, isa::name(buffer.type), host::text(buffer.shape));
            }
            const bool twice = buffer.role == Role::in_out;
            kernel_.plan.work.gm_bytes +=
                buffer.role == Role::workspace ? 0 : buffer.bytes() * (twice ? 2 : 1);
        }
        if (!expected_.empty()) {
            kernel_.plan.reference = [expected = expected_](host::ReferenceData& data) {
                for (const auto& [output, file] : expected) {
                    const host::NpyArray array = host::read_npy(file);
                    std::vector<double>& values = data.expected(output);
                    for (std::uint64_t i = 0; i < values.size(); ++i) {
                        values[i] = host::read_element(array.type, array.bytes, i);
                    }
                }
            };
        }
    }

    const OperatorRequest& request_;
    const tiling::OperatorAnswer& answer_;
    UserKernel& kernel_;
    std::vector<std::pair<std::string, std::filesystem::path>> expected_;
};

/// ASCENDC_TPL_AIV_ONLY, _AIC_ONLY, _MIX_AIV_1_0, _MIX_AIC_1_0, _MIX_AIC_1_1, _MIX_AIC_1_2.
std::optional<CoreUse> cores_of_kind(std::int64_t kind) {
    static constexpr std::array<CoreUse, 6> kinds{
        CoreUse::aiv, CoreUse::aic, CoreUse::aiv, CoreUse::aic, CoreUse::mix_1_1, CoreUse::mix_1_2};
    const bool known = kind >= 0 && static_cast<std::size_t>(kind) < kinds.size();
    return known ? std::optional{kinds[static_cast<std::size_t>(kind)]} : std::nullopt;
}

CoreUse cores_of(const toolchain::OperatorKernel& kernel,
                 const tiling::OperatorAnswer& answer,
                 const toolchain::Installation& installation) {
    std::optional<CoreUse> cores = cores_of_kind(answer.core_kind);
    if (!cores) {
        cores = toolchain::cores_of_key(kernel.source, answer.key, installation);
    }
    if (!cores) {
        cores = kernel.entry.cores;
    }
    if (!cores) {
        const auto all = skeleton::signatures(kernel.source, installation);
        const auto same = std::ranges::find(all, kernel.entry.name, &skeleton::KernelSignature::entry);
        cores = same == all.end() ? CoreUse::aiv : same->cores;
    }
    return *cores;
}

/// The function with the template arguments that the tiling chose.
std::string instance_of(const toolchain::OperatorKernel& kernel, const tiling::OperatorAnswer& answer) {
    if (!kernel.entry.is_template) {
        return kernel.entry.name;
    }
    if (!answer.is_template) {
        throw UserError{
            "{}: {} is a template, but its tiling function set a key that stands for no arguments "
            "(GET_TPL_TILING_KEY)",
            kernel.source.string(),
            kernel.entry.name};
    }
    std::vector<std::string> words;
    for (std::size_t i = 0; i < answer.arguments.size(); ++i) {
        const std::int64_t value = answer.arguments[i];
        const bool is_type = i < kernel.type_parameters.size() && (kernel.type_parameters[i] == "typename" ||
                                                                   kernel.type_parameters[i] == "class");
        const TypeNames* type = is_type ? names_of_number(static_cast<std::int32_t>(value)) : nullptr;
        words.push_back(type != nullptr ? std::string{type->kernel} : fmt::format("{}", value));
    }
    return fmt::format("{}<{}>", kernel.entry.name, fmt::join(words, ", "));
}

/// Asks the host code. Where it refuses, sources that could not be compiled may be why.
tiling::OperatorAnswer answered(const std::filesystem::path& plugin,
                                const ChipSpec& chip,
                                const OperatorRequest& request,
                                const tiling::OperatorCall& call) {
    try {
        return answer_from(asked_of_host(
            plugin, chip, request.place, [&](void*) { return to_json(tiling::call_operator(call)); }));
    } catch (const UserError& error) {
        const std::vector<std::string> left_out = toolchain::warnings_of(plugin);
        throw UserError{"{}{}{}", error.what(), left_out.empty() ? "" : "\n", fmt::join(left_out, "\n")};
    }
}

toolchain::LibraryOperator operator_for(const OperatorRequest& request, const ChipSpec& chip) {
    return toolchain::operator_named(request.name, request.library, toolchain::library_chip(chip.name));
}

/// What the operator's host code makes of a request.
tiling::OperatorAnswer settled(const toolchain::LibraryOperator& found,
                               const OperatorRequest& request,
                               const ChipSpec& chip,
                               const toolchain::Installation& installation) {
    const std::string chip_name = toolchain::library_chip(chip.name);
    const tiling::OperatorCall call = call_of(request, found.type, chip_name);
    const std::filesystem::path plugin =
        toolchain::build_operator(found, chip_name, {.installation = installation});
    return answered(plugin, chip, request, call);
}

}  // namespace

std::vector<SettledParameter> library_shapes(const OperatorRequest& request,
                                             const ChipSpec& chip,
                                             const toolchain::Installation& installation) {
    return settled(operator_for(request, chip), request, chip, installation).parameters;
}

UserKernel library_kernel(const OperatorRequest& request,
                          const ChipSpec& chip,
                          const toolchain::Installation& installation) {
    const toolchain::LibraryOperator found = operator_for(request, chip);
    const tiling::OperatorAnswer answer = settled(found, request, chip, installation);
    const auto file = answer.settings.find("opFile.value");
    const toolchain::OperatorKernel kernel =
        toolchain::operator_kernel(found, file == answer.settings.end() ? std::string{} : file->second);
    UserKernel result{.source = kernel.source,
                      .more_sources = {},
                      .flags = {},
                      .plan = {},
                      .outputs = {},
                      .tiling = {},
                      .operator_type = found.type};
    PlanMaker{request, answer, result}.make({.entry = instance_of(kernel, answer),
                                             .blocks = answer.blocks,
                                             .cores = cores_of(kernel, answer, installation),
                                             .arguments = {},
                                             .label = {},
                                             .kernel = {}});
    result.flags.push_back(fmt::format("-DTILING_KEY_VAR={}", answer.key));
    if (request.deterministic) {
        result.flags.emplace_back("-DDETERMINISTIC_MODE=1");  // kernels choose by it, too
    }
    return result;
}

}  // namespace ascendsim::scenario
