// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/host_log.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <string_view>
#include <utility>

namespace ascendsim::tiling {
namespace {

struct Kept {
    std::vector<std::string> errors;
    bool quiet = false;
};

/// Of the one operator that a process asks.
Kept& kept() {
    static Kept all;
    return all;
}

}  // namespace

void say(bool error, const char* file, int line, const char* format, ...) {
    constexpr std::size_t longest = 2048;
    std::array<char, longest> text{};
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
    const std::string_view path = file;
    const std::string words{path.substr(path.rfind('/') + 1)};
    const std::string whole = words + ":" + std::to_string(line) + ": " + text.data();
    if (!kept().quiet) {
        std::fprintf(stderr, "%s %s\n", error ? "error:" : "warning:", whole.c_str());
    }
    if (error) {
        kept().errors.push_back(whole);
    }
}

std::vector<std::string> taken_errors() {
    kept().quiet = true;
    return std::exchange(kept().errors, {});
}

}  // namespace ascendsim::tiling

namespace Ops {
namespace Base {

std::string ToString(ge::DataType type) {
    return ge::TypeUtils::DataTypeToSerialString(type);
}

std::string ToString(ge::Format format) {
    return ge::TypeUtils::FormatToSerialString(format);
}

std::string ToString(const gert::Shape& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.GetDimNum(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(shape.GetDim(i));
    }
    return text + "]";
}

std::string ToString(const std::vector<const gert::Shape*>& shapes) {
    std::string text = "[";
    for (const gert::Shape* shape : shapes) {
        text += (text.size() == 1 ? "" : ", ") + (shape == nullptr ? std::string{"nil"} : ToString(*shape));
    }
    return text + "]";
}

}  // namespace Base
}  // namespace Ops

namespace ge {
namespace {

constexpr std::array<std::pair<DataType, const char*>, 38> type_names{{{DT_FLOAT, "DT_FLOAT"},
                                                                       {DT_FLOAT16, "DT_FLOAT16"},
                                                                       {DT_INT8, "DT_INT8"},
                                                                       {DT_INT32, "DT_INT32"},
                                                                       {DT_UINT8, "DT_UINT8"},
                                                                       {DT_INT16, "DT_INT16"},
                                                                       {DT_UINT16, "DT_UINT16"},
                                                                       {DT_UINT32, "DT_UINT32"},
                                                                       {DT_INT64, "DT_INT64"},
                                                                       {DT_UINT64, "DT_UINT64"},
                                                                       {DT_DOUBLE, "DT_DOUBLE"},
                                                                       {DT_BOOL, "DT_BOOL"},
                                                                       {DT_STRING, "DT_STRING"},
                                                                       {DT_COMPLEX64, "DT_COMPLEX64"},
                                                                       {DT_COMPLEX128, "DT_COMPLEX128"},
                                                                       {DT_QINT8, "DT_QINT8"},
                                                                       {DT_QINT16, "DT_QINT16"},
                                                                       {DT_QINT32, "DT_QINT32"},
                                                                       {DT_QUINT8, "DT_QUINT8"},
                                                                       {DT_QUINT16, "DT_QUINT16"},
                                                                       {DT_RESOURCE, "DT_RESOURCE"},
                                                                       {DT_BF16, "DT_BF16"},
                                                                       {DT_UNDEFINED, "DT_UNDEFINED"},
                                                                       {DT_INT4, "DT_INT4"},
                                                                       {DT_UINT1, "DT_UINT1"},
                                                                       {DT_INT2, "DT_INT2"},
                                                                       {DT_UINT2, "DT_UINT2"},
                                                                       {DT_COMPLEX32, "DT_COMPLEX32"},
                                                                       {DT_HIFLOAT8, "DT_HIFLOAT8"},
                                                                       {DT_FLOAT8_E5M2, "DT_FLOAT8_E5M2"},
                                                                       {DT_FLOAT8_E4M3FN, "DT_FLOAT8_E4M3FN"},
                                                                       {DT_FLOAT8_E8M0, "DT_FLOAT8_E8M0"},
                                                                       {DT_FLOAT6_E3M2, "DT_FLOAT6_E3M2"},
                                                                       {DT_FLOAT6_E2M3, "DT_FLOAT6_E2M3"},
                                                                       {DT_FLOAT4_E2M1, "DT_FLOAT4_E2M1"},
                                                                       {DT_FLOAT4_E1M2, "DT_FLOAT4_E1M2"},
                                                                       {DT_HIFLOAT4, "DT_HIFLOAT4"},
                                                                       {DT_VARIANT, "DT_VARIANT"}}};

constexpr std::array<std::pair<Format, const char*>, 18> format_names{
    {{FORMAT_NCHW, "NCHW"},
     {FORMAT_NHWC, "NHWC"},
     {FORMAT_ND, "ND"},
     {FORMAT_NC1HWC0, "NC1HWC0"},
     {FORMAT_FRACTAL_Z, "FRACTAL_Z"},
     {FORMAT_HWCN, "HWCN"},
     {FORMAT_NDHWC, "NDHWC"},
     {FORMAT_FRACTAL_NZ, "FRACTAL_NZ"},
     {FORMAT_NCDHW, "NCDHW"},
     {FORMAT_DHWCN, "DHWCN"},
     {FORMAT_NDC1HWC0, "NDC1HWC0"},
     {FORMAT_FRACTAL_Z_3D, "FRACTAL_Z_3D"},
     {FORMAT_NC, "NC"},
     {FORMAT_NCL, "NCL"},
     {FORMAT_FRACTAL_NZ_C0_16, "FRACTAL_NZ_C0_16"},
     {FORMAT_FRACTAL_NZ_C0_32, "FRACTAL_NZ_C0_32"},
     {FORMAT_ALL, "ALL"},
     {FORMAT_NULL, "NULL"}}};

template <class Names, class Key>
const char* name_in(const Names& names, Key key, const char* otherwise) {
    const auto found = std::ranges::find_if(names, [key](const auto& one) { return one.first == key; });
    return found == names.end() ? otherwise : found->second;
}

}  // namespace

std::string TypeUtils::DataTypeToSerialString(DataType type) {
    return name_in(type_names, type, "DT_UNDEFINED");
}

const char* GetFormatName(Format format) {
    return name_in(format_names, static_cast<Format>(GetPrimaryFormat(format)), "RESERVED");
}

std::string TypeUtils::FormatToSerialString(Format format) {
    return GetFormatName(format);
}

}  // namespace ge
