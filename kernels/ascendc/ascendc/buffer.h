// SPDX-License-Identifier: Apache-2.0
// TBuf and TBufPool: memory without, or with a lifetime of its own.
#pragma once

#include "kernels/ascendc/ascendc/pipe.h"

namespace AscendC {

/// A plain buffer without synchronisation.
template <TPosition pos = TPosition::LCM>
class TBuf {
public:
    static constexpr bool isTQue = false;
    static constexpr TPosition position = pos;

    void Attach(uint32_t address, uint32_t bytes) {
        address_ = address;
        bytes_ = bytes;
    }

    /// As of a queue; a plain buffer has one block and no state, so a pool's handle tells nothing.
    void InitStartBufHandle(TBufHandle, uint8_t, uint32_t bytes) { bytes_ = bytes; }

    template <typename Pool>
    void InitBufHandle(
        Pool*, uint32_t, TBufHandle, uint32_t address, uint32_t bytes, Site site = Site::here()) {
        Attach(address, bytes);
        NoticePlain(pos, address, bytes, site);
    }

    template <typename T>
    LocalTensor<T> Get() const {
        return LocalTensor<T>(TBuffAddr{bytes_, address_, nullptr, static_cast<uint8_t>(pos)});
    }

    template <typename T>
    LocalTensor<T> Get(uint32_t elements, Site site = Site::here()) const {
        return GetWithOffset<T>(elements, 0, site);
    }

    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t offset, Site site = Site::here()) const {
        const auto bytes = static_cast<uint32_t>(BytesOf<T>(elements));
        if (offset > bytes_ || bytes > bytes_ - offset) {
            ascendsim::isa::beyond_capacity(offset == 0 ? "Get" : "GetWithOffset",
                                            MemoryOf(pos),
                                            static_cast<uint8_t>(pos),
                                            bytes,
                                            offset,
                                            bytes_,
                                            site);
        }
        return LocalTensor<T>(TBuffAddr{bytes, address_ + offset, nullptr, static_cast<uint8_t>(pos)});
    }

    template <typename T>
    LocalTensor<T> AllocTensor() const {
        return Get<T>();
    }

    template <typename T>
    void FreeTensor(const LocalTensor<T>&) const {}

    template <typename T>
    bool EnQue(const LocalTensor<T>&) const {
        return true;
    }

    template <typename T>
    LocalTensor<T> DeQue() const {
        return Get<T>();
    }

    [[nodiscard]] uint32_t GetBufLen() const { return bytes_; }

    /// Where the buffer starts in its memory; it has one part, whatever the handle.
    [[nodiscard]] TBuffAddr GetBufferAddr(TBufHandle) const {
        return {bytes_, address_, nullptr, static_cast<uint8_t>(pos)};
    }

private:
    uint32_t address_ = 0;
    uint32_t bytes_ = 0;
};

/// Waits until the buffers of a pool are free again, and forgets them.
inline void DrainPool(TBufType* buffers, uint32_t count, Site site) {
    for (uint32_t i = 0; i < count; ++i) {
        TBufType& buffer = buffers[i];
        if (buffer.freeBufEvtID != INVALID_TEVENTID) {
            const EventPipes pipes = PipesOf(buffer.freeBufEvt);
            ascendsim::isa::wait_flag(
                pipes.source, pipes.destination, static_cast<uint32_t>(buffer.freeBufEvtID), site);
            GetTPipePtr()->Release(buffer.freeBufEvt, buffer.freeBufEvtID);
        }
        buffer = TBufType{};
    }
}

/// A part of a memory that is divided among queues and buffers of its own, again after each Reset.
template <TPosition pos, uint32_t bufIDSize = 4>
class TBufPool {
public:
    static constexpr TPosition position = pos;

    void Attach(uint32_t address, uint32_t bytes) {
        start_ = address;
        bytes_ = bytes;
        used_ = buffers_ = 0;
    }

    template <class Queue>
    bool InitBuffer(Queue& queue, uint8_t num, uint32_t len, Site site = Site::here()) {
        const uint32_t bytes = (len + 31U) / 32U * 32U;
        const uint32_t address = Take(bytes * num, site);
        if (buffers_ + num > max_buffers) {
            ascendsim::isa::kernel_fault(
                "TBufPool::InitBuffer", "a TBufPool holds up to 16 queue buffers", site);
        }
        for (uint8_t i = 0; i < num; ++i) {
            pool_[buffers_ + i] = TBufType{};
            pool_[buffers_ + i].address = address + i * bytes;
            pool_[buffers_ + i].dataLen = bytes;
        }
        queue.Attach(&pool_[buffers_], num, bytes);
        buffers_ += num;
        NoticeBuffers(MemoryOf(pos), address, num, bytes, site);
        return true;
    }

    template <class Buffer>
    bool InitBuffer(Buffer& buffer, uint32_t len, Site site = Site::here()) {
        const uint32_t bytes = (len + 31U) / 32U * 32U;
        const uint32_t address = Take(bytes, site);
        buffer.Attach(address, bytes);
        NoticePlain(pos, address, bytes, site);
        return true;
    }

    template <class Pool>
    bool InitBufPool(Pool& pool, uint32_t len, Site site = Site::here()) {
        return InitBuffer(pool, len, site);
    }

    template <class Pool, class Shared>
    bool InitBufPool(Pool& pool, uint32_t len, Shared& shared) {
        pool.Attach(shared.Start(), len);
        return true;
    }

    void Reset(Site site = Site::here()) {
        DrainPool(pool_, buffers_, site);
        used_ = buffers_ = 0;
    }

    [[nodiscard]] uint32_t Start() const { return start_; }

    [[nodiscard]] uint32_t Bytes() const { return bytes_; }

private:
    static constexpr uint32_t max_buffers = 16;

    uint32_t Take(uint32_t bytes, Site site) {
        if (used_ > bytes_ || bytes > bytes_ - used_) {
            ascendsim::isa::beyond_capacity(
                "InitBuffer", MemoryOf(pos), static_cast<uint8_t>(pos), bytes, used_, bytes_, site);
        }
        used_ += bytes;
        return start_ + used_ - bytes;
    }

    uint32_t start_ = 0;
    uint32_t bytes_ = 0;
    uint32_t used_ = 0;
    uint32_t buffers_ = 0;
    TBufType pool_[max_buffers];
};

/// What EXTERN_IMPL_BUFPOOL keeps: a part of a memory, how far the kernel has divided it, and blocks for its
/// queues.
template <uint32_t blocks>
struct OwnBufPool {
    uint32_t start = 0;
    uint32_t bytes = 0;
    uint32_t next = 0;
    uint8_t taken = 0;
    TBufType buffers[blocks];

    void Attach(uint32_t address, uint32_t length) {
        start = next = address;
        bytes = length;
        taken = 0;
    }

    void Reset(Site site) {
        DrainPool(buffers, taken < blocks ? taken : blocks, site);
        Attach(start, bytes);
    }

    TBufHandle Handle(uint8_t block, Site site) {
        if (block >= blocks) {
            ascendsim::isa::kernel_fault(
                "GetBufHandle", "the pool has no such block; EXTERN_IMPL_BUFPOOL says how many it has", site);
        }
        return reinterpret_cast<TBufHandle>(&buffers[block]);
    }

    void SetNext(uint32_t address, TPosition position, Site site) {
        if (address < start || address - start > bytes) {
            ascendsim::isa::beyond_capacity("InitBuffer",
                                            MemoryOf(position),
                                            static_cast<uint8_t>(position),
                                            address - next,
                                            next - start,
                                            bytes,
                                            site);
        }
        next = address;
    }
};

/// Makes a class a pool that divides its memory itself (API reference, EXTERN_IMPL_BUFPOOL and TBufPool): in
/// its InitBuffer it hands blocks to queues and buffers by InitStartBufHandle and InitBufHandle.
/// TPipe::InitBufPool gives it its memory.
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                                        \
public:                                                                                               \
    static constexpr AscendC::TPosition position = POSITION;                                          \
    void Attach(uint32_t address, uint32_t length) {                                                  \
        own_pool_.Attach(address, length);                                                            \
    }                                                                                                 \
    void Init() {                                                                                     \
        own_pool_ = {};                                                                               \
    }                                                                                                 \
    void Reset(ascendsim::Site site = ascendsim::Site::here()) {                                      \
        own_pool_.Reset(site);                                                                        \
    }                                                                                                 \
    AscendC::TBufHandle GetBufHandle(uint8_t block, ascendsim::Site site = ascendsim::Site::here()) { \
        return own_pool_.Handle(block, site);                                                         \
    }                                                                                                 \
    void SetCurAddr(uint32_t address, ascendsim::Site site = ascendsim::Site::here()) {               \
        own_pool_.SetNext(address, POSITION, site);                                                   \
    }                                                                                                 \
    uint32_t GetCurAddr() const {                                                                     \
        return own_pool_.next;                                                                        \
    }                                                                                                 \
    void SetCurBufSize(uint8_t taken) {                                                               \
        own_pool_.taken = taken;                                                                      \
    }                                                                                                 \
    uint8_t GetCurBufSize() const {                                                                   \
        return own_pool_.taken;                                                                       \
    }                                                                                                 \
    uint32_t Start() const {                                                                          \
        return own_pool_.start;                                                                       \
    }                                                                                                 \
    uint32_t Bytes() const {                                                                          \
        return own_pool_.bytes;                                                                       \
    }                                                                                                 \
                                                                                                      \
private:                                                                                              \
    AscendC::OwnBufPool<BUFID_SIZE> own_pool_

/// Hands out one memory from its start, without queues.
template <Hardware hardware>
class LocalMemAllocator {
public:
    template <TPosition position, typename T, uint32_t tileSize>
    LocalTensor<T> Alloc(Site site = Site::here()) {
        return Take<position, T>(tileSize, site);
    }

    template <typename T, uint32_t tileSize>
    LocalTensor<T> Alloc(Site site = Site::here()) {
        return Take<Default(), T>(tileSize, site);
    }

    template <TPosition position, typename T>
    LocalTensor<T> Alloc(uint32_t tileSize, Site site = Site::here()) {
        return Take<position, T>(tileSize, site);
    }

    template <typename T>
    LocalTensor<T> Alloc(uint32_t tileSize, Site site = Site::here()) {
        return Take<Default(), T>(tileSize, site);
    }

    [[nodiscard]] uint32_t GetCurAddr() const { return used_; }

private:
    static constexpr TPosition Default() {
        switch (hardware) {
            case Hardware::L1:
                return TPosition::A1;
            case Hardware::L0A:
                return TPosition::A2;
            case Hardware::L0B:
                return TPosition::B2;
            case Hardware::L0C:
                return TPosition::CO1;
            case Hardware::BIAS:
                return TPosition::C2;
            case Hardware::FIXBUF:
                return TPosition::C2PIPE2GM;
            default:
                return TPosition::VECCALC;
        }
    }

    template <TPosition position, typename T>
    LocalTensor<T> Take(uint32_t elements, Site site) {
        const auto bytes = static_cast<uint32_t>((BytesOf<T>(elements) + 31U) / 32U * 32U);
        const uint32_t capacity = ascendsim::isa::buffer_capacity(MemoryOf(position));
        if (bytes > capacity || used_ > capacity - bytes) {
            ascendsim::isa::beyond_capacity(
                "Alloc", MemoryOf(position), static_cast<uint8_t>(position), bytes, used_, capacity, site);
        }
        used_ += bytes;
        return LocalTensor<T>(position, used_ - bytes, elements);
    }

    uint32_t used_ = 0;
};

}  // namespace AscendC
