// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/operator_call.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/acl/host_log.hpp"
#include "runtime/acl/operator_columns.hpp"
#include "runtime/acl/template_selection.hpp"
#include "runtime/acl/tiling_answer.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::tiling {
namespace {

using Tensors = std::vector<std::vector<gert::Tensor>>;  // by parameter

const ops::OpDef& defined(const std::string& type) {
    std::vector<std::string> names;
    for (const auto& one : ops::Definitions()) {
        if (one->Type() == type || (type.empty() && ops::Definitions().size() == 1)) {
            return *one;
        }
        names.push_back(one->Type());
    }
    throw UserError{"{} is not defined in the host sources{} (they define: {})",
                    type.empty() ? std::string{"the operator"} : "'" + type + "'",
                    nearest_hint(type, names),
                    fmt::join(names, ", ")};
}

/// The errors that an operator has said, in one text.
std::string own_words() {
    constexpr std::size_t most = 6;
    std::vector<std::string> words = taken_errors();
    if (words.size() > most) {
        words.resize(most);
    }
    return words.empty() ? std::string{"; it gave no reason"}
                         : fmt::format(":\n  {}", fmt::join(words, "\n  "));
}

/// One use of an operator, step by step.
class Use {
public:
    explicit Use(const OperatorCall& call)
        : call_{call},
          definition_{definition_on(defined(call.type), call.chip)},
          column_{chosen_column(definition_, call)} {
        const auto known = gert::Registered().find(type());
        if (known != gert::Registered().end()) {
            functions_ = known->second;
        }
        const ops::OpDef& own = *definition_.definition;
        functions_.tiling = functions_.tiling != nullptr ? functions_.tiling : own.AICore().Tiling();
        functions_.infer_shape =
            functions_.infer_shape != nullptr ? functions_.infer_shape : own.InferShape();
        check_names();
        set_attributes();
    }

    [[nodiscard]] OperatorAnswer answer() {
        for (const ops::OpParamDef& one : definition_.inputs) {
            inputs_.push_back(tensors_of(one, false));
        }
        check_values();
        infer();
        OperatorAnswer result;
        result.type = type();
        result.settings = definition_.settings;
        settle(definition_.inputs, inputs_, false, result);
        settle(definition_.outputs, outputs_, true, result);
        tile(result);
        return result;
    }

private:
    [[nodiscard]] const std::string& type() const { return definition_.definition->Type(); }

    [[nodiscard]] const GivenParameter* given(const std::string& name) const {
        const auto found = std::ranges::find(call_.parameters, name, &GivenParameter::name);
        return found == call_.parameters.end() ? nullptr : &*found;
    }

    [[nodiscard]] bool has_shape(const std::string& name) const {
        const GivenParameter* told = given(name);
        return told != nullptr && std::ranges::any_of(told->tensors, [](const GivenTensor& one) {
                   return one.shape.has_value();
               });
    }

    void check_names() const {
        std::vector<std::string> known;
        for (const auto* side : {&definition_.inputs, &definition_.outputs}) {
            for (const ops::OpParamDef& one : *side) {
                known.push_back(one.Name());
            }
        }
        for (const GivenParameter& one : call_.parameters) {
            if (std::ranges::find(known, one.name) == known.end()) {
                throw UserError{"'{}' is no input or output of {}{} (it has: {})",
                                one.name,
                                type(),
                                nearest_hint(one.name, known),
                                fmt::join(known, ", ")};
            }
        }
    }

    void set_attributes() {
        const Request request{.tensors = {}, .attributes = call_.attributes};
        if (const std::string wrong = attributes_of(*definition_.definition, request, attributes_);
            !wrong.empty()) {
            throw UserError{"{}", wrong};
        }
        for (const gert::Attribute& one : attributes_) {
            const bool set = std::ranges::any_of(call_.attributes,
                                                 [&](const auto& other) { return other.first == one.name; });
            if (one.required && !set) {
                throw UserError{"{}: attribute '{}', {}, needs a value: --attr {}=…",
                                type(),
                                one.name,
                                gert::attribute_kind_names[static_cast<std::size_t>(one.kind)],
                                one.name};
            }
        }
        attributes_.insert(
            attributes_.end(), functions_.private_attributes.begin(), functions_.private_attributes.end());
    }

    [[nodiscard]] std::vector<gert::Tensor> tensors_of(const ops::OpParamDef& parameter, bool output) const {
        const ColumnEntry& entry = column_.at((output ? "out:" : "") + parameter.Name());
        const GivenParameter* told = given(parameter.Name());
        std::vector<gert::Tensor> tensors;
        for (const GivenTensor& one : told == nullptr ? std::vector<GivenTensor>{} : told->tensors) {
            if (one.shape) {
                tensors.push_back(tensor(*one.shape, entry, one.data));
            }
        }
        if (tensors.empty() && !output && parameter.Kind() == ops::REQUIRED) {
            throw UserError{
                "{}: input '{}' needs a shape: --shape {}=…", type(), parameter.Name(), parameter.Name()};
        }
        return tensors;
    }

    /// Functions that read an input's data take it for granted that they are there.
    void check_values() const {
        for (std::size_t i = 0; i < definition_.inputs.size(); ++i) {
            const ops::OpParamDef& one = definition_.inputs[i];
            const auto number = static_cast<std::int32_t>(i);
            const bool read = one.DependsOnValue() || std::ranges::find(functions_.value_inputs, number) !=
                                                          functions_.value_inputs.end();
            for (const gert::Tensor& tensor : inputs_[i]) {
                if (read && tensor.GetAddr() == nullptr && tensor.GetShapeSize() > 0) {
                    throw UserError{"{}: the data of input '{}' decide on its tiling: --value {}=[…]",
                                    type(),
                                    one.Name(),
                                    one.Name()};
                }
            }
        }
    }

    static gert::Tensor tensor(const std::vector<std::int64_t>& extents,
                               const ColumnEntry& entry,
                               const std::vector<std::byte>& data) {
        const gert::Shape shape{extents};
        const ge::Format seen = entry.format == stored_format(entry.format) ? entry.format : ge::FORMAT_ND;
        gert::Tensor tensor{gert::StorageShape{shape, stored_shape(shape, entry)},
                            gert::StorageFormat{seen, entry.format},
                            entry.type};
        if (!data.empty()) {
            tensor.Hold(data);
        }
        return tensor;
    }

    /// The layout the user sees: private ones stand for rows of numbers.
    static ge::Format stored_format(ge::Format format) {
        return format == ge::FORMAT_FRACTAL_NZ || format == ge::FORMAT_FRACTAL_Z ||
                       format == ge::FORMAT_NC1HWC0 || format == ge::FORMAT_NDC1HWC0 ||
                       format == ge::FORMAT_FRACTAL_Z_3D
                   ? ge::FORMAT_ND
                   : format;
    }

    /// Outputs: as given, else as the operator infers them.
    void infer() {
        bool all_given = true;
        std::size_t instances = 1;
        for (const std::vector<gert::Tensor>& parameter : inputs_) {
            instances = std::max(instances, parameter.size());
        }
        for (const ops::OpParamDef& one : definition_.outputs) {
            outputs_.push_back(tensors_of(one, true));
            // An output of an input's name is that memory.
            if (const std::vector<gert::Tensor>* same = input_named(one.Name());
                same != nullptr && outputs_.back().empty()) {
                outputs_.back() = *same;
            }
            if (outputs_.back().empty()) {
                all_given = all_given && one.Kind() == ops::OPTIONAL;
                const ColumnEntry& entry = column_.at("out:" + one.Name());
                outputs_.back().assign(one.Kind() == ops::DYNAMIC ? instances : 1, tensor({-1}, entry, {}));
            }
        }
        if (!all_given || functions_.infer_shape != nullptr) {
            infer_shapes(all_given);
        }
        // An optional output that got no shape is there and holds nothing: later ones keep their numbers.
        for (std::vector<gert::Tensor>& parameter : outputs_) {
            for (gert::Tensor& one : parameter) {
                if (one.GetOriginShape().GetShapeSize() < 0) {
                    one.MutableOriginShape() = gert::Shape{0};
                    one.MutableStorageShape() = gert::Shape{0};
                }
            }
        }
    }

    [[nodiscard]] const std::vector<gert::Tensor>* input_named(const std::string& name) const {
        for (std::size_t i = 0; i < definition_.inputs.size(); ++i) {
            if (definition_.inputs[i].Name() == name) {
                return &inputs_[i];
            }
        }
        return nullptr;
    }

    /// `unneeded`: of optional outputs alone, so that nothing is lost where it does not work.
    void infer_shapes(bool unneeded) {
        if (functions_.infer_shape == nullptr) {
            throw UserError{"{}: its host sources infer no shapes, so that each output needs one: {}",
                            type(),
                            missing_outputs()};
        }
        const std::optional<std::vector<gert::Shape>> shapes = inferred_from(gert::Shape{});
        if (!shapes) {
            if (unneeded) {
                return;
            }
            throw UserError{"{}: its shape inference refuses these shapes{}", type(), own_words()};
        }
        const bool scalars = std::ranges::any_of(*shapes, &gert::Shape::IsScalar);
        const gert::Shape unknown{-1};
        const std::vector<gert::Shape> again =
            scalars ? inferred_from(unknown).value_or(*shapes) : std::vector<gert::Shape>{};
        std::size_t at = 0;
        for (std::size_t p = 0; p < outputs_.size(); ++p) {
            const bool told = has_shape(definition_.outputs[p].Name());
            for (gert::Tensor& one : outputs_[p]) {
                const bool scalar = (*shapes)[at].IsScalar();
                const gert::Shape& shape = scalar ? again[at] : (*shapes)[at];
                ++at;
                if (!told) {
                    const bool untouched = scalar && shape == unknown;
                    take_inferred(one, untouched ? one.GetOriginShape() : shape, definition_.outputs[p]);
                }
            }
        }
    }

    /// What the inference makes of outputs that begin as `first`, where no shape is told; nothing if it
    /// refuses. The vendor's framework hands over shapes without extents, which functions append to. One that
    /// stays so is a scalar or was not touched, which a second call tells, with outputs that begin otherwise.
    [[nodiscard]] std::optional<std::vector<gert::Shape>> inferred_from(const gert::Shape& first) const {
        Tensors outputs = outputs_;
        for (std::size_t p = 0; p < outputs.size(); ++p) {
            for (gert::Tensor& one : outputs[p]) {
                one.MutableOriginShape() =
                    has_shape(definition_.outputs[p].Name()) ? one.GetOriginShape() : first;
            }
        }
        gert::InferShapeContext context{{type(), inputs_, outputs, gert::RuntimeAttrs{attributes_}}};
        if (functions_.infer_shape(&context) != ge::GRAPH_SUCCESS) {
            return std::nullopt;
        }
        std::vector<gert::Shape> shapes;
        for (std::size_t i = 0; i < context.GetComputeNodeOutputNum(); ++i) {
            shapes.push_back(*context.GetOutputShape(i));
        }
        return shapes;
    }

    void take_inferred(gert::Tensor& one, const gert::Shape& shape, const ops::OpParamDef& output) const {
        if (shape.GetShapeSize() < 0 && output.Kind() != ops::OPTIONAL) {
            throw UserError{"{}: the shape of output '{}' depends on data: give it, as in --shape {}=…",
                            type(),
                            output.Name(),
                            output.Name()};
        }
        one.MutableOriginShape() = shape;
        one.MutableStorageShape() = stored_shape(shape, column_.at("out:" + output.Name()));
    }

    [[nodiscard]] std::string missing_outputs() const {
        std::vector<std::string> words;
        for (const ops::OpParamDef& one : definition_.outputs) {
            if (!has_shape(one.Name()) && one.Kind() != ops::OPTIONAL) {
                words.push_back("--shape " + one.Name() + "=…");
            }
        }
        return fmt::format("{}", fmt::join(words, " "));
    }

    [[nodiscard]] gert::ComputeNodeInfo node() const {
        return {type(), inputs_, outputs_, gert::RuntimeAttrs{attributes_}};
    }

    void settle(const std::vector<ops::OpParamDef>& definitions,
                const Tensors& tensors,
                bool output,
                OperatorAnswer& result) const {
        for (std::size_t i = 0; i < definitions.size(); ++i) {
            const ops::OpParamDef& one = definitions[i];
            const ColumnEntry& entry = column_.at((output ? "out:" : "") + one.Name());
            SettledParameter parameter{.name = one.Name(),
                                       .output = output,
                                       .list = one.Kind() == ops::DYNAMIC,
                                       .optional = one.Kind() == ops::OPTIONAL,
                                       .zeroed = one.IsZeroed(),
                                       .type = entry.type,
                                       .format = entry.format,
                                       .tensors = {}};
            for (const gert::Tensor& tensor : tensors[i]) {
                parameter.tensors.push_back({extents(tensor.GetOriginShape()),
                                             extents(tensor.GetStorageShape()),
                                             entry.type,
                                             entry.format});
            }
            result.parameters.push_back(std::move(parameter));
        }
    }

    static std::vector<std::int64_t> extents(const gert::Shape& shape) {
        std::vector<std::int64_t> all;
        for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
            all.push_back(shape.GetDim(i));
        }
        return all;
    }

    void tile(OperatorAnswer& result) {
        if (functions_.tiling == nullptr) {
            throw UserError{"{}: its host sources register no tiling function", type()};
        }
        gert::TilingContext context{node()};
        if (functions_.make_compile_info != nullptr) {
            gert::TilingParseContext parse{node()};
            void* info = functions_.make_compile_info();
            parse.SetCompiledInfo(info);
            if (functions_.tiling_parse(&parse) != ge::GRAPH_SUCCESS) {
                throw UserError{"{}: its TilingParse function refuses this chip{}", type(), own_words()};
            }
            context.SetCompileInfo(info);
        }
        context.SetDeterministic(call_.deterministic);
        static_cast<void>(taken_errors());  // of shape inference that went well in the end
        if (const ge::graphStatus status = functions_.tiling(&context); status != ge::GRAPH_SUCCESS) {
            throw UserError{"{}: its tiling function refuses these inputs{}", type(), own_words()};
        }
        take(context, result);
    }

    void take(const gert::TilingContext& context, OperatorAnswer& result) const {
        const gert::TilingData& written = *context.GetRawTilingData();
        if (written.GetDataSize() > written.GetCapacity()) {
            throw UserError{"{}: its tiling function says that its tiling takes {} B, of at most {}",
                            type(),
                            written.GetDataSize(),
                            written.GetCapacity()};
        }
        const auto* data = static_cast<const std::byte*>(written.GetData());
        result.data.assign(data, data + written.GetDataSize());
        result.blocks = context.GetBlockDim();
        result.key = context.GetTilingKey();
        for (const std::size_t bytes : context.Workspaces()) {
            result.workspace += bytes;
        }
        const TemplateChoice choice = template_choice(type(), result.key);
        result.is_template = choice.known;
        result.arguments = choice.arguments;
        result.argument_names = choice.names;
        result.structure = choice.structure;
        result.core_kind = choice.core_kind;
    }

    const OperatorCall& call_;
    ChipDefinition definition_;
    Column column_;
    gert::OperatorFunctions functions_;
    std::vector<gert::Attribute> attributes_;
    Tensors inputs_;
    Tensors outputs_;
};

const char* kind_name(ops::Option option) {
    return option == ops::OPTIONAL ? "optional" : option == ops::DYNAMIC ? "list" : "required";
}

void describe(const std::vector<ops::OpParamDef>& parameters, bool output, DescribedOperator& result) {
    for (const ops::OpParamDef& one : parameters) {
        result.parameters.push_back({.name = one.Name(),
                                     .output = output,
                                     .kind = kind_name(one.Kind()),
                                     .types = {one.Types().begin(), one.Types().end()},
                                     .formats = {one.Formats().begin(), one.Formats().end()},
                                     .value_depends = one.DependsOnValue(),
                                     .since = one.Since()});
    }
}

}  // namespace

OperatorAnswer call_operator(const OperatorCall& call) {
    static_cast<void>(taken_errors());
    return Use{call}.answer();
}

std::vector<DescribedOperator> described_operators(const std::string& chip) {
    std::vector<DescribedOperator> all;
    for (const auto& definition : ops::Definitions()) {
        DescribedOperator one{.type = definition->Type()};
        for (const auto& [name, config] : definition->AICore().Configs()) {
            one.chips.push_back(name);
        }
        if (std::ranges::find(one.chips, chip) != one.chips.end()) {
            const ChipDefinition here = definition_on(*definition, chip);
            describe(here.inputs, false, one);
            describe(here.outputs, true, one);
        }
        for (const ops::OpAttrDef& attribute : definition->Attributes()) {
            one.attributes.emplace_back(
                attribute.Value().name,
                gert::attribute_kind_names[static_cast<std::size_t>(attribute.Value().kind)]);
            one.attributes_since.push_back(attribute.Since());
        }
        const auto functions = gert::Registered().find(one.type);
        const bool registered = functions != gert::Registered().end();
        one.has_tiling =
            definition->AICore().Tiling() != nullptr || (registered && functions->second.tiling != nullptr);
        one.has_shapes =
            definition->InferShape() != nullptr || (registered && functions->second.infer_shape != nullptr);
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace ascendsim::tiling
