// SPDX-License-Identifier: Apache-2.0
// An operator's definition (API reference, OpDef and relatives): inputs, outputs and attributes in order, the
// types and layouts that go together, the chips it is for, and its host functions.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/acl/operator_registry.hpp"

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class DependScope : uint32_t { ALL = 0, TILING = 1, INVALID_SCOPE };
enum class FormatCheckOption : uint32_t { DEFAULT = 0, STRICT = 1, MAX };
enum class FollowType : uint32_t { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3, INVALID_TYPE };
enum class HcclServerType : uint32_t { AICPU = 0, AICORE = 1, CCU = 2, MAX };
enum class ScalarType : uint32_t {
    UINT64,
    INT64,
    UINT32,
    INT32,
    UINT16,
    INT16,
    UINT8,
    INT8,
    FLOAT32,
    FLOAT16
};
enum class CommentSection : uint32_t { CATEGORY, BRIEF, CONSTRAINTS, RESTRICTIONS, SEE, THIRDPARTYFWKCOMPAT };

/// A value that an output holds before the kernel runs.
struct ScalarVar {
    ScalarVar() = default;

    template <class Value>
    ScalarVar(ScalarType, Value) {}
};

using ge::DataType;
using ge::Format;

class OpParamDef {
public:
    explicit OpParamDef(std::string name) : name_{std::move(name)} {}

    OpParamDef& ParamType(Option option) {
        option_ = option;
        return *this;
    }

    OpParamDef& DataType(const std::vector<ge::DataType>& types) {
        types_ = types;
        return *this;
    }

    OpParamDef& DataTypeList(const std::vector<ge::DataType>& types) {
        types_ = types;
        free_types_ = true;
        return *this;
    }

    OpParamDef& Format(const std::vector<ge::Format>& formats) {
        formats_ = formats;
        return *this;
    }

    OpParamDef& FormatList(const std::vector<ge::Format>& formats) {
        formats_ = formats;
        free_formats_ = true;
        return *this;
    }

    OpParamDef& DataTypeForBinQuery(const std::vector<ge::DataType>&) { return *this; }

    OpParamDef& FormatForBinQuery(const std::vector<ge::Format>&) { return *this; }

    OpParamDef& UnknownShapeFormat(const std::vector<ge::Format>&) { return *this; }

    OpParamDef& ValueDepend(Option, DependScope = DependScope::ALL) {
        value_depends_ = true;
        return *this;
    }

    OpParamDef& Scalar() { return *this; }

    OpParamDef& ScalarList() { return *this; }

    template <class Target>
    OpParamDef& To(Target) {
        return *this;
    }

    /// The aclnn function from which on it is a parameter: 2 is that of …V2.
    OpParamDef& Version(uint32_t version) {
        version_ = version;
        return *this;
    }

    uint32_t Since() const { return version_; }

    OpParamDef& IgnoreContiguous() { return *this; }

    OpParamDef& AutoContiguous() { return *this; }

    OpParamDef& Follow(const std::string& name, FollowType type = FollowType::ALL) {
        if (type == FollowType::ALL || type == FollowType::DTYPE) {
            follows_ = name;
        }
        return *this;
    }

    template <class... Arguments>
    OpParamDef& InitValue(Arguments&&...) {
        return Zeroed();
    }

    OpParamDef& InitValue(const std::vector<ScalarVar>&) { return Zeroed(); }

    OpParamDef& InitValue(const ScalarVar&) { return Zeroed(); }

    OpParamDef& OutputShapeDependOnCompute() { return *this; }

    OpParamDef& Comment(const std::string&) { return *this; }

    const std::string& Name() const { return name_; }

    Option Kind() const { return option_; }

    /// By column, or one by one where IsFree().
    const std::vector<ge::DataType>& Types() const { return types_; }

    const std::vector<ge::Format>& Formats() const { return formats_; }

    /// Any type of Types() goes with any of the others.
    bool IsFree() const { return free_types_; }

    bool IsFreeFormat() const { return free_formats_; }

    /// The parameter whose types these are; empty: its own.
    const std::string& Follows() const { return follows_; }

    bool DependsOnValue() const { return value_depends_; }

    bool IsZeroed() const { return zeroed_; }

private:
    OpParamDef& Zeroed() {
        zeroed_ = true;
        return *this;
    }

    std::string name_;
    Option option_ = REQUIRED;
    std::vector<ge::DataType> types_;
    std::vector<ge::Format> formats_;
    bool free_types_ = false;
    bool free_formats_ = false;
    bool value_depends_ = false;
    bool zeroed_ = false;
    uint32_t version_ = 1;
    std::string follows_;
};

class OpAttrDef {
public:
    explicit OpAttrDef(const std::string& name) { value_.name = name; }

    OpAttrDef& AttrType(Option option) {
        value_.required = option == REQUIRED;
        return *this;
    }

    OpAttrDef& Comment(const std::string&) { return *this; }

    OpAttrDef& Version(uint32_t version) {
        version_ = version;
        return *this;
    }

    uint32_t Since() const { return version_; }

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
        value_.whole_list = gert::TypedContinuousVector<int64_t>{value};
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

    OpAttrDef& ListListInt(const std::vector<std::vector<int64_t>>& value = {}) {
        value_.lists = gert::ContinuousVectorVector{value};
        return Of(gert::AttributeKind::lists);
    }

    const gert::Attribute& Value() const { return value_; }

private:
    OpAttrDef& Of(gert::AttributeKind kind) {
        value_.kind = kind;
        return *this;
    }

    gert::Attribute value_;
    uint32_t version_ = 1;
};

/// What holds on one chip instead of the definition's own.
class OpAICoreConfig {
public:
    OpAICoreConfig() = default;

    OpAICoreConfig(const char*) {}

    OpParamDef& Input(const char* name) { return inputs_.emplace_back(name); }

    OpParamDef& Output(const char* name) { return outputs_.emplace_back(name); }

    OpAICoreConfig& DynamicCompileStaticFlag(bool) { return *this; }

    OpAICoreConfig& DynamicFormatFlag(bool) { return *this; }

    OpAICoreConfig& DynamicRankSupportFlag(bool) { return *this; }

    OpAICoreConfig& DynamicShapeSupportFlag(bool) { return *this; }

    OpAICoreConfig& NeedCheckSupportFlag(bool) { return *this; }

    OpAICoreConfig& PrecisionReduceFlag(bool) { return *this; }

    OpAICoreConfig& ExtendCfgInfo(const char* key, const char* value) {
        settings_[key] = value;
        return *this;
    }

    const std::deque<OpParamDef>& Inputs() const { return inputs_; }

    const std::deque<OpParamDef>& Outputs() const { return outputs_; }

    const std::map<std::string, std::string>& Settings() const { return settings_; }

private:
    std::deque<OpParamDef> inputs_;
    std::deque<OpParamDef> outputs_;
    std::map<std::string, std::string> settings_;
};

class OpAICoreDef {
public:
    OpAICoreDef& SetTiling(gert::TilingFunction function) {
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

    template <class Function>
    OpAICoreDef& SetOpSupportInfo(Function) {
        return *this;
    }

    template <class Function>
    OpAICoreDef& SetOpSpecInfo(Function) {
        return *this;
    }

    template <class Function>
    OpAICoreDef& SetParamGeneralize(Function) {
        return *this;
    }

    OpAICoreDef& LaunchWithZeroEleOutputTensors(bool) { return *this; }

    // Not kept: nothing asks for them.
    std::nullptr_t GetCheckSupport() const { return nullptr; }

    std::nullptr_t GetOpSelectFormat() const { return nullptr; }

    std::nullptr_t GetOpSupportInfo() const { return nullptr; }

    std::nullptr_t GetOpSpecInfo() const { return nullptr; }

    gert::TilingFunction GetTiling() const { return tiling_; }

    OpAICoreDef& AddConfig(const char* chip) { return AddConfig(chip, {}); }

    OpAICoreDef& AddConfig(const char* chip, const OpAICoreConfig& config) {
        configs_.emplace_back(chip, config);
        return *this;
    }

    gert::TilingFunction Tiling() const { return tiling_; }

    /// By chip, as in "ascend910b".
    const std::vector<std::pair<std::string, OpAICoreConfig>>& Configs() const { return configs_; }

private:
    gert::TilingFunction tiling_ = nullptr;
    std::vector<std::pair<std::string, OpAICoreConfig>> configs_;
};

/// Of operators that communicate.
class OpMC2Def {
public:
    template <class Value>
    OpMC2Def& HcclGroup(const Value&) {
        return *this;
    }

    OpMC2Def& HcclGroup(const std::vector<const char*>&) { return *this; }

    void HcclServerType(ops::HcclServerType, const char* = nullptr) {}
};

class OpHostCPUDef {
public:
    template <class... Values>
    OpHostCPUDef& ExtendCfgInfo(Values...) {
        return *this;
    }
};

/// References stay good while more is added, so the parts lie in deques.
class OpDef {
public:
    explicit OpDef(const char* type) : type_{type} {}

    virtual ~OpDef() = default;

    OpParamDef& Input(const char* name) { return named(inputs_, name); }

    OpParamDef& Output(const char* name) { return named(outputs_, name); }

    OpAttrDef& Attr(const char* name) {
        for (OpAttrDef& one : attributes_) {
            if (one.Value().name == name) {
                return one;
            }
        }
        return attributes_.emplace_back(name);
    }

    OpDef& SetInferShape(gert::InferShapeFunction function) {
        infer_shape_ = function;
        return *this;
    }

    template <class Function>
    OpDef& SetInferShapeRange(Function) {
        return *this;
    }

    OpDef& SetInferDataType(gert::InferDataTypeFunction function) {
        infer_data_type_ = function;
        return *this;
    }

    OpDef& Comment(const std::string&) { return *this; }

    OpDef& Comment(CommentSection, const char*) { return *this; }

    OpDef& FormatMatchMode(FormatCheckOption) { return *this; }

    OpDef& EnableFallBack() { return *this; }

    OpAICoreDef& AICore() { return core_; }

    const OpAICoreDef& AICore() const { return core_; }

    OpMC2Def& MC2() { return communication_; }

    OpHostCPUDef& HostCPU() { return host_; }

    const std::string& Type() const { return type_; }

    const std::deque<OpParamDef>& Inputs() const { return inputs_; }

    const std::deque<OpParamDef>& Outputs() const { return outputs_; }

    const std::deque<OpAttrDef>& Attributes() const { return attributes_; }

    gert::InferShapeFunction InferShape() const { return infer_shape_; }

    gert::InferDataTypeFunction InferDataType() const { return infer_data_type_; }

private:
    static OpParamDef& named(std::deque<OpParamDef>& all, const char* name) {
        for (OpParamDef& one : all) {
            if (one.Name() == name) {
                return one;
            }
        }
        return all.emplace_back(name);
    }

    std::string type_;
    std::deque<OpParamDef> inputs_;
    std::deque<OpParamDef> outputs_;
    std::deque<OpAttrDef> attributes_;
    OpAICoreDef core_;
    OpMC2Def communication_;
    OpHostCPUDef host_;
    gert::InferShapeFunction infer_shape_ = nullptr;
    gert::InferDataTypeFunction infer_data_type_ = nullptr;
};

/// The operators that host sources define, in order.
std::vector<std::unique_ptr<OpDef>>& Definitions();

template <class Operator>
bool Define(const char* name) {
    Definitions().push_back(std::make_unique<Operator>(name));
    return true;
}

}  // namespace ops

namespace optiling {

/// Registers functions that choose operators for graphs; none does here.
class OpCheckFuncHelper {
public:
    template <class... Arguments>
    explicit OpCheckFuncHelper(const Arguments&...) {}
};

}  // namespace optiling

#define FUNC_CHECK_SUPPORTED "check_supported"
#define FUNC_OP_SELECT_FORMAT "op_select_format"
#define FUNC_GET_OP_SUPPORT_INFO "get_op_support_info"
#define FUNC_GET_SPECIFIC_INFO "get_op_specific_info"
#define OP_ADD(operator_type, ...)                                      \
    [[gnu::used]] static const bool ascendsim_defines_##operator_type = \
        ::ops::Define<operator_type>(#operator_type)
