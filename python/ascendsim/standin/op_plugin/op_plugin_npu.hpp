// SPDX-License-Identifier: Apache-2.0
// What op-plugin's functions call of torch_npu beyond what extensions do, and how they reach aclnn functions.
// Each header of torch_npu that they include and that is not there includes this file.
#pragma once

#include <ATen/NamedTensorUtils.h>
#include <ATen/TensorUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/DimVector.h>
#include <ascendsim_npu.hpp>
#include <torch/version.h>

#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 1)
// Element types that PyTorch has from 2.1 on: no tensor has one, so that what compares with them is false.
namespace at {
constexpr ScalarType kFloat8_e5m2 = static_cast<ScalarType>(23);
constexpr ScalarType kFloat8_e4m3fn = static_cast<ScalarType>(24);
}  // namespace at

#define Float8_e5m2 Undefined
#define Float8_e4m3fn Undefined
#endif

namespace py = pybind11;

/// What stands for the result of a function behind ACL's older interface.
struct OlderInterface {
    const char* name;

    template <class T>
    operator T() const {  // NOLINT(google-explicit-constructor): stands for any result
        TORCH_CHECK(false, "acl_op::", name, " is behind ACL's older interface, which is not in AscendSim");
    }
};

#define OP_PLUGIN_ABSENT(name)                  \
    template <class... A>                       \
    OlderInterface name(A&&... /*arguments*/) { \
        return {#name};                         \
    }

namespace c10_npu {

/// Element types by the numbers that scripts name: PyTorch's, and from 256 on those of ACL (op-plugin's list
/// of functions: dst_type=291 and 296, which are the public aclDataType 35 and 40).
enum class DType : int64_t {
    UINT8 = 0,
    INT8 = 1,
    INT16 = 2,
    INT32 = 3,
    INT64 = 4,
    FLOAT16 = 5,
    FLOAT = 6,
    DOUBLE = 7,
    BOOL = 11,
    BF16 = 15,
    INT4 = 285,
    UINT1 = 286,
    HIFLOAT8 = 290,
    FLOAT8_E5M2 = 291,
    FLOAT8_E4M3FN = 292,
    FLOAT8_E8M0 = 293,
    FLOAT6_E3M2 = 294,
    FLOAT6_E2M3 = 295,
    FLOAT4_E2M1 = 296,
    FLOAT4_E1M2 = 297,
};

inline bool IsCustomDType(int64_t number) {
    return number >= 256;
}

inline aclDataType GetAclDataType(int64_t number) {
    constexpr int64_t first_of_acl = 256;
    return number >= first_of_acl
               ? static_cast<aclDataType>(number - first_of_acl)
               : at_npu::native::OpPreparation::convert_to_acl_data_type(static_cast<at::ScalarType>(number));
}

inline aclDataType GetAclDataType(DType type) {
    return GetAclDataType(static_cast<int64_t>(type));
}

inline aclDataType GetAclDataType(at::ScalarType type) {
    return at_npu::native::OpPreparation::convert_to_acl_data_type(type);
}

inline at::ScalarType GetATenDType(int64_t number) {
    constexpr int64_t first_of_acl = 256;
    return number >= first_of_acl ? at::kByte : static_cast<at::ScalarType>(number);
}

inline std::string CustomDataTypeToString(int64_t number) {
    return number >= 256 ? "ACL's type " + std::to_string(number - 256)
                         : c10::toString(static_cast<at::ScalarType>(number));
}

inline bool IsAclnnOnly() {
    return true;
}

enum class CaptureStatus { None, Active, Invalidated };

inline CaptureStatus currentStreamCaptureStatusMayInitCtx() {
    return CaptureStatus::None;
}

namespace acl {
inline aclError AclrtSynchronizeStreamWithTimeout(const NPUStream& /*stream*/) {
    return aclrtSynchronizeStream(nullptr);
}
}  // namespace acl

namespace option {
struct OptionsManager {
    static int64_t GetTaskQueueEnable() { return 0; }
};
}  // namespace option

inline std::string GetCANNVersion(const std::string& /*module*/ = "") {
    return "9.0.0";
}

}  // namespace c10_npu

inline bool IsGteCANNVersion(const std::string& /*version*/, const std::string& /*module*/ = "") {
    return true;
}

namespace torch_npu {

/// Tensors are laid out as PyTorch does.
struct NPUStorageDesc {
    aclFormat npu_format_ = ACL_FORMAT_ND;
    aclFormat origin_format_ = ACL_FORMAT_ND;
    c10::SmallVector<int64_t, 5> base_sizes_;
    c10::SmallVector<int64_t, 5> base_strides_;
    c10::SmallVector<int64_t, 5> storage_sizes_;
};

struct NPUStorageImpl {
    NPUStorageDesc npu_desc_;
};

struct NPUBridge {
    static NPUStorageDesc& GetNpuStorageImplDesc(const at::Tensor& tensor) {
        static thread_local NPUStorageDesc described;
        described = GetNpuStorageImpl(tensor)->npu_desc_;
        return described;
    }

    static std::shared_ptr<NPUStorageImpl> GetNpuStorageImpl(const at::Tensor& tensor) {
        NPUStorageDesc described;
        described.base_sizes_ = c10::SmallVector<int64_t, 5>{tensor.sizes().begin(), tensor.sizes().end()};
        described.storage_sizes_ = described.base_sizes_;
        described.base_strides_ =
            c10::SmallVector<int64_t, 5>{tensor.strides().begin(), tensor.strides().end()};
        return std::make_shared<NPUStorageImpl>(NPUStorageImpl{described});
    }
};

}  // namespace torch_npu

namespace at_npu::native {

using Sizes = c10::SmallVector<int64_t, 5>;

enum CompileType { MEMORY_HOST_COMPILE_DEPENDENT, MEMORY_HOST_COMPILE_INDEPENDENT };

struct NPUNativeFunctions {
    static int64_t get_storage_size(const at::Tensor& tensor) { return tensor.numel(); }
};

struct NpuUtils {
    static at::Tensor format_contiguous(const at::Tensor& tensor) { return tensor.contiguous(); }

    static bool check_match(const at::Tensor* tensor) { return tensor->is_contiguous(); }
};

struct FormatHelper {
    static bool IsOpInputBaseFormat(const at::Tensor& /*tensor*/) { return true; }

    static bool IsBaseFormatType(const at::Tensor& /*tensor*/) { return true; }

    static bool IsBaseFormatType(aclFormat format) {
        return format == ACL_FORMAT_ND || format == ACL_FORMAT_NCHW;
    }
};

inline at::ScalarType result_type(at::ScalarType one, at::ScalarType other) {
    return c10::promoteTypes(one, other);
}

inline std::string AclDataTypeToString(aclDataType type) {
    return "ACL's type " + std::to_string(static_cast<int>(type));
}

namespace env {
// Products of single precision keep it, which is what PyTorch asks for unless a script says otherwise.
inline bool IsAllowMatmulHF32() {
    return false;
}

inline bool IsAllowConvHF32() {
    return true;
}

inline bool CheckJitDisable() {
    return true;
}

inline bool CheckForbidInternalFormat() {
    return true;
}
}  // namespace env

namespace custom_ops {
inline int64_t get_npu_format(const at::Tensor& /*tensor*/) {
    return ACL_FORMAT_ND;
}

inline at::Tensor npu_format_cast(const at::Tensor& tensor, int64_t format) {
    return native::npu_format_cast(tensor, format);
}

inline at::Tensor npu_dtype_cast(const at::Tensor& tensor, at::ScalarType type) {
    return tensor.to(type);
}

inline at::Tensor _npu_dtype_cast(const at::Tensor& tensor, at::ScalarType type) {
    return tensor.to(type);
}
}  // namespace custom_ops

}  // namespace at_npu::native

/// A tensor whose elements stand for those of another type.
struct TensorWrapper {
    at::Tensor tensor_;
    aclDataType dtype;
};

struct TensorListWrapper {
    std::vector<at::Tensor> tensor_list_;
    aclDataType dtype;
};

inline TensorWrapper make_wrapper(const at::Tensor& tensor, c10::optional<int64_t> type) {
    const int64_t own = tensor.defined() ? static_cast<int64_t>(tensor.scalar_type()) : 0;
    return {tensor, c10_npu::GetAclDataType(type.value_or(own))};
}

inline TensorWrapper make_wrapper(const c10::optional<at::Tensor>& tensor, c10::optional<int64_t> type) {
    return make_wrapper(tensor.value_or(at::Tensor{}), type);
}

inline TensorListWrapper make_wrapper(const at::TensorList& tensors, c10::optional<int64_t> type) {
    const int64_t own = tensors.empty() ? 0 : static_cast<int64_t>(tensors[0].scalar_type());
    return {tensors.vec(), c10_npu::GetAclDataType(type.value_or(own))};
}

inline TensorListWrapper make_wrapper(const c10::optional<at::TensorList>& tensors,
                                      c10::optional<int64_t> type) {
    return make_wrapper(tensors.value_or(at::TensorList{}), type);
}

namespace ascendsim::python {

template <class T>
concept Listed = requires(const T& all) {
    all.begin();
    all.size();
};

template <class T>
concept Worded = std::is_convertible_v<T, std::string> || std::is_convertible_v<T, c10::string_view>;

template <class T>
concept Optional = requires(const T& maybe) {
    maybe.has_value();
    *maybe;
};

/// Classes of ascendsim._aclnn and the function that is called.
inline py::module_ aclnn() {
    return py::module_::import("ascendsim._aclnn");
}

inline py::object to_python(const at::Tensor& tensor) {
    return tensor.defined() ? py::cast(tensor) : py::none();
}

inline py::object to_python(const TensorWrapper& wrapped) {
    return wrapped.tensor_.defined()
               ? aclnn().attr("Retyped")(py::cast(wrapped.tensor_), static_cast<int>(wrapped.dtype))
               : py::none();
}

inline py::object to_python(const TensorListWrapper& wrapped) {
    py::list all;
    for (const at::Tensor& one : wrapped.tensor_list_) {
        all.append(to_python(TensorWrapper{one, wrapped.dtype}));
    }
    return all.empty() ? py::object{py::none()} : py::object{all};
}

inline py::object to_python(const at::Scalar& scalar) {
    py::object value = scalar.isBoolean()         ? py::object{py::bool_(scalar.toBool())}
                       : scalar.isIntegral(false) ? py::object{py::int_(scalar.toLong())}
                                                  : py::object{py::float_(scalar.toDouble())};
    return aclnn().attr("Scalar")(value,
                                  scalar.isFloatingPoint() ? "float64"
                                  : scalar.isBoolean()     ? "bool"
                                                           : "int64");
}

inline py::object to_python(at::ScalarType type) {
    return aclnn().attr("ElementType")(
        static_cast<int>(at_npu::native::OpPreparation::convert_to_acl_data_type(type)));
}

inline py::object to_python(aclDataType type) {
    return aclnn().attr("ElementType")(static_cast<int>(type));
}

inline py::object to_python(const char* text) {
    return text == nullptr ? py::object{py::none()} : py::object{py::str(text)};
}

inline py::object to_python(const std::string& text) {
    return py::str(text);
}

inline py::object to_python(c10::string_view text) {
    return py::str(std::string{text});
}

inline py::object to_python(const c10::SymInt& number) {
    return py::int_(c10::SymInt{number}.expect_int());
}

template <class T>

requires std::is_arithmetic_v<T> py::object to_python(T number) {
    if constexpr (std::is_same_v<T, bool>) {
        return py::bool_(number);
    } else if constexpr (std::is_integral_v<T>) {
        return py::int_(static_cast<long long>(number));
    } else {
        return py::float_(static_cast<double>(number));
    }
}

template <class T>

requires(Listed<T> && !Worded<T>) py::object to_python(const T& all) {
    py::list list;
    for (auto i = all.begin(); i != all.end(); ++i) {
        list.append(to_python(*i));
    }
    return list;
}

template <class T>

requires(Optional<T>) py::object to_python(const T& maybe) {
    return maybe.has_value() ? to_python(*maybe) : py::object{py::none()};
}

template <class... A>
void call(const char* name, const A&... arguments) {
    const py::gil_scoped_acquire gil;
    (void)py::module_::import("ascendsim._op_plugin")
        .attr("called")(name, py::make_tuple(to_python(arguments)...));
}

inline bool available(const std::string& name) {
    const py::gil_scoped_acquire gil;
    return py::module_::import("ascendsim._op_plugin").attr("available")(name).cast<bool>();
}

}  // namespace ascendsim::python

inline bool check_aclnn_kernel_available(const std::string& name) {
    return ascendsim::python::available(name);
}

inline void* GetOpApiFuncAddr(const char* name) {
    return ascendsim::python::available(std::string{name}) ? const_cast<char*>(name) : nullptr;
}

#define EXEC_NPU_CMD(name, ...) ascendsim::python::call(#name, __VA_ARGS__)
#define EXEC_NPU_CMD_SYNC(name, ...) ascendsim::python::call(#name, __VA_ARGS__)
#define EXEC_NPU_NO_FORMAT_CHECK_CMD(name, ...) ascendsim::python::call(#name, __VA_ARGS__)
// Operators behind ACL's older interface are not there.
#define DO_COMPATIBILITY(name, otherwise) static_cast<void>(0)
#define DO_COMPATIBILITY_COMMON(name, otherwise) static_cast<void>(0)
#define DO_MATMUL_COMPATIBILITY(blocks, plain, one, other, otherwise) static_cast<void>(0)

enum class ErrCode {
    SUC,
    PARAM,
    TYPE,
    VALUE,
    PTR,
    INTERNAL,
    MEMORY,
    NOT_SUPPORT,
    NOT_FOUND,
    UNAVAIL,
    SYSCALL,
    TIMEOUT,
    PERMISSION,
    ACL
};
#define OPS_ERROR(code) \
    std::string {}
#define PTA_ERROR(code) \
    std::string {}
#define NPU_CHECK_ERROR(code, ...) TORCH_CHECK((code) == 0, "code ", code)
#define OPS_CHECK_ERROR(code, ...) TORCH_CHECK((code) == 0, "code ", code)
#define ASCEND_LOGW(...) static_cast<void>(0)
#define ASCEND_LOGI(...) static_cast<void>(0)
#define ASCEND_LOGD(...) static_cast<void>(0)
#define ASCEND_LOGE(...) static_cast<void>(0)
#define TORCH_NPU_WARN_ONCE(...) static_cast<void>(0)
#define TORCH_NPU_WARN(...) static_cast<void>(0)
#define FLOP_COUNT(...) static_cast<void>(0)

constexpr int64_t NCL_DIM_NUM = 3;
constexpr int64_t NCHW_DIM_NUM = 4;
constexpr int64_t NCDHW_DIM_NUM = 5;
constexpr int64_t FP4_IN_INT8 = 2;
constexpr int64_t PENULTIMATE_DIM = 2;

inline bool Is310PBoolCheck() {
    return false;
}

inline bool is_ascend950_path() {
    return false;
}
