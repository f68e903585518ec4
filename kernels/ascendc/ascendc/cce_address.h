// SPDX-License-Identifier: Apache-2.0
// Pointers of the intrinsic layer as tensors of the API layer.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_call.h"

namespace AscendC {

/// A position in each memory, for tensors made of a pointer.
constexpr TPosition PositionIn(ascendsim::Memory memory) {
    using M = ascendsim::Memory;
    switch (memory) {
        case M::l1:
            return TPosition::A1;
        case M::l0a:
            return TPosition::A2;
        case M::l0b:
            return TPosition::B2;
        case M::l0c:
            return TPosition::CO1;
        case M::bias_table:
            return TPosition::C2;
        case M::fixpipe_buffer:
            return TPosition::C2PIPE2GM;
        default:
            return TPosition::VECCALC;
    }
}

/// Says that the next instruction takes a plain pointer: the chip's compiler then inserts no synchronisation.
/// Never inlined, so that a kernel's count of its steps does not depend on who looks.
[[gnu::noinline]] inline void NoticePointer(ascendsim::isa::Local where) {
    ascendsim::isa::CorePort::current().notice(ascendsim::isa::BufferNotice::pointer, where, 0, Site{});
}

/// The tensor that starts at `pointer`. A pointer made of a number is an offset in `memory`, as on the chip,
/// where each memory has its own addresses.
template <typename T>
inline LocalTensor<std::remove_cv_t<T>> TensorAt(T* pointer,
                                                 ascendsim::Memory memory = ascendsim::Memory::ub) {
    ascendsim::isa::Local where{memory, static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pointer))};
    if (const auto found = ascendsim::isa::CorePort::current().find_local(pointer); found.has_value()) {
        where = *found;
    }
    NoticePointer(where);
    const uint32_t capacity = ascendsim::isa::buffer_capacity(where.memory);
    return LocalTensor<std::remove_cv_t<T>>(TBuffAddr{capacity > where.offset ? capacity - where.offset : 0,
                                                      where.offset,
                                                      nullptr,
                                                      static_cast<uint8_t>(PositionIn(where.memory))});
}

/// The operands of intrinsics use the mask that the registers hold.
inline ascendsim::isa::VectorShape RegisterShape(uint32_t repeats) {
    return MaskShape<false>(uint64_t{0}, repeats);
}

}  // namespace AscendC
