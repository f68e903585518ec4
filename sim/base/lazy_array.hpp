// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <sys/mman.h>

#include "sim/base/error.hpp"

namespace ascendsim {

/// A large zero-filled array whose pages the host provides as they are touched.
template <class T>
class LazyArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    /// Reserves `count` elements; throws UserError if the host refuses the address space.
    explicit LazyArray(std::size_t count) : count_{count} {
        if (count == 0) {
            return;
        }
        constexpr int protection = PROT_READ | PROT_WRITE;
        void* memory = mmap(nullptr, bytes(), protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            throw UserError{"the host cannot reserve {} bytes of address space; does 'ulimit -v' limit it?",
                            bytes()};
        }
        data_ = static_cast<T*>(memory);
    }

    LazyArray(const LazyArray&) = delete;
    LazyArray& operator=(const LazyArray&) = delete;

    ~LazyArray() {
        if (data_ != nullptr) {
            munmap(data_, bytes());
        }
    }

    [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }

    [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }

    [[nodiscard]] std::size_t size() const { return count_; }

    /// Back to all zero; gives the pages back.
    void clear() {
        if (data_ != nullptr) {
            madvise(data_, bytes(), MADV_DONTNEED);
        }
    }

private:
    [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }

    T* data_ = nullptr;
    std::size_t count_;
};

}  // namespace ascendsim
