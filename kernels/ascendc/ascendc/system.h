// SPDX-License-Identifier: Apache-2.0
// Identity of the core, events, atomics, data cache, workspace.
#pragma once

#include "kernels/ascendc/ascendc/buffer.h"
#include "kernels/ascendc/ascendc/queue.h"

namespace AscendC {

inline int64_t GetBlockIdx() {
    return ascendsim::isa::CorePort::current().identity().block;
}

inline int64_t GetBlockNum() {
    return ascendsim::isa::CorePort::current().identity().block_count;
}

inline int64_t GetSubBlockIdx() {
    return ascendsim::isa::CorePort::current().identity().sub_block;
}

inline int64_t GetSubBlockNum() {
    return ascendsim::isa::CorePort::current().identity().sub_blocks;
}

inline int64_t GetTaskRation() {
    return ascendsim::isa::CorePort::current().identity().task_ratio;
}

inline int64_t GetTaskRatio() {
    return GetTaskRation();
}

inline int64_t GetSystemCycle(Site site = Site::here()) {
    return static_cast<int64_t>(ascendsim::isa::CorePort::current().system_cycle(site));
}

inline void InitSocState() {}

/// Lets the next launch start before this one ends; launches run one after another here.
template <pipe_t pipe = PIPE_MTE3>
inline void SetNextTaskStart() {}

template <pipe_t pipe = PIPE_MTE2>
inline void WaitPreTaskEnd() {}

/// Frees and takes event flags through the kernel's TPipe.
template <HardEvent event>
inline TEventID FetchEventID() {
    return GetTPipePtr()->FetchEventID<event>();
}

inline constexpr ascendsim::isa::DataType NoAtomicType = ascendsim::isa::DataType::float32;

inline void SetAtomicRegister(ascendsim::isa::AtomicMode mode, ascendsim::isa::DataType type) {
    auto& registers = ascendsim::isa::CorePort::current().registers();
    registers.atomic = mode;
    registers.atomic_type = static_cast<uint8_t>(type);
}

template <typename T>
inline void SetAtomicAdd() {
    SetAtomicRegister(ascendsim::isa::AtomicMode::add, DataTypeOf<T>());
}

template <typename T>
inline void SetAtomicMax() {
    SetAtomicRegister(ascendsim::isa::AtomicMode::max, DataTypeOf<T>());
}

template <typename T>
inline void SetAtomicMin() {
    SetAtomicRegister(ascendsim::isa::AtomicMode::min, DataTypeOf<T>());
}

inline void SetAtomicNone() {
    SetAtomicRegister(ascendsim::isa::AtomicMode::none, NoAtomicType);
}

inline void DisableDmaAtomic() {
    SetAtomicNone();
}

template <AtomicDtype type, AtomicOp op>
inline void SetAtomicType() {
    using D = ascendsim::isa::DataType;
    constexpr D types[]{D::float32, D::float32, D::half, D::int16, D::int32, D::int8, D::bfloat16};
    SetAtomicRegister(
        type == AtomicDtype::ATOMIC_NONE ? ascendsim::isa::AtomicMode::none : ascendsim::isa::AtomicMode::add,
        types[static_cast<uint8_t>(type)]);
}

/// The element type of atomic writes; whether they add, SetAtomicAdd and relatives say.
template <typename T>
inline void SetAtomicType() {
    ascendsim::isa::CorePort::current().registers().atomic_type = static_cast<uint8_t>(DataTypeOf<T>());
}

template <AtomicDtype type, AtomicOp op>
inline void SetStoreAtomicConfig() {
    SetAtomicType<type, op>();
}

template <typename T, CacheLine entire, DcciDst destination = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor, Site = Site::here()) {
    ascendsim::isa::CorePort::current().clean_data_cache(tensor.GetPhyAddr(),
                                                         entire == CacheLine::ENTIRE_DATA_CACHE);
}

template <typename T, CacheLine entire, DcciDst destination = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const LocalTensor<T>&, Site = Site::here()) {}

/// Lets the line `cacheOffset` bytes from the start of `src` come into the data cache of the scalar unit.
template <typename T>
inline void DataCachePreload(const GlobalTensor<uint64_t>& src,
                             const T cacheOffset,
                             Site site = Site::here()) {
    ascendsim::isa::CorePort::current().preload_line(
        reinterpret_cast<const uint8_t*>(src.GetPhyAddr()) + cacheOffset, site);
}

inline void ICachePreLoad(const int64_t) {}

inline int64_t GetICachePreloadStatus() {
    return 0;
}

/// Global memory past the data cache.
template <typename T>
inline T ReadGmByPassDCache(__gm__ T* address, Site site = Site::here()) {
    ascendsim::isa::CorePort::current().clean_data_cache(address, false);
    ascendsim::isa::scalar_gm_access(address, sizeof(T), false, site);
    return *address;
}

template <typename T>
inline void WriteGmByPassDCache(__gm__ T* address, T value, Site site = Site::here()) {
    ascendsim::isa::scalar_gm_access(address, sizeof(T), true, site);
    *address = value;
    ascendsim::isa::CorePort::current().clean_data_cache(address, false);
}

/// Bits of the control register, of which 46, 47 and 59 have an effect (models/port/registers.hpp).
template <int8_t startBit, int8_t endBit>
inline int64_t GetCtrlSpr() {
    const uint64_t value = ascendsim::isa::CorePort::current().registers().control;
    constexpr uint64_t mask =
        endBit - startBit == 63 ? ~uint64_t{0} : (uint64_t{1} << (endBit - startBit + 1)) - 1;
    return static_cast<int64_t>((value >> startBit) & mask);
}

template <int8_t startBit, int8_t endBit>
inline void SetCtrlSpr(int64_t bits) {
    uint64_t& value = ascendsim::isa::CorePort::current().registers().control;
    constexpr uint64_t mask =
        endBit - startBit == 63 ? ~uint64_t{0} : (uint64_t{1} << (endBit - startBit + 1)) - 1;
    value = (value & ~(mask << startBit)) | ((static_cast<uint64_t>(bits) & mask) << startBit);
}

template <int8_t startBit, int8_t endBit>
inline void ResetCtrlSpr() {
    SetCtrlSpr<startBit, endBit>(0);
}

inline uint64_t GetProgramCounter() {
    return 0;
}

inline int64_t GetArchVersion() {
    return __NPU_ARCH__;
}

/// The framework's share at the start of a kernel's workspace, kept in a register of the core.
inline constexpr std::size_t workspace_register = 5;

inline __gm__ uint8_t* GetSysWorkSpacePtr() {
    return reinterpret_cast<uint8_t*>(
        ascendsim::isa::CorePort::current().registers().user[workspace_register]);
}

inline void SetSysWorkSpacePtr(GM_ADDR workspace) {
    ascendsim::isa::CorePort::current().registers().user[workspace_register] =
        reinterpret_cast<uint64_t>(workspace);
}

inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) {
    return workspace;
}

inline GM_ADDR GetUserWorkSpace(GM_ADDR workspace) {
    return workspace;
}

inline void SetSysWorkspace(GM_ADDR workspace) {
    SetSysWorkSpacePtr(workspace);
}

inline void SetSysWorkspaceForce(GM_ADDR workspace) {
    SetSysWorkSpacePtr(workspace);
}

template <typename... Args>
inline void Trap(Args...) {
    ascendsim::isa::kernel_fault("Trap", "the kernel stopped itself", Site{});
}

}  // namespace AscendC

using AscendC::GetTPipePtr;

/// The block. The vector cores of a mixed kernel share it with their cube core, where GetBlockIdx counts
/// them: block * get_subblockdim() + get_subblockid().
template <typename = void>
inline int64_t get_block_idx() {
    const ascendsim::isa::CoreIdentity& self = ascendsim::isa::CorePort::current().identity();
    return self.kind == ascendsim::CoreKind::aiv ? self.block / self.task_ratio : self.block;
}

namespace AscendC {

/// `uint32_t get_block_idx();`, as public headers declare it again: a function beside the template, under the
/// same symbol.
[[gnu::weak, gnu::used]] int64_t DeclaredBlockIndex() asm("_Z13get_block_idxv");

int64_t DeclaredBlockIndex() {
    return get_block_idx();
}

}  // namespace AscendC

inline int64_t get_block_num() {
    return AscendC::GetBlockNum();
}

inline int64_t get_subblockid() {
    return AscendC::GetSubBlockIdx();
}

inline int64_t get_subblockdim() {
    return AscendC::GetSubBlockNum();
}

/// The core's place among those of its kind on the chip.
inline int64_t get_coreid() {
    return ascendsim::isa::CorePort::current().identity().core;
}

/// The compiler's variables of these names.
struct BlockIndexVariable {
    operator int64_t() const { return get_block_idx(); }
};

struct BlockCountVariable {
    operator int64_t() const { return AscendC::GetBlockNum(); }
};

inline constexpr BlockIndexVariable block_idx;
inline constexpr BlockCountVariable block_num;
