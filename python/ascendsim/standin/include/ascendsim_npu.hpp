// SPDX-License-Identifier: Apache-2.0
// What extensions of PyTorch call of torch_npu's C++ interface, for tensors of the CPU that kernels see as
// the device's. The names and meanings are those of its public documentation. Each header of that interface
// includes this file.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <acl/acl.h>
#include <torch/extension.h>
#include <torch/library.h>

// Tensors of the device are CPU tensors: what names the device's type means that of the CPU. PyTorch's
// headers must have been read before.
#define PrivateUse1 CPU
#define kPrivateUse1 kCPU
#define is_privateuseone is_cpu
#define AutogradPrivateUse1 AutogradCPU
#define pin_memory contiguous  // all of the host's memory can be copied from

extern "C" const char* ascendsim_take_failure();

namespace c10_npu {

/// Streams are one: what is put on it is done at once.
class NPUStream {
public:
    explicit NPUStream(int device = 0) : device_{device} {}

    [[nodiscard]] aclrtStream stream() const { return nullptr; }

    [[nodiscard]] aclrtStream stream(bool /*need_empty*/) const { return nullptr; }

    operator aclrtStream() const { return nullptr; }  // NOLINT(google-explicit-constructor): as there

    [[nodiscard]] c10::DeviceIndex device_index() const { return static_cast<c10::DeviceIndex>(device_); }

    [[nodiscard]] c10::Device device() const { return c10::Device{c10::DeviceType::CPU}; }

    [[nodiscard]] int64_t id() const { return 0; }

    void synchronize() const { aclrtSynchronizeStream(nullptr); }

    [[nodiscard]] bool query() const { return true; }

private:
    int device_;
};

inline NPUStream getCurrentNPUStream(int device = 0) {
    return NPUStream{device};
}

inline NPUStream getDefaultNPUStream(int device = 0) {
    return NPUStream{device};
}

inline NPUStream getNPUStreamFromPool(int device = 0) {
    return NPUStream{device};
}

inline void setCurrentNPUStream(const NPUStream& /*stream*/) {}

inline NPUStream getCurrentNPUStreamNoWait(int device = 0) {
    return NPUStream{device};
}

template <class Index>
inline aclError GetDevice(Index* device) {
    *device = 0;
    return ACL_SUCCESS;
}

inline int current_device() {
    return 0;
}

inline int device_count() {
    return 1;
}

template <class Index>
inline void set_device(Index /*device*/) {}

inline aclError SetDevice(int /*device*/) {
    return ACL_SUCCESS;
}

inline void npuSynchronizeDevice(bool /*check*/ = true) {
    aclrtSynchronizeDevice();
}

/// A guard of the current device, of which there is one.
class NPUGuard {
public:
    template <class Index>
    explicit NPUGuard(Index /*device*/) {}
};

class OptionalNPUGuard {
public:
    OptionalNPUGuard() = default;

    template <class Index>
    explicit OptionalNPUGuard(Index /*device*/) {}
};

enum class SocVersion {
    UnsupportedSocVersion = -1,
    Ascend910PremiumA = 100,
    Ascend910ProA,
    Ascend910A,
    Ascend910ProB,
    Ascend910B,
    Ascend310P1 = 200,
    Ascend310P2,
    Ascend310P3,
    Ascend310P4,
    Ascend310P5,
    Ascend310P6,
    Ascend310P7,
    Ascend910B1 = 220,
    Ascend910B2,
    Ascend910B2C,
    Ascend910B3,
    Ascend910B4,
    Ascend910B4_1,
    Ascend310B1 = 240,
    Ascend310B2,
    Ascend310B3,
    Ascend310B4,
    Ascend910_9391 = 250,
    Ascend910_9392,
    Ascend910_9381,
    Ascend910_9382,
    Ascend910_9372,
    Ascend910_9362,
    Ascend950 = 260
};

inline SocVersion GetSocVersion() {
    return SocVersion::Ascend910B1;
}

namespace NPUCachingAllocator {
inline void recordStream(const c10::DataPtr& /*data*/, NPUStream /*stream*/) {}

inline void emptyCache() {}
}  // namespace NPUCachingAllocator

}  // namespace c10_npu

namespace at_npu {

namespace key {
constexpr c10::DeviceType NativeDeviceType = c10::DeviceType::CPU;
}

namespace native {

inline int64_t get_npu_format(const at::Tensor& /*tensor*/) {
    return ACL_FORMAT_ND;
}

inline at::Tensor npu_format_cast(const at::Tensor& tensor, int64_t format) {
    if (format != ACL_FORMAT_UNDEFINED && format != ACL_FORMAT_NCHW && format != ACL_FORMAT_ND) {
        throw std::runtime_error{"npu_format_cast: format " + std::to_string(format) +
                                 " is not in AscendSim's stand-in; ND (2) and NCHW (0) are"};
    }
    return tensor;
}

inline std::vector<int64_t> get_npu_storage_sizes(const at::Tensor& tensor) {
    return tensor.sizes().vec();
}

inline at::Tensor empty_with_format(c10::IntArrayRef sizes,
                                    const c10::TensorOptions& options,
                                    int64_t /*format*/ = ACL_FORMAT_ND,
                                    bool /*keep*/ = false) {
    return at::empty(sizes, options);
}

struct OpPreparation {
    static at::Tensor apply_tensor_without_format(c10::IntArrayRef sizes, const c10::TensorOptions& options) {
        return at::empty(sizes, options);
    }

    static at::Tensor apply_tensor_without_format(const at::Tensor& like) { return at::empty_like(like); }

    static at::Tensor apply_tensor_without_format(const at::Tensor& like, c10::IntArrayRef sizes) {
        return at::empty(sizes, like.options());
    }

    static at::Tensor apply_tensor(const at::Tensor& like) { return at::empty_like(like); }

    static at::Tensor apply_tensor(c10::IntArrayRef sizes,
                                   const c10::TensorOptions& options,
                                   const at::Tensor& /*like*/) {
        return at::empty(sizes, options);
    }

    static at::Tensor apply_tensor_with_format(c10::IntArrayRef sizes,
                                               const c10::TensorOptions& options,
                                               int64_t /*format*/,
                                               bool /*keep*/ = false) {
        return at::empty(sizes, options);
    }

    static at::Tensor apply_tensor(const at::Tensor& like, c10::IntArrayRef sizes) {
        return at::empty(sizes, like.options());
    }

    static at::Tensor apply_tensor(const at::Tensor& like, const c10::TensorOptions& options) {
        return at::empty(like.sizes(), options);
    }

    static at::Tensor apply_tensor_with_format(const at::Tensor& like,
                                               c10::IntArrayRef sizes,
                                               int64_t /*format*/,
                                               bool /*keep*/ = false) {
        return at::empty(sizes, like.options());
    }

    static at::Tensor apply_tensor_with_sizes(c10::IntArrayRef sizes, const c10::TensorOptions& options) {
        return at::empty(sizes, options);
    }

    /// Gives a result that a caller has handed its extents; `likes` are a type or a tensor in front of them.
    template <class... A>
    static void check_tensor(std::initializer_list<at::Tensor> /*inputs*/,
                             const at::Tensor& result,
                             const A&... likes) {
        const c10::IntArrayRef sizes = extents(likes...);
        if (result.sizes() != sizes) {
            result.resize_(sizes);
        }
    }

    template <class... A>
    static void check_memory(A&&... /*tensors*/) {}

    template <class... A>
    static void CheckMemory(A&&... /*tensors*/) {}

    static at::Tensor copy_scalar_to_device(const c10::Scalar& number, at::ScalarType type) {
        return at::scalar_tensor(number, at::TensorOptions{}.dtype(type));
    }

    template <class Device>
    static at::Tensor copy_scalar_to_device(const c10::Scalar& number,
                                            at::ScalarType type,
                                            const Device& /*device*/) {
        return copy_scalar_to_device(number, type);
    }

    static at::Tensor copy_tensor_host_to_device(const at::Tensor& tensor) { return tensor; }

    static at::Tensor CastBackToOriFormat(const at::Tensor& tensor) { return tensor; }

    static bool IsCPUScalar(const at::Tensor& /*tensor*/) { return false; }

    static bool is_scalar_wrapped_to_tensor(const at::Tensor& tensor) {
        return tensor.unsafeGetTensorImpl()->is_wrapped_number();
    }

    static int64_t get_tensor_npu_format(const at::Tensor& /*tensor*/) { return ACL_FORMAT_ND; }

    static c10::SmallVector<int64_t, 5> get_tensor_desc_base_sizes(const at::Tensor& tensor) {
        return {tensor.sizes().begin(), tensor.sizes().end()};
    }

    /// The number that ACL has for an element type of PyTorch, as in public tables of aclDataType.
    static aclDataType convert_to_acl_data_type(at::ScalarType type) {
        for (const auto& [ours, theirs] : types()) {
            if (ours == type) {
                return theirs;
            }
        }
        return ACL_DT_UNDEFINED;
    }

    static aclDataType convert_to_acl_data_type(at::ScalarType type, const std::string& /*why*/) {
        return convert_to_acl_data_type(type);
    }

    static at::ScalarType convert_to_scalar_type(aclDataType type) {
        for (const auto& [ours, theirs] : types()) {
            if (theirs == type) {
                return ours;
            }
        }
        return at::kByte;  // of those that PyTorch has not, the bytes
    }

    /// How products of single precision may be rounded: 0 not at all, 1 to HF32; -1 where nobody says.
    static int8_t get_cube_math_type(bool allow_hf32) { return allow_hf32 ? 1 : 0; }

    static int8_t get_cube_math_type() { return -1; }

    static at::Tensor unsafe_empty_workspace(uint64_t bytes) {
        return at::empty({static_cast<int64_t>(bytes)}, at::TensorOptions().dtype(at::kByte));
    }

private:
    static c10::IntArrayRef extents(c10::IntArrayRef sizes) { return sizes; }

    static c10::IntArrayRef extents(const at::Tensor& like) { return like.sizes(); }

    template <class First>
    static c10::IntArrayRef extents(const First& /*like*/, c10::IntArrayRef sizes) {
        return sizes;
    }

    static const std::vector<std::pair<at::ScalarType, aclDataType>>& types() {
        static const std::vector<std::pair<at::ScalarType, aclDataType>> all{
            {at::kByte, ACL_UINT8},
            {at::kChar, ACL_INT8},
            {at::kShort, ACL_INT16},
            {at::kInt, ACL_INT32},
            {at::kLong, ACL_INT64},
            {at::kHalf, ACL_FLOAT16},
            {at::kFloat, ACL_FLOAT},
            {at::kDouble, ACL_DOUBLE},
            {at::kBool, ACL_BOOL},
            {at::kBFloat16, ACL_BF16},
            {at::kComplexHalf, static_cast<aclDataType>(33)},
            {at::kComplexFloat, static_cast<aclDataType>(16)},
            {at::kComplexDouble, static_cast<aclDataType>(17)},
            {at::kQInt8, ACL_INT8},
            {at::kQUInt8, ACL_UINT8},
            {at::kQInt32, ACL_INT32}};
        return all;
    }
};

/// Launches that an extension wraps are called at once; operators by name are not there.
class OpCommand {
public:
    OpCommand& Name(const std::string& name) {
        name_ = name;
        return *this;
    }

    template <class... A>
    OpCommand& Input(A&&... /*a*/) {
        return *this;
    }

    template <class... A>
    OpCommand& Output(A&&... /*a*/) {
        return *this;
    }

    template <class... A>
    OpCommand& Attr(A&&... /*a*/) {
        return *this;
    }

    template <class Function>
    OpCommand& SetCustomHandler(Function function) {
        handler_ = function;
        return *this;
    }

    void Run() {
        if (!handler_) {
            throw std::runtime_error{
                "OpCommand: the operator '" + name_ +
                "' of the vendor's library is not in AscendSim; only kernels of one's own are run"};
        }
        check(name_, handler_());
    }

    template <class Function>
    static void RunOpApi(const std::string& name, Function function, bool /*sync*/ = false) {
        check(name, function());
    }

    template <class Function>
    static void RunOpApiV2(const std::string& name, const Function& function, bool /*sync*/ = false) {
        check(name, function());
    }

private:
    static void check(const std::string& name, int code) {
        if (code != 0) {
            throw std::runtime_error{"OpCommand '" + name + "': its function returns error " +
                                     std::to_string(code)};
        }
    }

    std::string name_;
    std::function<int()> handler_;
};

}  // namespace native
}  // namespace at_npu

namespace torch_npu {
namespace utils {
inline c10::DeviceType get_npu_device_type() {
    return c10::DeviceType::CPU;
}

inline bool is_npu(const at::Tensor& /*tensor*/) {
    return true;
}

inline bool is_npu(const at::Device& /*device*/) {
    return true;
}

inline bool is_npu(const at::TensorOptions& /*options*/) {
    return true;
}
}  // namespace utils
}  // namespace torch_npu
