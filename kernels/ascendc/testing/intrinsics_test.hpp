// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <gtest/gtest.h>

#include "models/port/testing/plain_core.hpp"

namespace ascendsim::isa {

/// A test of intrinsics: a chip, and a memory whose tensors kernels take as arguments.
class IntrinsicsTest : public testing::Test {
protected:
    template <class T>
    T* tensor(const char* name, std::uint32_t n) {
        return reinterpret_cast<T*>(memory.allocate(name, n * sizeof(T)));
    }

    template <class T>
    static std::uint8_t* bytes(T* values) {
        return reinterpret_cast<std::uint8_t*>(values);
    }

    ChipSpec chip;
    GlobalMemory memory{1U << 26U};
};

}  // namespace ascendsim::isa
