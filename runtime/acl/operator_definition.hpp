// SPDX-License-Identifier: Apache-2.0
// An operator's definition (API reference, OpDef and relatives): names of inputs, outputs and attributes in
// order, defaults, and the tiling function. What a definition says beyond that is taken and not used.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "runtime/acl/host_context.hpp"

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class DependScope { ALL, TILING };
enum class FormatCheckOption { DEFAULT, STRICT };

using ge::DataType;
using ge::Format;

class OpParamDef {
public:
    explicit OpParamDef(std::string name) : name_{std::move(name)} {}

    OpParamDef& ParamType(Option) { return *this; }

    OpParamDef& DataType(const std::vector<ge::DataType>&) { return *this; }

    OpParamDef& DataTypeList(const std::vector<ge::DataType>&) { return *this; }

    OpParamDef& DataTypeForBinQuery(const std::vector<ge::DataType>&) { return *this; }

    OpParamDef& Format(const std::vector<ge::Format>&) { return *this; }

    OpParamDef& FormatList(const std::vector<ge::Format>&) { return *this; }

    OpParamDef& FormatForBinQuery(const std::vector<ge::Format>&) { return *this; }

    OpParamDef& UnknownShapeFormat(const std::vector<ge::Format>&) { return *this; }

    OpParamDef& ValueDepend(Option, DependScope = DependScope::ALL) { return *this; }

    OpParamDef& Scalar() { return *this; }

    OpParamDef& ScalarList() { return *this; }

    OpParamDef& IgnoreContiguous() { return *this; }

    OpParamDef& AutoContiguous() { return *this; }

    OpParamDef& Follow(const std::string&) { return *this; }

    template <class... Arguments>
    OpParamDef& InitValue(Arguments&&...) {
        return *this;
    }

    OpParamDef& OutputShapeDependOnCompute() { return *this; }

    OpParamDef& Comment(const std::string&) { return *this; }

    const std::string& Name() const { return name_; }

private:
    std::string name_;
};

class OpAttrDef {
public:
    explicit OpAttrDef(const std::string& name) { value_.name = name; }

    OpAttrDef& AttrType(Option) { return *this; }

    OpAttrDef& Comment(const std::string&) { return *this; }

    OpAttrDef& Bool(bool value = false) {
        value_.set(value ? 1 : 0);
        return Of(gert::AttributeKind::truth);
    }

    OpAttrDef& Int(int64_t value = 0) {
        value_.set(value);
        return Of(gert::AttributeKind::whole);
    }

    OpAttrDef& Float(float value = 0) {
        value_.real = value;
        return Of(gert::AttributeKind::real);
    }

    OpAttrDef& String(const char* value = "") {
        value_.text = value;
        return Of(gert::AttributeKind::text);
    }

    OpAttrDef& ListInt(const std::vector<int64_t>& value = {}) {
        value_.whole_list = gert::ContinuousVector{value};
        return Of(gert::AttributeKind::wholes);
    }

    OpAttrDef& ListFloat(const std::vector<float>& value = {}) {
        value_.real_list = gert::TypedContinuousVector<float>{value};
        return Of(gert::AttributeKind::reals);
    }

    OpAttrDef& ListBool(const std::vector<bool>& value = {}) {
        value_.truth_list = gert::TypedContinuousVector<bool>{value};
        return Of(gert::AttributeKind::truths);
    }

    const gert::Attribute& Value() const { return value_; }

private:
    OpAttrDef& Of(gert::AttributeKind kind) {
        value_.kind = kind;
        return *this;
    }

    gert::Attribute value_;
};

class OpAICoreConfig {
public:
    OpAICoreConfig() = default;

    explicit OpAICoreConfig(const std::string&) {}

    OpParamDef& Input(const char* name) { return Add(name); }

    OpParamDef& Output(const char* name) { return Add(name); }

    OpAICoreConfig& DynamicCompileStaticFlag(bool) { return *this; }

    OpAICoreConfig& DynamicFormatFlag(bool) { return *this; }

    OpAICoreConfig& DynamicRankSupportFlag(bool) { return *this; }

    OpAICoreConfig& DynamicShapeSupportFlag(bool) { return *this; }

    OpAICoreConfig& NeedCheckSupportFlag(bool) { return *this; }

    OpAICoreConfig& PrecisionReduceFlag(bool) { return *this; }

    OpAICoreConfig& ExtendCfgInfo(const char*, const char*) { return *this; }

private:
    OpParamDef& Add(const char* name) { return params_.emplace_back(name); }

    std::deque<OpParamDef> params_;
};

using TilingFunction = ge::graphStatus (*)(gert::TilingContext*);

class OpAICoreDef {
public:
    OpAICoreDef& SetTiling(TilingFunction function) {
        tiling_ = function;
        return *this;
    }

    template <class Function>
    OpAICoreDef& SetCheckSupport(Function) {
        return *this;
    }

    template <class Function>
    OpAICoreDef& SetOpSelectFormat(Function) {
        return *this;
    }

    OpAICoreDef& AddConfig(const char*) { return *this; }

    OpAICoreDef& AddConfig(const char*, const OpAICoreConfig&) { return *this; }

    TilingFunction Tiling() const { return tiling_; }

private:
    TilingFunction tiling_ = nullptr;
};

/// References stay good while more is added, so the parts lie in deques.
class OpDef {
public:
    explicit OpDef(const char* type) : type_{type} {}

    virtual ~OpDef() = default;

    OpParamDef& Input(const char* name) { return inputs_.emplace_back(name); }

    OpParamDef& Output(const char* name) { return outputs_.emplace_back(name); }

    OpAttrDef& Attr(const char* name) { return attributes_.emplace_back(name); }

    template <class Function>
    OpDef& SetInferShape(Function) {
        return *this;
    }

    template <class Function>
    OpDef& SetInferShapeRange(Function) {
        return *this;
    }

    template <class Function>
    OpDef& SetInferDataType(Function) {
        return *this;
    }

    OpDef& Comment(const std::string&) { return *this; }

    OpAICoreDef& AICore() { return core_; }

    const std::string& Type() const { return type_; }

    const std::deque<OpParamDef>& Inputs() const { return inputs_; }

    const std::deque<OpParamDef>& Outputs() const { return outputs_; }

    const std::deque<OpAttrDef>& Attributes() const { return attributes_; }

private:
    std::string type_;
    std::deque<OpParamDef> inputs_;
    std::deque<OpParamDef> outputs_;
    std::deque<OpAttrDef> attributes_;
    OpAICoreDef core_;
};

/// The operators that a host source defines, in order.
inline std::vector<std::unique_ptr<OpDef>>& Definitions() {
    static std::vector<std::unique_ptr<OpDef>> all;
    return all;
}

template <class Operator>
bool Define(const char* name) {
    Definitions().push_back(std::make_unique<Operator>(name));
    return true;
}

}  // namespace ops

#define OP_ADD(operator_type)                                           \
    [[gnu::used]] static const bool ascendsim_defines_##operator_type = \
        ::ops::Define<operator_type>(#operator_type)
