// SPDX-License-Identifier: Apache-2.0
// TPipe: the buffers and event flags of one core's program.
#pragma once

#include <algorithm>
#include <exception>
#include <iterator>
#include <string_view>

#include "kernels/ascendc/ascendc/sync.h"
#include "models/port/kernel_fault.hpp"

namespace AscendC {

enum class TBufState : uint8_t { FREE = 0, OCCUPIED, ENQUE, DEQUE };

/// One buffer of a queue, and the flags that will say when it may be used again.
struct TBufType {
    TBufState state = TBufState::FREE;
    HardEvent enQueEvt = HardEvent::MAX;
    HardEvent freeBufEvt = HardEvent::MAX;
    TEventID enQueEvtID = INVALID_TEVENTID;
    TEventID freeBufEvtID = INVALID_TEVENTID;
    uint32_t address = 0;
    uint32_t dataLen = 0;
    TTagType userTag = -1;
};

inline ascendsim::Memory MemoryOfHandle(TPosition position) {
    return MemoryOf(position);
}

/// What the recording is told of a buffer.
inline ascendsim::isa::BufferNews NewsOf(ascendsim::isa::BufferStep step,
                                         TPosition position,
                                         uint32_t address,
                                         uint32_t bytes,
                                         ascendsim::Pipe holder = ascendsim::Pipe::scalar) {
    return {.step = step,
            .position = static_cast<uint8_t>(position),
            .where = {MemoryOf(position), address},
            .bytes = bytes,
            .holder = holder};
}

/// Says that a plain buffer of `bytes` is there, to live as long as its TPipe.
inline void NoticePlain(TPosition position, uint32_t address, uint32_t bytes, Site site) {
    ascendsim::isa::CorePort::current().notice(
        ascendsim::isa::BufferNotice::live, {MemoryOf(position), address}, bytes, site);
    ascendsim::isa::buffer_news(NewsOf(ascendsim::isa::BufferStep::born, position, address, bytes), site);
}

/// Says that a queue got `num` buffers of `bytes`.
inline void NoticeBuffers(
    ascendsim::Memory memory, uint32_t address, uint8_t num, uint32_t bytes, Site site) {
    for (uint32_t i = 0; i < num; ++i) {
        ascendsim::isa::CorePort::current().notice(
            ascendsim::isa::BufferNotice::reserved, {memory, address + i * bytes}, bytes, site);
    }
}

/// Hands out the memories and the event flags of one core. One lives per kernel; GetTPipePtr finds it.
class TPipe {
public:
    /// Its own instructions belong to the line that makes it, faults of its end too.
    TPipe(Site site = Site::here()) : site_{site} { Init(site); }

    /// Libraries hand the object that holds their destroyed pipe on by value; a pipe in use stays where it
    /// is.
    TPipe(const TPipe& other, Site site = Site::here()) : site_{site}, destroyed_{true} {
        if (!other.destroyed_) {
            ascendsim::isa::kernel_fault(
                "TPipe", "a TPipe that holds buffers is copied; pass it by pointer or by reference", site);
        }
    }

    /// Takes memory and flags behind what the other has taken; queues of the other stay with it.
    TPipe& operator=(const TPipe& other) {
        std::copy(std::begin(other.used_), std::end(other.used_), std::begin(used_));
        std::copy(std::begin(other.events_), std::end(other.events_), std::begin(events_));
        used_any_ = other.used_any_;
        destroyed_ = other.destroyed_;
        return *this;
    }

    ~TPipe() noexcept(false) {
        if (!destroyed_ && std::uncaught_exceptions() == 0) {
            const ascendsim::isa::CallScope scope{site_};
            Destroy();  // at our line: its barrier is not the kernel's to leave out
        }
    }

    void Init(Site site = Site::here()) {
        auto& core = ascendsim::isa::CorePort::current();
        core.framework = this;
        Reset(site);
        ascendsim::isa::scalar_work(core.chip().scalar.init_cycles, site);
        core.touch_stack(core.chip().scalar.pipe_lines, site);
    }

    /// Gives `queue` `num` buffers of `len` bytes, rounded up to 32. Says so when they do not fit.
    template <class Queue>
    bool InitBuffer(Queue& queue, uint8_t num, uint32_t len, Site site = Site::here()) {
        const uint32_t bytes = (len + 31U) / 32U * 32U;
        const uint32_t address = Take(Queue::position, bytes * num, site);
        if (buffers_ + num > max_buffers) {
            ascendsim::isa::kernel_fault("InitBuffer", "a TPipe holds up to 64 queue buffers", site);
        }
        for (uint8_t i = 0; i < num; ++i) {
            pool_[buffers_ + i] = TBufType{};
            pool_[buffers_ + i].address = address + i * bytes;
            pool_[buffers_ + i].dataLen = bytes;
        }
        queue.Attach(&pool_[buffers_], num, bytes);
        buffers_ += num;
        NoticeBuffers(MemoryOf(Queue::position), address, num, bytes, site);
        return true;
    }

    /// Gives a TBuf `len` bytes, rounded up to 32.
    template <class Buffer>
    bool InitBuffer(Buffer& buffer, uint32_t len, Site site = Site::here()) {
        const uint32_t bytes = (len + 31U) / 32U * 32U;
        const uint32_t address = Take(Buffer::position, bytes, site);
        buffer.Attach(address, bytes);
        NoticePlain(Buffer::position, address, bytes, site);
        return true;
    }

    /// Gives a TBufPool, or a pool of the kernel's own, `len` bytes (rounded up to 32) of the memory of its
    /// position.
    template <class Pool>
    bool InitBufPool(Pool& pool, uint32_t len, Site site = Site::here()) {
        const uint32_t bytes = (len + 31U) / 32U * 32U;
        pool.Attach(Take(Pool::position, bytes, site, "InitBufPool"), bytes);
        return true;
    }

    /// The same in the memory that `shared` has already: both divide it, one after the other.
    template <class Pool, class Shared>
    bool InitBufPool(Pool& pool, uint32_t len, Shared& shared, Site site = Site::here()) {
        static_assert(MemoryOf(Pool::position) == MemoryOf(Shared::position),
                      "pools that share lie in one memory");
        if (len > shared.Bytes()) {
            ascendsim::isa::kernel_fault(
                "InitBufPool", "a pool that shares another's memory must not be larger than it", site);
        }
        pool.Attach(shared.Start(), len);
        return true;
    }

    /// Waits for what is still under way and forgets every buffer. Tensors taken before stay usable:
    /// libraries take all of a memory, destroy the pipe and divide it themselves.
    void Destroy(Site site = Site::here()) {
        for (uint32_t i = 0; i < buffers_; ++i) {
            Drain(pool_[i], site);
        }
        ascendsim::isa::barrier_all(site);
        destroyed_ = true;
        Forget();
        // From here on the kernel divides memory itself: no range of it belongs to a buffer or to none.
        for (uint8_t memory = 0; memory < ascendsim::memory_count; ++memory) {
            ascendsim::isa::CorePort::current().notice(
                ascendsim::isa::BufferNotice::raw, {static_cast<ascendsim::Memory>(memory), 0}, 0, site);
        }
    }

    /// Forgets every buffer, so that InitBuffer starts anew.
    void Reset(Site site = Site::here()) {
        for (uint32_t i = 0; i < buffers_; ++i) {
            Drain(pool_[i], site);
        }
        Forget();
    }

    template <HardEvent event>
    TEventID AllocEventID(Site site = Site::here()) {
        return Alloc(event, site);
    }

    template <HardEvent event>
    void ReleaseEventID(TEventID id) {
        Release(event, id);
    }

    /// The id that AllocEventID would give, without taking it.
    template <HardEvent event>
    TEventID FetchEventID() {
        return Lowest(event);
    }

    TEventID FetchEventID(HardEvent event) { return Lowest(event); }

    TEventID AllocEventID(HardEvent event, Site site = Site::here()) { return Alloc(event, site); }

    void ReleaseEventID(HardEvent event, TEventID id) { Release(event, id); }

    template <TPosition position>
    [[nodiscard]] TBuffAddr GetAbsAddr(int32_t offset, int32_t bytes) const {
        return {static_cast<uint32_t>(bytes),
                static_cast<uint32_t>(offset),
                nullptr,
                static_cast<uint8_t>(position)};
    }

    template <TPosition position, typename T>
    [[nodiscard]] LocalTensor<T> GetAbsAddr(int32_t offset, int32_t elements) const {
        return LocalTensor<T>(position, static_cast<uint32_t>(offset), static_cast<uint32_t>(elements));
    }

    /// Bytes still free in the memory of `position`.
    [[nodiscard]] uint64_t GetQueueEndAddress(TPosition position) const {
        return used_[ascendsim::index(MemoryOf(position))];
    }

    /// Takes `bytes` of the memory of `position`; notes both figures when they are not there, as `call`.
    uint32_t Take(TPosition position, uint32_t bytes, Site site, std::string_view call = "InitBuffer") {
        const ascendsim::Memory memory = MemoryOf(position);
        uint32_t& used = used_[ascendsim::index(memory)];
        const uint32_t capacity = ascendsim::isa::buffer_capacity(memory);
        if (bytes > capacity || used > capacity - bytes) {
            ascendsim::isa::beyond_capacity(
                call, memory, static_cast<uint8_t>(position), bytes, used, capacity, site);
        }
        const uint32_t address = used;
        used += bytes;
        used_any_ = true;
        return address;
    }

    TEventID Alloc(HardEvent event, Site site) {
        const TEventID id = Lowest(event);
        if (id >= max_events) {
            ascendsim::isa::kernel_fault(
                "AllocEventID", "all 8 event flags of this pair of pipes are taken", site);
        }
        events_[static_cast<uint8_t>(event)] |= static_cast<uint8_t>(1U << id);
        return id;
    }

    void Release(HardEvent event, TEventID id) {
        events_[static_cast<uint8_t>(event)] &= static_cast<uint8_t>(~(1U << id));
    }

private:
    static constexpr uint32_t max_buffers = 64;
    static constexpr TEventID max_events = 8;

    [[nodiscard]] TEventID Lowest(HardEvent event) const {
        const uint8_t taken = events_[static_cast<uint8_t>(event)];
        return static_cast<TEventID>(__builtin_ctz(~static_cast<unsigned>(taken)));
    }

    void Drain(TBufType& buffer, Site site) {
        if (buffer.enQueEvtID != INVALID_TEVENTID) {
            const EventPipes pipes = PipesOf(buffer.enQueEvt);
            ascendsim::isa::wait_flag(
                pipes.source, pipes.destination, static_cast<uint32_t>(buffer.enQueEvtID), site);
        }
        if (buffer.freeBufEvtID != INVALID_TEVENTID) {
            const EventPipes pipes = PipesOf(buffer.freeBufEvt);
            ascendsim::isa::wait_flag(
                pipes.source, pipes.destination, static_cast<uint32_t>(buffer.freeBufEvtID), site);
        }
        buffer = TBufType{};
    }

    void Forget() {
        ascendsim::isa::CorePort::current().notice(ascendsim::isa::BufferNotice::forgotten, {}, 0, Site{});
        if (used_any_) {
            ascendsim::isa::buffer_news({.step = ascendsim::isa::BufferStep::forgotten}, Site{});
        }
        used_any_ = false;
        buffers_ = 0;
        for (uint32_t& used : used_) {
            used = 0;
        }
        for (uint8_t& taken : events_) {
            taken = 0;
        }
    }

    TBufType pool_[max_buffers];
    uint32_t buffers_ = 0;
    uint32_t used_[ascendsim::memory_count]{};
    uint8_t events_[static_cast<uint8_t>(HardEvent::MAX)]{};
    Site site_;
    bool used_any_ = false;
    bool destroyed_ = false;
};

inline TPipe* GetTPipePtr(Site site = Site::here()) {
    auto* pipe = static_cast<TPipe*>(ascendsim::isa::CorePort::current().framework);
    if (pipe == nullptr) {
        ascendsim::isa::kernel_fault("GetTPipePtr", "the kernel has not made a TPipe yet", site);
    }
    return pipe;
}

}  // namespace AscendC
