// SPDX-License-Identifier: Apache-2.0
// Dynamic inputs: an address in global memory that stands for a list of tensors.
//
//   [offset of the pointers, B]  then for each tensor [dimensions : 32 | index : 32] [size]...  then the
//   pointers
//
// All in 64-bit words, as kernels read them by hand.
#pragma once

#include "kernels/ascendc/ascendc/tensor.h"

namespace AscendC {

/// One tensor of a list. The memory of its shape is the kernel's own, given by SetShapeAddr.
template <typename T>
class TensorDesc {
public:
    void SetShapeAddr(uint64_t* shape) { shape_ = shape; }

    [[nodiscard]] uint64_t GetDim() const { return dimensions_; }

    [[nodiscard]] uint64_t GetIndex() const { return index_; }

    [[nodiscard]] uint64_t GetShape(uint32_t at) const { return shape_ != nullptr ? shape_[at] : 0; }

    [[nodiscard]] __gm__ T* GetDataPtr() const { return data_; }

    [[nodiscard]] GlobalTensor<T> GetDataObj() const {
        GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(data_);
        return tensor;
    }

private:
    friend class ListTensorDesc;

    uint64_t* shape_ = nullptr;
    uint64_t dimensions_ = 0;
    uint64_t index_ = 0;
    __gm__ T* data_ = nullptr;
};

/// Reads such a list.
class ListTensorDesc {
public:
    ListTensorDesc() = default;

    explicit ListTensorDesc(__gm__ void* data, uint32_t = 0xffffffffU, uint32_t = 0xffffffffU) { Init(data); }

    void Init(__gm__ void* data, uint32_t = 0xffffffffU, uint32_t = 0xffffffffU) {
        words_ = static_cast<const __gm__ uint64_t*>(data);
    }

    [[nodiscard]] uint32_t GetSize(Site site = Site::here()) const {
        const uint64_t pointers = Word(0, site) / sizeof(uint64_t);
        uint32_t count = 0;
        for (uint64_t at = 1; at < pointers; at += 1 + (Word(at, site) & 0xffffffffU)) {
            ++count;
        }
        return count;
    }

    template <typename T>
    [[nodiscard]] __gm__ T* GetDataPtr(uint32_t index, Site site = Site::here()) const {
        const uint64_t pointers = Word(0, site) / sizeof(uint64_t);
        return reinterpret_cast<T*>(Word(pointers + index, site));
    }

    template <typename T>
    void GetDesc(TensorDesc<T>& desc, uint32_t index, Site site = Site::here()) const {
        uint64_t at = 1;
        for (uint32_t i = 0; i < index; ++i) {
            at += 1 + (Word(at, site) & 0xffffffffU);
        }
        desc.dimensions_ = Word(at, site) & 0xffffffffU;
        desc.index_ = Word(at, site) >> 32U;
        for (uint64_t i = 0; desc.shape_ != nullptr && i < desc.dimensions_; ++i) {
            desc.shape_[i] = Word(at + 1 + i, site);
        }
        desc.data_ = GetDataPtr<T>(index, site);
    }

private:
    [[nodiscard]] uint64_t Word(uint64_t at, Site site) const {
        ascendsim::isa::scalar_gm_access(words_ + at, sizeof(uint64_t), false, site);
        return words_[at];
    }

    const __gm__ uint64_t* words_ = nullptr;
};

}  // namespace AscendC
