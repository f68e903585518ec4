// SPDX-License-Identifier: Apache-2.0
#include "networks/onnx/read_onnx.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include <onnx/checker.h>
#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>
#include <onnx/version_converter/convert.h>
#pragma GCC diagnostic pop

#include "kernels/plan/element.hpp"
#include "runtime/session/isolated.hpp"
#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"
#include "sim/base/printable_text.hpp"

namespace ascendsim::networks {
namespace {

constexpr std::uintmax_t most_bytes = std::uintmax_t{2} << 30U;  // protobuf's own bound
constexpr std::uint64_t most_values = 1U << 16U;                 // of a constant that is kept
constexpr std::uint64_t most_elements = std::uint64_t{1} << 40U;
constexpr std::int64_t oldest_opset = 7;
constexpr std::int64_t newest_opset = 17;
constexpr auto longest_check = std::chrono::seconds{120};

onnx::ModelProto parse(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    onnx::ModelProto model;
    if (file.extension() == ".onnxtxt") {
        const std::string text{std::istreambuf_iterator<char>{stream}, {}};
        onnx::OnnxParser parser{text.c_str()};
        if (const auto status = parser.Parse(model); !status.IsOK()) {
            throw UserError{
                "{}: not ONNX's text form: {}", file.string(), printable_lines(status.ErrorMessage())};
        }
    } else if (!model.ParseFromIstream(&stream)) {
        throw UserError{"{}: not an ONNX file: protobuf cannot parse it", file.string()};
    }
    return model;
}

std::int64_t opset_of(const onnx::ModelProto& model) {
    for (const auto& import : model.opset_import()) {
        if (import.domain().empty() || import.domain() == "ai.onnx") {
            return import.version();
        }
    }
    return 1;
}

/// Operators of old opsets mean other things: libonnx brings them to the oldest that is read here.
onnx::ModelProto converted(const onnx::ModelProto& model) {
    const bool old = opset_of(model) < oldest_opset;
    return old ? onnx::version_conversion::ConvertVersion(model, oldest_opset) : model;
}

/// Throws unless libonnx accepts the file.
void check_file(const std::filesystem::path& file) {
    const runtime::IsolatedResult result = runtime::run_isolated(
        [&file] {
            const onnx::ModelProto model = parse(file);
            if (file.has_parent_path()) {  // libonnx looks for files beside the network in the working folder
                std::filesystem::current_path(file.parent_path());
            }
            try {
                onnx::checker::check_model(model);
                static_cast<void>(converted(model));
            } catch (const std::exception& error) {
                throw UserError{"{}: libonnx refuses it: {}", file.string(), printable_lines(error.what())};
            }
            return nlohmann::ordered_json{};
        },
        {.time = longest_check});
    if (result.signal != 0) {
        throw UserError{"{}: not a sound ONNX file: libonnx crashes on it", file.string()};
    }
    if (!result.error.empty()) {
        throw UserError{"{}", result.error};
    }
}

isa::DataType type_of(int type, const std::string& what) {
    using T = onnx::TensorProto;
    using D = isa::DataType;
    switch (type) {
        case T::FLOAT:
            return D::float32;
        case T::FLOAT16:
            return D::half;
        case T::BFLOAT16:
            return D::bfloat16;
        case T::DOUBLE:
            return D::float64;
        case T::INT8:
            return D::int8;
        case T::UINT8:
            return D::uint8;
        case T::INT16:
            return D::int16;
        case T::UINT16:
            return D::uint16;
        case T::INT32:
            return D::int32;
        case T::UINT32:
            return D::uint32;
        case T::INT64:
            return D::int64;
        case T::UINT64:
            return D::uint64;
        case T::BOOL:
            return D::boolean;
        default:
            throw UserError{
                "'{}' has elements of type {}, which no operator here takes: numbers and bool",
                what,
                onnx::TensorProto_DataType_IsValid(type)
                    ? onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(type))
                    : std::to_string(type)};
    }
}

template <class Field>
std::vector<double> numbers(const Field& field) {
    std::vector<double> values;
    for (const auto value : field) {
        values.push_back(static_cast<double>(value));
    }
    return values;
}

std::vector<double> raw_values(const std::string& raw, isa::DataType type, std::uint64_t count) {
    if (raw.size() < isa::bytes_of(type, count)) {
        return {};
    }
    const std::span<const std::byte> bytes = std::as_bytes(std::span{raw});
    std::vector<double> values(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        values[i] = host::read_element(type, bytes, i);
    }
    return values;
}

std::vector<double> values_of(const onnx::TensorProto& tensor, isa::DataType type, std::uint64_t count) {
    using D = isa::DataType;
    if (tensor.has_raw_data()) {
        return raw_values(tensor.raw_data(), type, count);
    }
    if (type == D::float32) {
        return numbers(tensor.float_data());
    }
    if (type == D::float64) {
        return numbers(tensor.double_data());
    }
    if (type == D::int64) {
        return numbers(tensor.int64_data());
    }
    if (type == D::uint32 || type == D::uint64) {
        return numbers(tensor.uint64_data());
    }
    std::vector<double> values = numbers(tensor.int32_data());
    if (type == D::half || type == D::bfloat16) {  // kept as their bits
        for (double& value : values) {
            const auto bits = static_cast<std::uint16_t>(value);
            value = host::read_element(type, std::as_bytes(std::span{&bits, 1}), 0);
        }
    }
    return values;
}

/// Where elements that other files hold are looked for, and which are read at all.
struct Source {
    std::filesystem::path folder;
    Weights weights = Weights::small;
};

/// Where another file holds the elements of a constant.
struct Outside {
    std::filesystem::path file;  // beside the network
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length{};
};

std::uint64_t bytes_stated(const onnx::StringStringEntryProto& entry, const std::string& constant) {
    std::uint64_t bytes = 0;
    const std::string& text = entry.value();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw UserError{"constant '{}': its {} in another file is '{}', which is no number of bytes",
                        constant,
                        entry.key(),
                        printable(text)};
    }
    return bytes;
}

/// Throws UserError, whether elements are read or not, unless the file holds all of `bytes`.
Outside outside_of(const onnx::TensorProto& proto,
                   const Source& source,
                   const Tensor& tensor,
                   std::uint64_t bytes) {
    const std::string name = printable(proto.name());
    Outside outside;
    for (const auto& entry : proto.external_data()) {
        if (entry.key() == "location") {
            outside.file = entry.value();
        } else if (entry.key() == "offset") {
            outside.offset = bytes_stated(entry, name);
        } else if (entry.key() == "length") {
            outside.length = bytes_stated(entry, name);
        }
    }
    const std::string shown = printable(outside.file.string());
    if (!outside.file.is_relative() || std::ranges::find(outside.file, "..") != outside.file.end()) {
        throw UserError{"constant '{}': '{}' is not in the network's folder", name, shown};
    }
    const std::filesystem::path file = source.folder / outside.file;
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(file, error);
    if (error) {
        throw UserError{"constant '{}': '{}' beside the network: {}", name, shown, why_unreadable(file)};
    }
    const std::uint64_t behind = size - std::min(size, outside.offset);
    if (std::min(behind, outside.length.value_or(behind)) < bytes) {
        throw UserError{
            "constant '{}' of {} needs {} B from byte {} of '{}' on: the file has {} B there{}",
            name,
            tensor.text(),
            bytes,
            outside.offset,
            shown,
            behind,
            outside.length ? fmt::format(", of which {} are the constant's", *outside.length) : ""};
    }
    return outside;
}

/// The bytes of a constant that another file beside the network holds.
std::string outside_bytes(const Outside& outside, const Source& source, std::uint64_t bytes) {
    std::ifstream stream{source.folder / outside.file, std::ios::binary};
    std::string raw(bytes, '\0');
    if (!stream.seekg(static_cast<std::streamoff>(outside.offset)) ||
        !stream.read(raw.data(), static_cast<std::streamsize>(bytes))) {
        throw UserError{"'{}' beside the network: {} B from byte {} on cannot be read",
                        printable(outside.file.string()),
                        bytes,
                        outside.offset};
    }
    return raw;
}

/// Elements that the network's own file has of a constant in whichever field: a type uses one of them.
std::uint64_t elements_listed(const onnx::TensorProto& proto) {
    const std::initializer_list<int> sizes{proto.float_data_size(),
                                           proto.double_data_size(),
                                           proto.int32_data_size(),
                                           proto.int64_data_size(),
                                           proto.uint64_data_size()};
    return static_cast<std::uint64_t>(std::max(sizes));
}

/// Throws UserError, whether elements are read or not, unless the network's own file has all of them.
void check_inside(const onnx::TensorProto& proto, const Tensor& tensor, std::uint64_t bytes) {
    if (proto.has_raw_data() && proto.raw_data().size() < bytes) {
        throw UserError{"constant '{}' of {} needs {} B: the network's file has {} B of it",
                        printable(proto.name()),
                        tensor.text(),
                        bytes,
                        proto.raw_data().size()};
    }
    if (!proto.has_raw_data() && elements_listed(proto) != tensor.count()) {
        throw UserError{"constant '{}' of {} holds {} elements",
                        printable(proto.name()),
                        tensor.text(),
                        elements_listed(proto)};
    }
}

Tensor tensor_of(const onnx::TensorProto& proto, const Source& source) {
    const std::string name = printable(proto.name());
    Tensor tensor{.type = type_of(proto.data_type(), name), .shape = {}, .values = {}};
    std::uint64_t count = 1;
    for (const std::int64_t extent : proto.dims()) {
        if (extent < 0 ||
            static_cast<std::uint64_t>(extent) > most_elements / std::max<std::uint64_t>(count, 1)) {
            throw UserError{"constant '{}' has an extent of {}, beyond all memory", name, extent};
        }
        count *= static_cast<std::uint64_t>(extent);
        tensor.shape.push_back(static_cast<std::uint64_t>(extent));
    }
    const std::uint64_t bytes = isa::bytes_of(tensor.type, count);
    if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
        const Outside outside = outside_of(proto, source, tensor, bytes);
        if (source.weights == Weights::small) {
            return tensor;
        }
        const std::string raw = outside_bytes(outside, source, bytes);
        return constant(tensor.type, tensor.shape, raw_values(raw, tensor.type, count));
    }
    check_inside(proto, tensor, bytes);
    if (source.weights == Weights::small && count > most_values) {
        return tensor;
    }
    std::vector<double> values = values_of(proto, tensor.type, count);
    if (values.size() != count) {
        throw UserError{"constant '{}' of {} holds {} elements", name, tensor.text(), values.size()};
    }
    return constant(tensor.type, tensor.shape, std::move(values));
}

/// Names as the file has them, fit to be printed: whatever messages and reports show comes from here.
std::vector<std::string> names_of(const google::protobuf::RepeatedPtrField<std::string>& names) {
    std::vector<std::string> all;
    for (const std::string& name : names) {
        all.push_back(printable(name));
    }
    return all;
}

Attribute attribute_of(const onnx::AttributeProto& proto, const Source& source) {
    using A = onnx::AttributeProto;
    switch (proto.type()) {
        case A::INT:
            return proto.i();
        case A::FLOAT:
            return static_cast<double>(proto.f());
        case A::STRING:
            return printable(proto.s());
        case A::INTS:
            return std::vector<std::int64_t>{proto.ints().begin(), proto.ints().end()};
        case A::FLOATS:
            return numbers(proto.floats());
        case A::STRINGS:
            return names_of(proto.strings());
        case A::TENSOR:
            return tensor_of(proto.t(), source);
        default:
            return std::string{"(of a kind that no operator here takes)"};
    }
}

Input input_of(const onnx::ValueInfoProto& proto) {
    const std::string name = printable(proto.name());
    if (!proto.type().has_tensor_type()) {
        throw UserError{"input '{}' is no tensor: sequences, maps and optional values are not taken", name};
    }
    const auto& type = proto.type().tensor_type();
    Input input{.name = name, .type = type_of(type.elem_type(), name), .shape = {}};
    for (const auto& extent : type.shape().dim()) {
        if (extent.has_dim_value() && extent.dim_value() >= 0) {
            input.shape.emplace_back(static_cast<std::uint64_t>(extent.dim_value()));
        } else if (extent.has_dim_param() && !extent.dim_param().empty()) {
            input.shape.emplace_back(printable(extent.dim_param()));
        } else {
            input.shape.emplace_back(fmt::format("{}:{}", name, input.shape.size()));
        }
    }
    return input;
}

void read_body(const onnx::GraphProto& proto, const Source& source, Graph& graph);

Node node_of(const onnx::NodeProto& proto, const Source& source) {
    const bool own = proto.domain().empty() || proto.domain() == "ai.onnx";
    Node node{.name = printable(proto.name()),
              .op = printable(own ? proto.op_type() : proto.domain() + "." + proto.op_type()),
              .inputs = names_of(proto.input()),
              .outputs = names_of(proto.output()),
              .attributes = {}};
    for (const onnx::AttributeProto& attribute : proto.attribute()) {
        if (attribute.type() == onnx::AttributeProto::GRAPH) {
            Graph branch{.name = printable(attribute.g().name())};
            read_body(attribute.g(), source, branch);
            for (const onnx::ValueInfoProto& input : attribute.g().input()) {
                branch.inputs.push_back(
                    {.name = printable(input.name())});  // what stands for it has the type
            }
            node.branches.emplace(printable(attribute.name()),
                                  std::make_shared<const Graph>(std::move(branch)));
            continue;
        }
        node.attributes.emplace(printable(attribute.name()), attribute_of(attribute, source));
    }
    return node;
}

/// Nodes, constants and outputs of a network, or of one within an operator.
void read_body(const onnx::GraphProto& proto, const Source& source, Graph& graph) {
    for (const onnx::TensorProto& constant : proto.initializer()) {
        graph.constants.emplace(printable(constant.name()), tensor_of(constant, source));
    }
    for (const onnx::ValueInfoProto& output : proto.output()) {
        graph.outputs.push_back(printable(output.name()));
    }
    for (const onnx::NodeProto& node : proto.node()) {
        graph.nodes.push_back(node_of(node, source));
    }
}

Graph graph_of(const onnx::ModelProto& model, const Source& source) {
    Graph graph{.name = printable(model.graph().name()), .opset = opset_of(model)};
    if (graph.opset < oldest_opset || graph.opset > newest_opset) {
        throw UserError{
            "the network is of opset {}; opsets {} to {} are read", graph.opset, oldest_opset, newest_opset};
    }
    read_body(model.graph(), source, graph);
    for (const onnx::ValueInfoProto& input : model.graph().input()) {
        if (!graph.constants.contains(printable(input.name()))) {  // old files list weights as inputs, too
            graph.inputs.push_back(input_of(input));
        }
    }
    return graph;
}

/// Throws unless there is something for each output of the network: libonnx does not look.
void check_outputs(const Graph& graph) {
    for (const std::string& output : graph.outputs) {
        const bool given = graph.constants.contains(output) ||
                           std::ranges::find(graph.inputs, output, &Input::name) != graph.inputs.end();
        const bool made = std::ranges::any_of(graph.nodes, [&output](const Node& node) {
            return std::ranges::find(node.outputs, output) != node.outputs.end();
        });
        if (!given && !made) {
            throw UserError{"no node makes the network's output '{}'", output};
        }
    }
}

}  // namespace

Graph read_onnx(const std::filesystem::path& file, Weights weights) {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(file, error);
    if (error) {
        throw UserError{"{}: {}", file.string(), why_unreadable(file)};
    }
    if (bytes > most_bytes) {
        throw UserError{"{}: an ONNX file has at most 2 GiB; keep the weights in a file beside it",
                        file.string()};
    }
    check_file(file);
    Graph graph;
    try {
        graph = graph_of(converted(parse(file)), {file.parent_path(), weights});
        sort_nodes(graph);
        check_outputs(graph);
    } catch (const UserError& wrong) {
        const std::string text = wrong.what();
        throw UserError{"{}: {}", file.string(), text};
    }
    return graph;
}

std::pair<std::string, Tensor> read_tensor(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    onnx::TensorProto proto;
    if (!proto.ParseFromIstream(&stream)) {
        throw UserError{"{}: not a tensor as ONNX keeps it", file.string()};
    }
    return {printable(proto.name()), tensor_of(proto, {file.parent_path(), Weights::all})};
}

}  // namespace ascendsim::networks
