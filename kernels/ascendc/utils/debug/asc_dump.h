// SPDX-License-Identifier: Apache-2.0
// Prints of what lies at an address, by the names of the C interface. Off with ASCENDC_DUMP=0.
#pragma once

#include "kernel_operator.h"

/// Prints the first `dump_size` elements at `input`, wherever it lies, with the number that names the call.
template <typename T>
inline void asc_dump(const T* input, uint32_t desc, uint32_t dump_size) {
#if !defined(ASCENDC_DUMP) || ASCENDC_DUMP != 0
    std::fprintf(stderr, "asc_dump %u, block %lld: ", desc, static_cast<long long>(AscendC::GetBlockIdx()));
    for (uint32_t i = 0; i < dump_size; ++i) {
        AscendC::PrintValue(input[i]);
    }
    std::fputc('\n', stderr);
#endif
}

/// The same in global memory.
template <typename T>
inline void asc_dump_gm(const T* input, uint32_t desc, uint32_t dump_size) {
    asc_dump<T>(input, desc, dump_size);
}

/// The same in the unified buffer.
template <typename T>
inline void asc_dump_ubuf(const T* input, uint32_t desc, uint32_t dump_size) {
    asc_dump<T>(input, desc, dump_size);
}

/// The same in L1.
template <typename T>
inline void asc_dump_l1buf(const T* input, uint32_t desc, uint32_t dump_size) {
    asc_dump<T>(input, desc, dump_size);
}

/// The same in L0C.
template <typename T>
inline void asc_dump_cbuf(const T* input, uint32_t desc, uint32_t dump_size) {
    asc_dump<T>(input, desc, dump_size);
}
