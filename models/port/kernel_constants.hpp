// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// Where a constant of the kernel's own code that `pointer` leads to lies in global memory: on the chip its
/// tables (`static const __gm__`) are part of the image that is loaded there. The image's constants are
/// copied when a kernel first asks. Other pointers come back as they are. The same pointer has one answer,
/// which lets the kernel's own code be optimised as if there were no call.
[[nodiscard, gnu::const]] const void* constant_in_global_memory(const void* pointer);

/// The address in global memory of what a kernel takes for one.
template <class T>
[[nodiscard]] T* global_address(T* pointer) {
    if (CorePort::current().global().owns(pointer)) [[likely]] {
        return pointer;
    }
    return static_cast<T*>(const_cast<void*>(constant_in_global_memory(pointer)));
}

}  // namespace ascendsim::isa
