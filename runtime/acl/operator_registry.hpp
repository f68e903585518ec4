// SPDX-License-Identifier: Apache-2.0
// Registration of an operator's host functions by the type's name (API reference: IMPL_OP, IMPL_OP_OPTILING,
// IMPL_OP_INFERSHAPE).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "runtime/acl/host_context.hpp"

namespace gert {

enum TilingPlacement { TILING_ON_HOST = 0, TILING_ON_AICPU = 1 };

using TilingFunction = uint32_t (*)(TilingContext*);
using InferShapeFunction = uint32_t (*)(InferShapeContext*);
using InferDataTypeFunction = uint32_t (*)(InferDataTypeContext*);
using TilingParseFunction = uint32_t (*)(TilingParseContext*);

/// What is registered for a type; null where nothing is.
struct OperatorFunctions {
    TilingFunction tiling = nullptr;
    TilingParseFunction tiling_parse = nullptr;
    void* (*make_compile_info)() = nullptr;
    InferShapeFunction infer_shape = nullptr;
    InferDataTypeFunction infer_data_type = nullptr;
    std::vector<int32_t> value_inputs;  // whose data the tiling or the shapes depend on
    std::vector<Attribute> private_attributes;
};

/// By type.
std::map<std::string, OperatorFunctions>& Registered();

/// Collects functions for one type.
class OpImplRegisterV2 {
public:
    using TilingKernelFunc = TilingFunction;
    using InferShapeKernelFunc = InferShapeFunction;
    using InferDataTypeKernelFunc = InferDataTypeFunction;

    explicit OpImplRegisterV2(const char* type) : to_{&Registered()[type]} {}

    OpImplRegisterV2& Tiling(TilingFunction function, std::size_t /*most_bytes*/ = 0) {
        to_->tiling = function != nullptr ? function : to_->tiling;
        return *this;
    }

    template <class Info, class Context>
    OpImplRegisterV2& TilingParse(uint32_t (*function)(Context*)) {
        to_->tiling_parse = reinterpret_cast<TilingParseFunction>(function);
        to_->make_compile_info = []() -> void* { return new Info(); };
        return *this;
    }

    template <class Info>
    OpImplRegisterV2& TilingParse(TilingParseFunction function) {
        return TilingParse<Info, TilingParseContext>(function);
    }

    OpImplRegisterV2& InferShape(InferShapeFunction function) {
        to_->infer_shape = function;
        return *this;
    }

    OpImplRegisterV2& InferDataType(InferDataTypeFunction function) {
        to_->infer_data_type = function;
        return *this;
    }

    OpImplRegisterV2& InputsDataDependency(std::initializer_list<int32_t> inputs) {
        to_->value_inputs.insert(to_->value_inputs.end(), inputs);
        return *this;
    }

    OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs,
                                                 std::initializer_list<TilingPlacement> = {}) {
        return InputsDataDependency(inputs);
    }

    template <class Value>
    OpImplRegisterV2& PrivateAttr(const char* name, const Value& value);

    OpImplRegisterV2& PrivateAttr(const char* name);

    // Taken and not used: shapes here are known, and kernels are launched one by one.
    template <class Function>
    OpImplRegisterV2& InferShapeRange(Function) {
        return *this;
    }

    template <class Function>
    OpImplRegisterV2& InferFormat(Function) {
        return *this;
    }

    OpImplRegisterV2& InferOutDataTypeSameWithFirstInput() { return *this; }

    template <class Function>
    OpImplRegisterV2& GenSimplifiedKey(Function) {
        return *this;
    }

    template <class... Functions>
    OpImplRegisterV2& OpExecuteFunc(Functions...) {
        return *this;
    }

    template <class... Functions>
    OpImplRegisterV2& Op2StageExecuteFuncs(Functions...) {
        return *this;
    }

    template <class Function>
    OpImplRegisterV2& CalcOpParam(Function) {
        return *this;
    }

    template <class Function>
    OpImplRegisterV2& GenerateTask(Function) {
        return *this;
    }

    template <class Function>
    OpImplRegisterV2& CheckSupport(Function) {
        return *this;
    }

    template <class Function>
    OpImplRegisterV2& ExceptionDumpParseFunc(Function) {
        return *this;
    }

    OpImplRegisterV2& HostInputs(std::initializer_list<int32_t>) { return *this; }

    OpImplRegisterV2& OutputShapeDependOnCompute(std::initializer_list<int32_t>) { return *this; }

    OpImplRegisterV2& NullableOutputs(std::initializer_list<int32_t>) { return *this; }

private:
    OperatorFunctions* to_;
};

template <class Value>
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name, const Value& value) {
    Attribute attribute;
    attribute.name = name;
    if constexpr (std::is_same_v<Value, bool>) {
        attribute.kind = AttributeKind::truth;
        attribute.set(value ? 1 : 0);
    } else if constexpr (std::is_integral_v<Value>) {
        attribute.kind = AttributeKind::whole;
        attribute.set(value);
    } else if constexpr (std::is_floating_point_v<Value>) {
        attribute.kind = AttributeKind::real;
        attribute.real = static_cast<float>(value);
    } else if constexpr (std::is_convertible_v<Value, std::string>) {
        attribute.kind = AttributeKind::text;
        attribute.text = value;
    } else if constexpr (std::is_same_v<Value, std::vector<float>>) {
        attribute.kind = AttributeKind::reals;
        attribute.real_list = TypedContinuousVector<float>{value};
    } else {
        attribute.kind = AttributeKind::wholes;
        attribute.whole_list =
            TypedContinuousVector<int64_t>{std::vector<int64_t>(value.begin(), value.end())};
    }
    to_->private_attributes.push_back(std::move(attribute));
    return *this;
}

inline OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const char* name) {
    return PrivateAttr(name, int64_t{0});
}

}  // namespace gert

#ifndef VAR_UNUSED
#define VAR_UNUSED [[maybe_unused]]
#endif
#define ASCENDSIM_JOIN_AGAIN(a, b) a##b
#define ASCENDSIM_JOIN(a, b) ASCENDSIM_JOIN_AGAIN(a, b)
#define ASCENDSIM_REGISTERS(type)                                 \
    [[gnu::used]] static ::gert::OpImplRegisterV2 ASCENDSIM_JOIN( \
        ascendsim_registers_##type##_, __COUNTER__) = ::gert::OpImplRegisterV2(#type)
#define IMPL_OP(type) ASCENDSIM_REGISTERS(type)
#define IMPL_OP_INFERSHAPE(type) ASCENDSIM_REGISTERS(type)
#define IMPL_OP_OPTILING(type) ASCENDSIM_REGISTERS(type)
