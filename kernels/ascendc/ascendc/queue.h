// SPDX-License-Identifier: Apache-2.0
// TQueBind and TQue. AllocTensor waits until a buffer's last reader is done, EnQue raises the flag from
// producer to consumer, DeQue waits for it, FreeTensor raises the flag back.
#pragma once

#include "kernels/ascendc/ascendc/pipe.h"

namespace AscendC {

struct TQueConfig {
    bool nd2nz = false;
    bool nz2nd = false;
    bool scmBlockGroup = false;
    uint32_t bufferLen = 0;
    uint32_t bufferNumber = 0;
    uint32_t consumerSize = 0;
    TPosition consumer[8]{};
    bool enableStaticEvtId = false;
    bool enableLoopQueue = false;
};

/// The pipe that fills a buffer which comes from `src` and lies in `dst`.
constexpr ascendsim::Pipe ProducerPipe(TPosition src, TPosition dst) {
    using P = ascendsim::Pipe;
    switch (src) {
        case TPosition::GM:
        case TPosition::VECIN:
            return dst == TPosition::A2 || dst == TPosition::B2 ? P::mte2 : P::mte2;
        case TPosition::VECOUT:
        case TPosition::VECCALC:
        case TPosition::CO2:
            return P::vector;
        case TPosition::CO1:
            return P::cube;
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
            return P::mte1;
        default:
            return P::mte2;
    }
}

/// The pipe that reads a buffer on its way from `src` to `dst`.
constexpr ascendsim::Pipe ConsumerPipe(TPosition src, TPosition dst) {
    using P = ascendsim::Pipe;
    switch (dst) {
        case TPosition::GM:
            return src == TPosition::CO1 ? P::fixpipe : P::mte3;
        case TPosition::VECOUT:
            return P::mte3;
        case TPosition::VECIN:
        case TPosition::VECCALC:
            return P::vector;
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
        case TPosition::TSCM:
            return src == TPosition::VECOUT || src == TPosition::VECCALC ? P::mte3
                   : src == TPosition::CO1                               ? P::fixpipe
                                                                         : P::mte1;
        case TPosition::A2:
        case TPosition::B2:
        case TPosition::C2:
            return P::cube;
        case TPosition::CO2:
            return has_vector_unit && has_cube_unit ? P::vector : P::fixpipe;
        case TPosition::C2PIPE2GM:
        case TPosition::C2PIPE2LOCAL:
            return P::fixpipe;
        default:
            return P::vector;
    }
}

constexpr HardEvent EnQueEventOf(TPosition src, TPosition dst) {
    return EventBetween(ProducerPipe(src, dst), ConsumerPipe(src, dst));
}

constexpr HardEvent FreeEventOf(TPosition src, TPosition dst) {
    return EventBetween(ConsumerPipe(src, dst), ProducerPipe(src, dst));
}

/// A queue of buffers between the pipe that fills them and the pipe that reads them.
template <TPosition src, TPosition dst, int32_t depth = 1, auto mask = 0>
class TQueBind {
public:
    static constexpr bool isTQue = true;
    static constexpr TPosition srcPosition = src;
    static constexpr TPosition dstPosition = dst;
    /// The position whose memory holds the buffers.
    static constexpr TPosition position =
        src == TPosition::GM                                                          ? dst
        : dst == TPosition::GM || src == TPosition::VECIN || src == TPosition::VECOUT ? src
        : src == TPosition::CO1                                                       ? src
                                                                                      : dst;

    void Attach(TBufType* buffers, uint8_t num, uint32_t bytes) {
        buffers_ = buffers;
        num_ = num;
        bytes_ = bytes;
        cursor_ = head_ = queued_ = used_ = 0;
    }

    template <typename T>
    LocalTensor<T> AllocTensor(Site site = Site::here()) {
        return Tensor<T>(Alloc(site));
    }

    template <typename T>
    void AllocTensor(LocalTensor<T>& tensor, Site site = Site::here()) {
        tensor = Tensor<T>(Alloc(site));
    }

    TBufHandle AllocBuffer(Site site = Site::here()) { return reinterpret_cast<TBufHandle>(Alloc(site)); }

    template <typename T>
    bool EnQue(const LocalTensor<T>& tensor, Site site = Site::here()) {
        return Push(BufferOf(tensor, site), EnQueEventOf(src, dst), site);
    }

    template <TPosition srcUser, TPosition dstUser, typename T>
    bool EnQue(const LocalTensor<T>& tensor, Site site = Site::here()) {
        return Push(BufferOf(tensor, site), EnQueEventOf(srcUser, dstUser), site);
    }

    bool EnQue(TBufHandle handle, Site site = Site::here()) {
        return Push(reinterpret_cast<TBufType*>(handle), EnQueEventOf(src, dst), site);
    }

    template <typename T>
    LocalTensor<T> DeQue(Site site = Site::here()) {
        return Tensor<T>(Pop(site));
    }

    template <typename T>
    void DeQue(LocalTensor<T>& tensor, Site site = Site::here()) {
        tensor = Tensor<T>(Pop(site));
    }

    template <TPosition srcUser, TPosition dstUser, typename T>
    LocalTensor<T> DeQue(Site site = Site::here()) {
        return Tensor<T>(Pop(site));
    }

    TBufHandle DeQue(Site site = Site::here()) { return reinterpret_cast<TBufHandle>(Pop(site)); }

    template <typename T>
    void FreeTensor(LocalTensor<T>& tensor, Site site = Site::here()) {
        Free(BufferOf(tensor, site), site);
    }

    template <typename T>
    void FreeTensor(const LocalTensor<T>& tensor, Site site = Site::here()) {
        Free(BufferOf(tensor, site), site);
    }

    void FreeBuffer(TBufHandle handle, Site site = Site::here()) {
        Free(reinterpret_cast<TBufType*>(handle), site);
    }

    /// Waits for every flag of buffers that were freed.
    void FreeAllEvent(Site site = Site::here()) {
        for (uint8_t i = 0; i < num_; ++i) {
            AwaitFree(buffers_[i], ascendsim::isa::BufferStep::none, site);
        }
    }

    [[nodiscard]] bool HasTensorInQue() const { return queued_ > 0; }

    [[nodiscard]] int32_t GetTensorCountInQue() const { return queued_; }

    [[nodiscard]] bool VacantInQue() const { return depth == 0 || queued_ < depth; }

    [[nodiscard]] bool HasIdleBuffer() const { return used_ < num_; }

    [[nodiscard]] TBufState GetState(TBufHandle handle) const {
        return reinterpret_cast<TBufType*>(handle)->state;
    }

    /// For pools of the kernel's own: the queue has the `num` blocks of a pool from `start` on.
    void InitStartBufHandle(TBufHandle start, uint8_t num, uint32_t bytes) {
        Attach(reinterpret_cast<TBufType*>(start), num, bytes);
    }

    /// Block `index` of them, from 0, lies at `address`. The pool's handle, of the first or of that block,
    /// says no more.
    template <typename Pool>
    void InitBufHandle(
        Pool*, uint32_t index, TBufHandle, uint32_t address, uint32_t bytes, Site site = Site::here()) {
        buffers_[index].address = address;
        buffers_[index].dataLen = bytes;
        NoticeBuffers(MemoryOf(position), address, 1, bytes, site);
    }

private:
    static constexpr uint8_t ring = 64;

    [[nodiscard]] static uint32_t OpCycles() {
        return ascendsim::isa::CorePort::current().chip().scalar.queue_op_cycles;
    }

    template <typename T>
    LocalTensor<T> Tensor(TBufType* buffer) const {
        LocalTensor<T> tensor(TBuffAddr{buffer->dataLen,
                                        buffer->address,
                                        reinterpret_cast<TBufHandle>(buffer),
                                        static_cast<uint8_t>(position)});
        tensor.SetUserTag(buffer->userTag);
        return tensor;
    }

    // A tensor that lost its handle is found again by its address.
    template <typename T>
    TBufType* BufferOf(const LocalTensor<T>& tensor, Site site) const {
        auto* buffer = reinterpret_cast<TBufType*>(tensor.address_.bufferHandle);
        if (buffer != nullptr) {
            buffer->userTag = tensor.GetUserTag();
            return buffer;
        }
        for (uint8_t i = 0; i < num_; ++i) {
            if (tensor.address_.bufferAddr - buffers_[i].address < buffers_[i].dataLen) {
                return &buffers_[i];
            }
        }
        ascendsim::isa::kernel_fault("TQue", "the tensor is not of a queue", site);
    }

    static void Notice(ascendsim::isa::BufferNotice what, const TBufType& buffer, Site site) {
        ascendsim::isa::CorePort::current().notice(
            what, {MemoryOf(position), buffer.address}, buffer.dataLen, site);
    }

    [[nodiscard]] static ascendsim::isa::BufferNews News(ascendsim::isa::BufferStep step,
                                                         const TBufType& buffer,
                                                         ascendsim::Pipe holder = ascendsim::Pipe::scalar) {
        return NewsOf(step, position, buffer.address, buffer.dataLen, holder);
    }

    TBufType* Alloc(Site site) {
        for (uint8_t tried = 0; tried < num_; ++tried) {
            TBufType& buffer = buffers_[cursor_];
            cursor_ = cursor_ + 1 == num_ ? 0 : cursor_ + 1;
            if (buffer.state == TBufState::FREE) {
                buffer.state = TBufState::OCCUPIED;
                ++used_;
                Notice(ascendsim::isa::BufferNotice::live, buffer, site);
                if (!AwaitFree(buffer, ascendsim::isa::BufferStep::born, site)) {
                    ascendsim::isa::scalar_work(OpCycles(), site);
                    ascendsim::isa::buffer_news(
                        News(ascendsim::isa::BufferStep::born, buffer, ProducerPipe(src, dst)), site);
                }
                return &buffer;
            }
        }
        ascendsim::isa::kernel_fault("AllocTensor",
                                     num_ == 0 ? "the queue has no buffers; call InitBuffer first"
                                               : "all buffers of the queue are in use; FreeTensor one first",
                                     site);
    }

    bool AwaitFree(TBufType& buffer, ascendsim::isa::BufferStep step, Site site) {
        if (buffer.freeBufEvtID == INVALID_TEVENTID) {
            return false;
        }
        const EventPipes pipes = PipesOf(buffer.freeBufEvt);
        ascendsim::isa::wait_flag(pipes.source,
                                  pipes.destination,
                                  static_cast<uint32_t>(buffer.freeBufEvtID),
                                  site,
                                  OpCycles(),
                                  News(step, buffer));
        GetTPipePtr()->Release(buffer.freeBufEvt, buffer.freeBufEvtID);
        buffer.freeBufEvtID = INVALID_TEVENTID;
        return true;
    }

    bool Push(TBufType* buffer, HardEvent event, Site site) {
        if (buffer->state == TBufState::FREE || buffer->state == TBufState::ENQUE) {
            ascendsim::isa::kernel_fault("EnQue", "the tensor was freed, or is in the queue already", site);
        }
        if (depth > 0 && queued_ >= depth) {  // the chip's queue would forget one of those that wait
            ascendsim::isa::kernel_fault(
                "EnQue", "the queue holds as many tensors as its depth; DeQue one first", site);
        }
        buffer->state = TBufState::ENQUE;
        queue_[(head_ + queued_) % ring] = static_cast<uint8_t>(buffer - buffers_);
        ++queued_;
        buffer->enQueEvt = event;
        if (event != HardEvent::MAX && HasEvent(event) &&
            PipesOf(event).source != PipesOf(event).destination) {
            const EventPipes pipes = PipesOf(event);
            buffer->enQueEvtID = GetTPipePtr()->Alloc(event, site);
            ascendsim::isa::set_flag(pipes.source,
                                     pipes.destination,
                                     static_cast<uint32_t>(buffer->enQueEvtID),
                                     site,
                                     OpCycles(),
                                     News(ascendsim::isa::BufferStep::handed_over, *buffer));
        }
        return true;
    }

    TBufType* Pop(Site site) {
        if (queued_ == 0) {
            return PopAgain(site);
        }
        TBufType& buffer = buffers_[queue_[head_]];
        head_ = static_cast<uint8_t>((head_ + 1) % ring);
        --queued_;
        buffer.state = TBufState::DEQUE;
        const EventPipes pipes =
            PipesOf(buffer.enQueEvt == HardEvent::MAX ? HardEvent::V_V : buffer.enQueEvt);
        if (buffer.enQueEvtID != INVALID_TEVENTID) {
            ascendsim::isa::wait_flag(
                pipes.source, pipes.destination, static_cast<uint32_t>(buffer.enQueEvtID), site, OpCycles());
            GetTPipePtr()->Release(buffer.enQueEvt, buffer.enQueEvtID);
            buffer.enQueEvtID = INVALID_TEVENTID;
        } else if (HasPipe(pipes.source)) {
            ascendsim::isa::pipe_barrier(pipes.source, site);
        }
        return &buffer;
    }

    // A queue of depth 1 remembers one tensor and looks at nothing else, so that published kernels take it
    // several times (GroupedMatmulSwigluQuant of ops-transformer).
    TBufType* PopAgain(Site site) {
        TBufType& last = buffers_[queue_[(head_ + ring - 1) % ring]];
        if (depth != 1 || num_ == 0 || last.state != TBufState::DEQUE) {
            ascendsim::isa::kernel_fault("DeQue", "the queue is empty; EnQue comes first", site);
        }
        ascendsim::isa::taken_again(site);
        return &last;
    }

    void Free(TBufType* buffer, Site site) {
        if (buffer < buffers_ || buffer >= buffers_ + num_) {
            ascendsim::isa::kernel_fault("FreeTensor", "the tensor is of another queue", site);
        }
        if (buffer->state == TBufState::FREE) {
            ascendsim::isa::kernel_fault("FreeTensor", "the tensor was freed before", site);
        }
        constexpr HardEvent event = FreeEventOf(src, dst);
        buffer->state = TBufState::FREE;
        --used_;
        Notice(ascendsim::isa::BufferNotice::freed, *buffer, site);
        if constexpr (event != HardEvent::MAX && HasEvent(event) && event != HardEvent::V_V &&
                      event != HardEvent::FIX_FIX) {
            constexpr EventPipes pipes = PipesOf(event);
            buffer->freeBufEvt = event;
            buffer->freeBufEvtID = GetTPipePtr()->Alloc(event, site);
            ascendsim::isa::set_flag(pipes.source,
                                     pipes.destination,
                                     static_cast<uint32_t>(buffer->freeBufEvtID),
                                     site,
                                     OpCycles(),
                                     News(ascendsim::isa::BufferStep::died, *buffer));
        } else {
            ascendsim::isa::buffer_news(
                News(ascendsim::isa::BufferStep::died, *buffer, ConsumerPipe(src, dst)), site);
        }
    }

    TBufType* buffers_ = nullptr;
    uint32_t bytes_ = 0;
    uint8_t num_ = 0;
    uint8_t cursor_ = 0;
    uint8_t head_ = 0;
    uint8_t queued_ = 0;
    uint8_t used_ = 0;
    uint8_t queue_[ring]{};
};

constexpr TPosition QueueSource(TPosition position) {
    switch (position) {
        case TPosition::VECOUT:
        case TPosition::VECCALC:
        case TPosition::CO1:
        case TPosition::CO2:
            return position;
        case TPosition::A2:
            return TPosition::A1;
        case TPosition::B2:
            return TPosition::B1;
        case TPosition::C2:
        case TPosition::C2PIPE2GM:
            return TPosition::C1;
        default:
            return TPosition::GM;
    }
}

constexpr TPosition QueueDestination(TPosition position) {
    switch (position) {
        case TPosition::VECOUT:
        case TPosition::CO2:
            return TPosition::GM;
        case TPosition::CO1:
            return TPosition::CO2;
        default:
            return position;
    }
}

template <TPosition pos, int32_t depth = 1, auto mask = 0>
class TQue : public TQueBind<QueueSource(pos), QueueDestination(pos), depth, mask> {};

/// A queue in L1 that is filled by the vector core, or from global memory.
template <TPosition pos, int32_t depth = 1, auto mask = 0>
class TSCM : public TQueBind<pos, TPosition::TSCM, depth, mask> {};

}  // namespace AscendC
