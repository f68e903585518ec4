// SPDX-License-Identifier: Apache-2.0
// REGIST_MATMUL_OBJ: gives objects their pipe and tiling. In a kernel of both kinds of cores the cube core
// then serves the vector cores until they have ended, and leaves the kernel.
#pragma once

#include "kernels/ascendc/matmul/object.h"

namespace AscendC::matmul_detail {

// A restricted pointer is no pointer to the library's traits, but converts like one.
template <typename T>
inline constexpr bool is_tiling = std::is_convertible_v<T, const void*>;

template <typename T>
const TCubeTiling* TilingOf(const T* tiling) {
    return reinterpret_cast<const TCubeTiling*>(tiling);
}

inline const TCubeTiling* TilingOf(std::nullptr_t) {
    return nullptr;
}

template <class Each>
void ForEachObject(Each&) {}

/// Calls each(object, tiling, has_tiling) for objects with or without a tiling behind them.
template <class Each, class Object, class... Rest>
void ForEachObject(Each& each, Object& object, Rest&&... rest) {
    if constexpr (sizeof...(Rest) == 0) {
        each(object, nullptr, false);
    } else {
        ForEachRest(each, object, rest...);
    }
}

template <class Each, class Object, class First, class... Rest>
void ForEachRest(Each& each, Object& object, First& first, Rest&... rest) {
    if constexpr (is_tiling<First>) {
        each(object, TilingOf(first), true);
        ForEachObject(each, rest...);
    } else {
        each(object, nullptr, false);
        ForEachObject(each, first, rest...);
    }
}

/// Cube only: this core works itself.
template <class... Arguments>
bool RegisterCubeOnly(TPipe* pipe, Site site, Arguments&&... arguments) {
    if constexpr (has_cube_unit) {
        const ascendsim::isa::CallMark scope{site};
        uint8_t number = 0;
        auto each = [&](auto& object, const TCubeTiling* tiling, bool given) {
            object.Register(number++);
            if (given) {
                object.Adopt(tiling, *pipe, Site::here());
            }
        };
        ForEachObject(each, arguments...);
    }
    return false;
}

/// The cube core clears the messages of its group before it looks at them; the vector cores wait for that
/// before they send the first.
inline void ClearMessages(bool serves, Site site) {
    using namespace ascendsim::isa;
    if (!serves) {
        await_answer(ascendsim::Pipe::scalar, messages_cleared, site);
        return;
    }
    clear_messages(site);
    for (uint32_t sub = 0; sub < CorePort::current().identity().task_ratio; ++sub) {
        answer_message(ascendsim::Pipe::mte3, sub, messages_cleared, site);
    }
}

/// Both kinds of cores; true on the cube core once it has served.
template <class... Arguments>
bool RegisterMixed(TPipe* pipe, Site site, Arguments&&... arguments) {
    uint8_t number = 0;
    Server server;
    bool serves = has_cube_unit && !has_vector_unit;
    bool asks = has_vector_unit && !has_cube_unit;
    auto each = [&](auto& object, const TCubeTiling* tiling, bool given) {
        using Object = std::remove_reference_t<decltype(object)>;
        object.Register(number++);
        serves = serves && !Object::config.enableMixDualMaster;
        asks = asks && !Object::config.enableMixDualMaster;
        server.Add(Object::Root(object), &Object::Serve);
        if (given) {
            object.Adopt(tiling, *pipe, site);
        }
    };
    ForEachObject(each, arguments...);
    if (serves || asks) {
        ClearMessages(serves, site);
    }
    if (serves) {
        server.Run(site);
        auto end = [](auto& object, const TCubeTiling*, bool) { object.End(); };
        ForEachObject(end, arguments...);
    }
    return serves;
}

}  // namespace AscendC::matmul_detail

#ifdef ASCENDC_CUBE_ONLY
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                             \
    do {                                                                                     \
        static_cast<void>(workspace);                                                        \
        AscendC::matmul_detail::RegisterCubeOnly(tpipe, AscendC::Site::here(), __VA_ARGS__); \
    } while (false)
#else
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                                \
    do {                                                                                        \
        static_cast<void>(workspace);                                                           \
        if (AscendC::matmul_detail::RegisterMixed(tpipe, AscendC::Site::here(), __VA_ARGS__)) { \
            return;                                                                             \
        }                                                                                       \
    } while (false)
#endif

// Kernels pass it without a namespace.
using AscendC::GetSysWorkSpacePtr;

// Both namespaces name the same things.
namespace matmul {
using namespace AscendC;
}  // namespace matmul
