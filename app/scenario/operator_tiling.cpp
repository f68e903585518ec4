// SPDX-License-Identifier: Apache-2.0
#include "app/scenario/operator_tiling.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <variant>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "app/scenario/user_kernel.hpp"
#include "runtime/acl/device.hpp"
#include "runtime/session/isolated.hpp"
#include "sim/base/error.hpp"
#include "sim/process/sandbox.hpp"
#include "toolchain/build/tiling_build.hpp"

namespace ascendsim::scenario {
namespace {

using isa::DataType;
using nlohmann::ordered_json;

/// An element type in the graph engine and in kernels.
struct TypeNames {
    DataType type;
    std::int32_t number;
    const char* name;    // DT_…
    const char* kernel;  // in Ascend C
};

constexpr TypeNames type_names[]{{DataType::float32, 0, "DT_FLOAT", "float"},
                                 {DataType::half, 1, "DT_FLOAT16", "half"},
                                 {DataType::int8, 2, "DT_INT8", "int8_t"},
                                 {DataType::int32, 3, "DT_INT32", "int32_t"},
                                 {DataType::uint8, 4, "DT_UINT8", "uint8_t"},
                                 {DataType::int16, 6, "DT_INT16", "int16_t"},
                                 {DataType::uint16, 7, "DT_UINT16", "uint16_t"},
                                 {DataType::uint32, 8, "DT_UINT32", "uint32_t"},
                                 {DataType::int64, 9, "DT_INT64", "int64_t"},
                                 {DataType::uint64, 10, "DT_UINT64", "uint64_t"},
                                 {DataType::float64, 11, "DT_DOUBLE", "double"},
                                 {DataType::boolean, 12, "DT_BOOL", "bool"},
                                 {DataType::bfloat16, 27, "DT_BF16", "bfloat16_t"},
                                 {DataType::int4, 29, "DT_INT4", "int4b_t"}};

const TypeNames& names_of(DataType type) {
    return *std::ranges::find(type_names, type, &TypeNames::type);
}

/// The device of a program that has none: it knows the chip and does nothing.
class ChipAlone final : public program::Device {
public:
    explicit ChipAlone(const ChipSpec& chip) : chip_{chip} {}

    [[nodiscard]] const ChipSpec& chip() const override { return chip_; }

    [[nodiscard]] isa::GlobalMemory& memory() override { refuse(); }

    void host_wrote(std::uint64_t, std::uint64_t) override { refuse(); }

    void host_forgot(std::uint64_t, std::uint64_t) override { refuse(); }

    void host_reads(std::uint64_t, std::uint64_t) override { refuse(); }

    void launch(const program::LaunchRequest&) override { refuse(); }

    [[nodiscard]] program::Streams& streams() override { refuse(); }

    [[noreturn]] void end_program(int) override { refuse(); }

    [[nodiscard]] bool on_host_thread() const override { return true; }

private:
    [[noreturn]] static void refuse() {
        throw UserError{"a tiling function has a chip to ask, and no device to use"};
    }

    const ChipSpec& chip_;
};

bool is_tensor(const host::Buffer& buffer) {
    return buffer.role != host::Role::workspace && buffer.role != host::Role::tiling;
}

/// A tiling function computes for milliseconds at most: one that takes longer does not end.
constexpr rlim_t most_seconds = 5;  // of the processor

/// Runs in the child: what the plug-in answers, as JSON.
ordered_json asked(const std::filesystem::path& plugin,
                   const tiling::Request& request,
                   const ChipSpec& chip) {
    process::close_sandbox();
    const rlimit limit{.rlim_cur = most_seconds, .rlim_max = most_seconds + 1};
    check(setrlimit(RLIMIT_CPU, &limit) == 0, "setrlimit: {}", std::strerror(errno));
    void* library = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw UserError{"{}", dlerror()};
    }
    const auto function = reinterpret_cast<tiling::TilingFunction>(dlsym(library, tiling::tiling_symbol));
    ChipAlone device{chip};
    program::set_current_device(&device);
    tiling::Answer answer;
    function(request, answer);
    program::set_current_device(nullptr);
    if (!answer.error.empty()) {
        throw UserError{"{}", answer.error};
    }
    std::vector<unsigned> bytes;
    for (const std::byte one : answer.data) {
        bytes.push_back(std::to_integer<unsigned>(one));
    }
    return {{"data", bytes},
            {"blocks", answer.blocks},
            {"key", answer.key},
            {"workspace", answer.workspace},
            {"names", answer.names}};
}

/// Adds -DNAME=value unless the user defines the name.
void define(UserKernel& kernel, const std::string& name, const std::string& value) {
    const std::string start = "-D" + name;
    const bool given = std::ranges::any_of(
        kernel.flags, [&](const std::string& flag) { return flag.substr(0, flag.find('=')) == start; });
    if (!given) {
        kernel.flags.push_back(start + "=" + value);
    }
}

void take(UserKernel& kernel, const TilingQuestion& question, const ordered_json& answer) {
    std::size_t tensor = 0;
    const auto names = answer["names"].get<std::vector<std::string>>();
    for (host::Buffer& buffer : kernel.plan.buffers) {
        if (buffer.role == host::Role::workspace) {
            buffer.shape = {std::max(buffer.bytes(), answer["workspace"].get<std::uint64_t>())};
        } else if (buffer.name == question.argument) {
            std::vector<std::byte> bytes;
            for (const auto& one : answer["data"]) {
                bytes.push_back(static_cast<std::byte>(one.get<unsigned>()));
            }
            bytes.resize(std::max<std::size_t>(bytes.size(), 1));
            buffer.shape = {bytes.size()};
            buffer.fill = host::fill::Content{std::move(bytes)};
        } else if (is_tensor(buffer) && tensor < names.size()) {
            std::string name = names[tensor++];
            std::ranges::transform(
                name, name.begin(), [](unsigned char letter) { return std::toupper(letter); });
            define(kernel, "DTYPE_" + name, names_of(buffer.type).kernel);
            define(kernel, "ORIG_DTYPE_" + name, names_of(buffer.type).name);
        }
    }
    define(kernel, "TILING_KEY_VAR", std::to_string(answer["key"].get<std::uint64_t>()));
    for (host::Launch& launch : kernel.plan.launches) {
        launch.blocks = launch.blocks == 0 ? answer["blocks"].get<std::uint32_t>() : launch.blocks;
    }
}

tiling::AttributeValue value_of(const Node& node) {
    const auto& data = node.value().data;
    if (const auto* truth = std::get_if<bool>(&data)) {
        return *truth;
    }
    if (node.is_string()) {
        return node.as<std::string>();
    }
    if (std::holds_alternative<std::int64_t>(data)) {
        return node.as<std::int64_t>();
    }
    if (!node.is_array()) {
        return node.as<double>();
    }
    const std::vector<Node> items = node.items();
    const auto all_are = [&](auto example) {
        return std::ranges::all_of(items, [](const Node& item) {
            return std::holds_alternative<decltype(example)>(item.value().data);
        });
    };
    if (all_are(std::int64_t{})) {  // and an empty list, which is one of any type
        return node.list<std::int64_t>();
    }
    return all_are(bool{}) ? tiling::AttributeValue{node.list<bool>()}
                           : tiling::AttributeValue{node.list<double>()};
}

}  // namespace

TilingQuestion read_tiling_question(TableReader& table, const Node& host, const std::string& argument) {
    TilingQuestion question{.argument = argument,
                            .host = host.file().folder() / host.as<std::string>(),
                            .place = fmt::format("{}: {}", host.place(), host.path()),
                            .attributes = {}};
    if (const std::optional<Node> attributes = table.find("attributes")) {
        for (const Node& one : attributes->members()) {
            question.attributes.emplace_back(one.key(), value_of(one));
        }
    }
    return question;
}

void complete_tiling(UserKernel& kernel,
                     const TilingQuestion& question,
                     const ChipSpec& chip,
                     const toolchain::Installation& installation) {
    tiling::Request request{.tensors = {}, .attributes = question.attributes};
    for (const host::Buffer& buffer : kernel.plan.buffers) {
        if (is_tensor(buffer)) {
            request.tensors.push_back(
                {{buffer.shape.begin(), buffer.shape.end()}, names_of(buffer.type).number});
        }
    }
    const std::filesystem::path plugin =
        toolchain::build_tiling(question.host, {.installation = installation});
    const runtime::IsolatedResult result =
        runtime::run_isolated([&] { return asked(plugin, request, chip); });
    const std::string source = question.host.filename().string();
    if (result.signal == SIGXCPU) {
        throw ProgramError{"{}: {}: the tiling function took more than {} s: does a loop of it not end?",
                           question.place,
                           source,
                           most_seconds};
    }
    if (result.signal != 0) {
        throw ProgramError{
            "{}: {}: the tiling function was ended by: {}", question.place, source, strsignal(result.signal)};
    }
    if (result.exit != 0) {
        throw UserError{"{}: {}: {}", question.place, source, result.error};
    }
    take(kernel, question, result.value);
}

}  // namespace ascendsim::scenario
