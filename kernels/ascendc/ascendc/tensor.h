// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ascendc/ascendc/types.h"
#include "models/isa/sync/synchronise.hpp"
#include "models/port/core_port.hpp"
#include "models/port/kernel_constants.hpp"

namespace AscendC {

using TBufHandle = uint8_t*;
using TEventID = int8_t;
using TTagType = int32_t;

/// Where a LocalTensor lies: bytes, offset in its memory, its queue's buffer.
struct TBuffAddr {
    uint32_t dataLen = 0;
    uint32_t bufferAddr = 0;
    TBufHandle bufferHandle = nullptr;
    uint8_t logicPos = static_cast<uint8_t>(TPosition::VECCALC);
};

struct ShapeInfo {
    uint8_t shapeDim = 0;
    uint8_t originalShapeDim = 0;
    uint32_t shape[8]{};
    uint32_t originalShape[8]{};
    DataFormat dataFormat = DataFormat::ND;

    ShapeInfo() = default;

    ShapeInfo(uint8_t dim,
              const uint32_t* sizes,
              uint8_t original_dim,
              const uint32_t* original_sizes,
              DataFormat format)
        : ShapeInfo(dim, sizes, format) {
        originalShapeDim = original_dim;
        for (uint8_t i = 0; i < original_dim && i < 8; ++i) {
            originalShape[i] = original_sizes[i];
        }
    }

    ShapeInfo(uint8_t dim, const uint32_t* sizes, DataFormat format = DataFormat::ND)
        : shapeDim(dim), dataFormat(format) {
        for (uint8_t i = 0; i < dim && i < 8; ++i) {
            shape[i] = sizes[i];
        }
    }
};

template <typename T>
class LocalTensor;

/// What `dst = src0 + src1` and its like assign to dst. Operation::Store does it (tensor_operators.h).
template <class Operation, typename T>
struct TensorExpression {
    LocalTensor<T> left;
    LocalTensor<T> right;
    Site site;
};

/// The right side of an operator, and where in the kernel that stands.
template <typename T>
struct PlacedTensor {
    PlacedTensor(const LocalTensor<T>& which, Site where = Site::here()) : tensor(which), site(where) {}

    const LocalTensor<T>& tensor;
    Site site;
};

#define ASCENDSIM_TENSOR_OPERATOR(sign, name)                                                              \
    friend TensorExpression<struct TensorOperation##name, T> operator sign(const LocalTensor& left,        \
                                                                           const PlacedTensor<T>& right) { \
        return {left, right.tensor, right.site};                                                           \
    }

/// A tensor in one of the core's memories.
template <typename T>
class LocalTensor {
public:
    using PrimType = PrimT<T>;

    TBuffAddr address_;

    LocalTensor() = default;

    /// Says that the kernel made this tensor itself. Never inlined: what only an observer would look at is
    /// computed whether or not there is one, and the kernel's count of its steps does not depend on it.
    [[gnu::noinline]] static void NoticeRaw(ascendsim::isa::Local where, uint32_t bytes) {
        ascendsim::isa::CorePort::current().notice(ascendsim::isa::BufferNotice::raw, where, bytes, Site{});
    }

    LocalTensor(TPosition position, uint32_t offset, uint32_t elements)
        : address_{static_cast<uint32_t>(BytesOf<T>(elements)),
                   offset,
                   nullptr,
                   static_cast<uint8_t>(position)},
          home_(offset) {
        NoticeRaw(Where(), address_.dataLen);
    }

    explicit LocalTensor(TBuffAddr& address) : address_(address), home_(address.bufferAddr) {}

    explicit LocalTensor(const TBuffAddr& address) : address_(address), home_(address.bufferAddr) {}

    /// Says that the next instruction takes a tensor at `where` that was cut from one at byte `home` and lies
    /// beyond it. Never inlined, as NoticeRaw.
    [[gnu::noinline]] static void NoticeOutside(ascendsim::isa::Local where, uint32_t home) {
        ascendsim::isa::CorePort::current().notice(
            ascendsim::isa::BufferNotice::outside, where, home, Site{});
    }

    /// The same of a tensor without elements, if it lies beyond another or has never been given a place.
    [[gnu::noinline]] static void NoticeEmpty(uint32_t address, uint8_t position, uint32_t home) {
        const bool never_placed = address == 0 && position == TBuffAddr{}.logicPos;
        if (home != address && (home != ascendsim::isa::no_tensor || never_placed)) {
            NoticeOutside({MemoryOf(static_cast<TPosition>(position)), address}, home);
        }
    }

    ASCENDSIM_TENSOR_OPERATOR(+, Add)
    ASCENDSIM_TENSOR_OPERATOR(-, Sub)
    ASCENDSIM_TENSOR_OPERATOR(*, Mul)
    ASCENDSIM_TENSOR_OPERATOR(/, Div)
    ASCENDSIM_TENSOR_OPERATOR(&, And)
    ASCENDSIM_TENSOR_OPERATOR(|, Or)
    ASCENDSIM_TENSOR_OPERATOR(<, Less)
    ASCENDSIM_TENSOR_OPERATOR(>, Greater)
    ASCENDSIM_TENSOR_OPERATOR(<=, LessEqual)
    ASCENDSIM_TENSOR_OPERATOR(>=, GreaterEqual)

    // These have no place: with a right side to be converted, C++20 also tries them the other way round.
    friend TensorExpression<struct TensorOperationEqual, T> operator==(const LocalTensor& left,
                                                                       const LocalTensor& right) {
        return {left, right, Site{}};
    }

    friend TensorExpression<struct TensorOperationNotEqual, T> operator!=(const LocalTensor& left,
                                                                          const LocalTensor& right) {
        return {left, right, Site{}};
    }

    /// Does what the expression says on all elements of this tensor.
    template <class Operation, typename U>
    LocalTensor& operator=(const TensorExpression<Operation, U>& expression) {
        Operation::Store(*this, expression);
        return *this;
    }

    [[nodiscard]] LocalTensor operator[](uint32_t offset) const {
        LocalTensor result = *this;
        const auto bytes = static_cast<uint32_t>(BytesOf<T>(offset));
        result.address_.bufferAddr += bytes;
        result.address_.dataLen = bytes < address_.dataLen ? address_.dataLen - bytes : 0;
        return result;
    }

    /// A reference to an element; costs one scalar access.
    T& operator()(uint32_t offset) const {
        const ascendsim::isa::Local where{Memory(),
                                          address_.bufferAddr + static_cast<uint32_t>(BytesOf<T>(offset))};
        ascendsim::isa::scalar_buffer_reference(where, sizeof(T), Site{});
        return *reinterpret_cast<T*>(ascendsim::isa::CorePort::current().at(where));
    }

    [[nodiscard]] PrimType GetValue(uint32_t index, Site site = Site::here()) const {
        const ascendsim::isa::Local where = Element(index);
        if (!Present()) {
            return PrimType{};
        }
        ascendsim::isa::scalar_buffer_access(where, sizeof(T), false, site);
        if constexpr (std::is_same_v<T, int4b_t>) {
            const auto* pair =
                reinterpret_cast<const int4b_t*>(ascendsim::isa::CorePort::current().at(where));
            return int4b_t::pack(ascendsim::numbers::int4_at(pair, index % 2), 0);
        } else {
            return *reinterpret_cast<T*>(ascendsim::isa::CorePort::current().at(where));
        }
    }

    template <typename U>
    void SetValue(uint32_t index, const U value, Site site = Site::here()) const {
        const ascendsim::isa::Local where = Element(index);
        if (!Present()) {
            return;
        }
        ascendsim::isa::scalar_buffer_access(where, sizeof(T), true, site);
        if constexpr (std::is_same_v<T, int4b_t>) {
            auto* pair = reinterpret_cast<int4b_t*>(ascendsim::isa::CorePort::current().at(where));
            ascendsim::numbers::set_int4(pair, index % 2, value.low());
        } else {
            *reinterpret_cast<T*>(ascendsim::isa::CorePort::current().at(where)) = static_cast<T>(value);
        }
    }

    template <typename U>
    [[nodiscard]] LocalTensor<U> ReinterpretCast() const {
        return LocalTensor<U>(address_);
    }

    /// The address as a number, which kernels cast to a pointer; on the chip it has no other type either.
    [[nodiscard]] uint64_t GetPhyAddr() const { return GetPhyAddr(0); }

    [[nodiscard]] uint64_t GetPhyAddr(uint32_t offset) const {
        auto& core = ascendsim::isa::CorePort::current();
        return reinterpret_cast<uint64_t>(
            core.at({Memory(), address_.bufferAddr + static_cast<uint32_t>(BytesOf<T>(offset))}));
    }

    [[nodiscard]] uint64_t GetLocalBufferAddr() const { return address_.bufferAddr; }

    [[nodiscard]] int32_t GetPosition() const { return static_cast<int32_t>(address_.logicPos); }

    [[nodiscard]] uint32_t GetSize() const { return ElementsIn<T>(address_.dataLen); }

    [[nodiscard]] uint32_t GetLength() const { return address_.dataLen; }

    void SetSize(uint32_t elements) { address_.dataLen = static_cast<uint32_t>(BytesOf<T>(elements)); }

    template <typename U>
    void SetAddrWithOffset(LocalTensor<U>& source, uint32_t offset) {
        address_ = source.address_;
        address_.bufferAddr += static_cast<uint32_t>(BytesOf<T>(offset));
        home_ = address_.bufferAddr;
    }

    /// Places the tensor at an offset of its memory.
    void InitBuffer(uint32_t offset, uint32_t elements) {
        address_.bufferAddr = offset;
        address_.dataLen = static_cast<uint32_t>(BytesOf<T>(elements));
        home_ = offset;
    }

    void SetAddr(const TBuffAddr& address) {
        address_ = address;
        home_ = address.bufferAddr;
    }

    void SetAddr(uint32_t offset) {
        address_.bufferAddr = offset;
        home_ = offset;
    }

    void SetUserTag(TTagType tag) { tag_ = tag; }

    [[nodiscard]] TTagType GetUserTag() const { return tag_; }

    [[nodiscard]] TBufHandle GetBufferHandle() const { return address_.bufferHandle; }

    void SetShapeInfo(const ShapeInfo& shape) { shape_ = shape; }

    [[nodiscard]] ShapeInfo GetShapeInfo() const { return shape_; }

    void SetBufferLen(uint32_t bytes) { address_.dataLen = bytes; }

    void Print() const {}

    void Print(uint32_t) const {}

    /// The place of the tensor for an instruction.
    [[nodiscard]] ascendsim::Memory Memory() const {
        return MemoryOf(static_cast<TPosition>(address_.logicPos));
    }

    [[nodiscard, gnu::always_inline]] ascendsim::isa::Local Where() const { return {Memory(), Start()}; }

    /// The same within its memory.
    [[nodiscard]] uint32_t Start() const {
        if (address_.dataLen == 0) [[unlikely]] {
            NoticeEmpty(address_.bufferAddr, address_.logicPos, home_);
        }
        return address_.bufferAddr;
    }

private:
    /// The place of an element for the scalar unit.
    [[nodiscard]] ascendsim::isa::Local Element(uint32_t index) const {
        const auto bytes = static_cast<uint32_t>(BytesOf<T>(index));
        const ascendsim::isa::Local where{Memory(), address_.bufferAddr + bytes};
        if (bytes >= address_.dataLen && home_ != ascendsim::isa::no_tensor && Present()) [[unlikely]] {
            NoticeOutside(where, home_);
        }
        return where;
    }

    [[nodiscard]] bool Present() const {
        return Memory() == ascendsim::Memory::ub ? has_vector_unit : has_cube_unit;
    }

    TTagType tag_ = 0;
    uint32_t home_ = ascendsim::isa::no_tensor;  // where the tensor begins that this one was cut from
    ShapeInfo shape_;
};

#undef ASCENDSIM_TENSOR_OPERATOR

/// A tensor in global memory.
template <typename T>
class GlobalTensor {
public:
    using PrimType = PrimT<T>;

    __gm__ PrimType* address_ = nullptr;

    GlobalTensor() = default;

    /// `buffer` may also be a table of the kernel's own: `static const __gm__`.
    void SetGlobalBuffer(__gm__ PrimType* buffer, uint64_t elements) {
        address_ = ascendsim::isa::global_address(buffer);
        size_ = elements;
    }

    void SetGlobalBuffer(__gm__ PrimType* buffer) {
        address_ = ascendsim::isa::global_address(buffer);
        size_ = 0;
    }

    [[nodiscard]] const __gm__ PrimType* GetPhyAddr() const { return address_; }

    [[nodiscard]] __gm__ PrimType* GetPhyAddr(uint64_t offset) const {
        return address_ + BytesOf<T>(offset) / sizeof(PrimType);
    }

    [[nodiscard]] GlobalTensor operator[](uint64_t offset) const {
        GlobalTensor result = *this;
        result.address_ = GetPhyAddr(offset);
        result.size_ = size_ > offset ? size_ - offset : 0;
        return result;
    }

    __gm__ PrimType& operator()(uint64_t offset) const {
        ascendsim::isa::scalar_gm_reference(GetPhyAddr(offset), sizeof(PrimType), Site{});
        return *GetPhyAddr(offset);
    }

    [[nodiscard]] PrimType GetValue(uint64_t offset, Site site = Site::here()) const {
        ascendsim::isa::scalar_gm_access(GetPhyAddr(offset), sizeof(PrimType), false, site);
        return *GetPhyAddr(offset);
    }

    void SetValue(uint64_t offset, PrimType value, Site site = Site::here()) {
        ascendsim::isa::scalar_gm_access(GetPhyAddr(offset), sizeof(PrimType), true, site);
        *GetPhyAddr(offset) = value;
    }

    template <typename U>
    [[nodiscard]] GlobalTensor<U> ReinterpretCast() const {
        GlobalTensor<U> result;
        result.SetGlobalBuffer(reinterpret_cast<U*>(address_), ElementsIn<U>(BytesOf<T>(size_)));
        return result;
    }

    [[nodiscard]] uint64_t GetSize() const { return size_; }

    void SetSize(uint64_t elements) { size_ = elements; }

    template <CacheRwMode rw = CacheRwMode::RW>
    void SetL2CacheHint(CacheMode mode) {
        bypass_ = mode == CacheMode::CACHE_MODE_DISABLE;
    }

    [[nodiscard]] bool BypassesL2() const { return bypass_; }

    void SetShapeInfo(const ShapeInfo& shape) { shape_ = shape; }

    [[nodiscard]] ShapeInfo GetShapeInfo() const { return shape_; }

    void SetAddr(uint64_t offset) { address_ = GetPhyAddr(offset); }

private:
    uint64_t size_ = 0;
    bool bypass_ = false;
    ShapeInfo shape_;
};

}  // namespace AscendC
