// SPDX-License-Identifier: Apache-2.0
// What the Matmul objects of one cube core share: who has finished with which buffer, told by event flags.
#pragma once

#include <exception>
#include <memory>

#include "kernels/ascendc/ascendc/cube.h"

namespace AscendC::matmul_detail {

/// Announcements from one pipe to another, in order: the n-th Raise is waited for by Await(n). At most
/// `count` are under way, each with its own flag, so that set and wait always pair.
template <HardEvent event, uint32_t count>
class Tokens {
public:
    /// Takes the flags from the pipe, so that queues of the kernel get others.
    void Take(TPipe& pipe, Site site) {
        for (TEventID& id : ids_) {
            id = pipe.AllocEventID(event, site);
        }
    }

    /// Announces that the source pipe's earlier work is done; returns how many announcements there have been.
    uint64_t Raise() {
        if (raised_ - taken_ == count) {
            WaitForOne();
        }
        SetFlag<event>(ids_[raised_ % count]);
        return ++raised_;
    }

    /// Lets the destination pipe wait until `number` announcements have come.
    void Await(uint64_t number) {
        while (taken_ < number && taken_ < raised_) {
            WaitForOne();
        }
    }

    void Drain() { Await(raised_); }

    [[nodiscard]] uint64_t raised() const { return raised_; }

private:
    void WaitForOne() {
        WaitFlag<event>(ids_[taken_ % count]);
        ++taken_;
    }

    uint64_t raised_ = 0;
    uint64_t taken_ = 0;
    TEventID ids_[count]{};
};

/// The part of L1 that all Matmul objects of a core have. The vendor's objects all begin at one place and use
/// it in turn, so that kernels give each of them the whole of L1; here they do if they do not fit beside each
/// other.
struct ObjectsL1 {
    uint32_t start = 0;
    bool known = false;
    bool in_turn = false;
    const void* holder = nullptr;  // the object whose operands lie there

    /// Where the next object's `bytes` begin.
    uint32_t Take(TPipe& pipe, uint32_t bytes, Site site) {
        const auto used = static_cast<uint32_t>(pipe.GetQueueEndAddress(TPosition::A1));
        start = known ? start : used;
        known = true;
        const uint32_t capacity = ascendsim::isa::buffer_capacity(ascendsim::Memory::l1);
        if (bytes <= capacity - used || bytes > capacity - start) {
            return bytes == 0 ? used : pipe.Take(TPosition::A1, bytes, site);
        }
        in_turn = true;
        if (start + bytes > used) {
            static_cast<void>(pipe.Take(TPosition::A1, start + bytes - used, site));
        }
        return start;
    }
};

/// The buffers behind L1 that all Matmul objects of a core use in turn. Found again through a register of the
/// core.
class CubeCore {
public:
    CubeCore() = default;
    CubeCore(const CubeCore&) = delete;
    CubeCore& operator=(const CubeCore&) = delete;

    ~CubeCore() {
        if (ascendsim::isa::CorePort::running() && std::uncaught_exceptions() == 0) {
            Drain();
            Known() = 0;
        }
    }

    /// The running core's, made when the first object asks for it and kept as long as one holds it.
    static std::shared_ptr<CubeCore> Get(TPipe& pipe, Site site) {
        if (Known() != 0) {
            return reinterpret_cast<CubeCore*>(Known())->self_.lock();
        }
        auto core = std::make_shared<CubeCore>();
        core->self_ = core;
        core->TakeFlags(pipe, site);
        Known() = reinterpret_cast<uint64_t>(core.get());
        return core;
    }

    /// Waits for every announcement, so that no flag stays up.
    void Drain() {
        a_loaded.Drain();
        b_loaded.Drain();
        bias_loaded.Drain();
        a_read.Drain();
        b_read.Drain();
        bias_read.Drain();
        mmad_done.Drain();
        fixpipe_done.Drain();
        scales_read.Drain();
    }

    Tokens<HardEvent::MTE2_MTE1, 2> a_loaded;
    Tokens<HardEvent::MTE2_MTE1, 2> b_loaded;
    Tokens<HardEvent::MTE2_MTE1, 1> bias_loaded;
    Tokens<HardEvent::MTE1_MTE2, 2> a_read;
    Tokens<HardEvent::MTE1_MTE2, 2> b_read;
    Tokens<HardEvent::MTE1_MTE2, 1> bias_read;
    Tokens<HardEvent::M_MTE1, 2> mmad_done;
    Tokens<HardEvent::FIX_M, 2> fixpipe_done;
    Tokens<HardEvent::FIX_MTE2, 1> scales_read;
    ObjectsL1 l1;
    uint64_t steps = 0;    // loads of L0A and L0B
    uint64_t results = 0;  // blocks in L0C
    uint64_t freed[2]{};   // the announcement after which a buffer of L0C is free
    bool whole_a = false;  // the last step used the whole of L0A
    bool whole_b = false;
    bool whole_c = false;
    bool unit_flag = false;

    TEventID operands_ready[2]{};  // MTE1 to the cube
    TEventID result_ready = 0;     // the cube to Fixpipe
    TEventID scales_ready = 0;     // MTE2 to Fixpipe

private:
    void TakeFlags(TPipe& pipe, Site site) {
        a_loaded.Take(pipe, site);
        b_loaded.Take(pipe, site);
        bias_loaded.Take(pipe, site);
        a_read.Take(pipe, site);
        b_read.Take(pipe, site);
        bias_read.Take(pipe, site);
        mmad_done.Take(pipe, site);
        fixpipe_done.Take(pipe, site);
        scales_read.Take(pipe, site);
        operands_ready[0] = pipe.AllocEventID(HardEvent::MTE1_M, site);
        operands_ready[1] = pipe.AllocEventID(HardEvent::MTE1_M, site);
        result_ready = pipe.AllocEventID(HardEvent::M_FIX, site);
        scales_ready = pipe.AllocEventID(HardEvent::MTE2_FIX, site);
    }

    static constexpr std::size_t slot = 3;  // of Registers::user

    static uint64_t& Known() { return ascendsim::isa::CorePort::current().registers().user[slot]; }

    std::weak_ptr<CubeCore> self_;
};

}  // namespace AscendC::matmul_detail
