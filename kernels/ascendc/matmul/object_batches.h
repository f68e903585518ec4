// SPDX-License-Identifier: Apache-2.0
// The batch calls of a Matmul object.
#pragma once

#include "kernels/ascendc/matmul/object_results.h"

namespace AscendC::matmul_detail {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE, const auto& MM_CFG, class MM_CB>
class ObjectBatches : public ObjectResults<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB> {
    using Base = ObjectResults<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB>;

protected:
    using Base::args_;
    using Base::client_;
    using Base::workspace_;

public:
    using Base::direct;
    using typename Base::DstT;

    // ---- batches ----

    template <bool sync = true, bool waitIterateBatch = false>
    void IterateBatch(const GlobalTensor<DstT>& gm,
                      uint32_t batchA,
                      uint32_t batchB,
                      bool enSequentialWrite,
                      const uint32_t matrixStrideA = 0,
                      const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0,
                      const bool enPartialSum = false,
                      const uint8_t enAtomic = 0,
                      Site site = Site::here()) {
        RequireKnown(enPartialSum, site);
        args_.batch_a = static_cast<int32_t>(batchA);
        args_.batch_b = static_cast<int32_t>(batchB);
        Request request = Batch(matrixStrideA, matrixStrideB, matrixStrideC);
        request.to = Base::To(gm, enAtomic, false);
        request.notify = sync || waitIterateBatch;
        static_cast<void>(enSequentialWrite);
        Base::RunBatch(request, sync, site);
    }

    /// On a cube core: as many batches as SetBatchNum said. Vector cores have the call above only.
    void IterateBatch(const GlobalTensor<DstT>& gm,
                      bool enPartialSum,
                      uint8_t enAtomic,
                      bool,
                      const uint32_t matrixStrideA = 0,
                      const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0,
                      Site site = Site::here()) requires(direct) {
        RequireKnown(enPartialSum, site);
        Request request = Batch(matrixStrideA, matrixStrideB, matrixStrideC);
        request.to = Base::To(gm, enAtomic, false);
        request.notify = true;
        Base::RunBatch(request, true, site);
    }

    template <bool sync = true>
    void IterateBatch(const LocalTensor<DstT>& ubCmatrix,
                      uint32_t batchA,
                      uint32_t batchB,
                      bool,
                      const uint32_t matrixStrideA = 0,
                      const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0,
                      const bool enPartialSum = false,
                      const uint8_t enAtomic = 0,
                      Site site = Site::here()) {
        RequireKnown(enPartialSum, site);
        Base::RequireNoAtomic("IterateBatch", enAtomic, site);
        if constexpr (direct) {
            ascendsim::isa::not_implemented("Matmul::IterateBatch from a cube core to the unified buffer",
                                            site);
        } else {
            args_.batch_a = static_cast<int32_t>(batchA);
            args_.batch_b = static_cast<int32_t>(batchB);
            Request request = Batch(matrixStrideA, matrixStrideB, matrixStrideC);
            const auto batches = static_cast<int32_t>(batchA > batchB ? batchA : batchB);
            RequireWholeRows(batches, site);
            // Matrices lie one behind the other, as columns of blocks side by side.
            const int64_t pitch = Base::in_blocks || C_TYPE::format == CubeFormat::ND_ALIGN
                                      ? Base::AreaPitch(args_.single_m, args_.single_n)
                                      : args_.single_n;
            const int32_t columns = CeilTo(args_.single_n, Base::block_columns);
            DstT* area = client_.template ResultArea<DstT>(static_cast<uint64_t>(batches) *
                                                           Base::AreaBytes(args_.single_m, args_.single_n));
            request.to.address = reinterpret_cast<uint64_t>(area);
            request.to.pitch = pitch;
            request.stride_c = pitch * (Base::in_blocks ? columns : args_.single_m);
            request.notify = true;
            Base::RunBatch(request, true, site);
            Base::CopyBlock(ubCmatrix,
                            area,
                            Base::in_blocks ? args_.single_m : batches * args_.single_m,
                            Base::in_blocks ? batches * columns : args_.single_n,
                            pitch,
                            site);
            Client::Synchronise<HardEvent::MTE2_V>(site);
        }
    }

    /// Several rounds of batches into the workspace, one after the other.
    template <bool sync = true, bool waitIterateBatch = false>
    void IterateNBatch(const uint32_t batchLoop,
                       uint32_t batchA,
                       uint32_t batchB,
                       bool,
                       const uint32_t matrixStrideA = 0,
                       const uint32_t matrixStrideB = 0,
                       const uint32_t matrixStrideC = 0,
                       Site site = Site::here()) {
        args_.batch_a = static_cast<int32_t>(batchA);
        args_.batch_b = static_cast<int32_t>(batchB);
        Request request = Batch(matrixStrideA, matrixStrideB, matrixStrideC);
        request.to.address = workspace_;
        request.batch_loops = static_cast<int32_t>(batchLoop);
        request.each_block = !sync && !waitIterateBatch;
        request.notify = sync || waitIterateBatch;
        batch_loop_ = 0;
        Base::RunBatch(request, sync, site);
    }

    void WaitIterateBatch(Site site = Site::here()) { Base::AwaitOne(site); }

    /// The next round of an asynchronous IterateNBatch, in the workspace.
    template <bool sync = true>
    GlobalTensor<DstT> GetBatchTensorC(uint32_t batchA,
                                       uint32_t batchB,
                                       bool = false,
                                       Site site = Site::here()) {
        Base::AwaitOne(site);
        const uint64_t batches = batchA > batchB ? batchA : batchB;
        const uint64_t elements =
            batches * static_cast<uint64_t>(args_.single_m) * static_cast<uint64_t>(args_.single_n);
        GlobalTensor<DstT> round;
        round.SetGlobalBuffer(reinterpret_cast<DstT*>(workspace_) + batch_loop_++ * elements);
        return round;
    }

    template <bool sync = true>
    void GetBatchTensorC(const LocalTensor<DstT>& c,
                         uint32_t batchA,
                         uint32_t batchB,
                         bool = false,
                         Site site = Site::here()) {
        if constexpr (!direct) {
            const GlobalTensor<DstT> round = GetBatchTensorC<sync>(batchA, batchB, false, site);
            const auto batches = static_cast<int32_t>(batchA > batchB ? batchA : batchB);
            Base::CopyBlock(
                c, round.GetPhyAddr(0), batches * args_.single_m, args_.single_n, args_.single_n, site);
            Client::Synchronise<HardEvent::MTE2_V>(site);
        }
    }

    template <bool sync = true>
    GlobalTensor<DstT> GetBatchC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false) {
        return GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite);
    }

    template <bool sync = true>
    void GetBatchC(const LocalTensor<DstT>& c,
                   uint32_t batchA,
                   uint32_t batchB,
                   bool enSequentialWrite = false) {
        GetBatchTensorC<sync>(c, batchA, batchB, enSequentialWrite);
    }

private:
    static void RequireKnown(bool partial, Site site) {
        if (partial) {
            ascendsim::isa::not_implemented("Matmul::IterateBatch that adds to what lies in L0C", site);
        }
    }

    /// Layouts in which matrices lie side by side: their rows come to the unified buffer whole.
    void RequireWholeRows(int32_t batches, Site site) const {
        if constexpr (C_TYPE::layout == LayoutMode::BSNGD || C_TYPE::layout == LayoutMode::SBNGD) {
            const TCubeTiling& t = Base::tiling_;
            const int32_t beside =
                t.CLayoutInfoN * t.CLayoutInfoG * (C_TYPE::layout == LayoutMode::SBNGD ? t.CLayoutInfoB : 1);
            if (batches != beside) {
                ascendsim::isa::not_implemented(
                    "Matmul::IterateBatch to the unified buffer of a part of the matrices side by side",
                    site);
            }
        }
    }

    static Request Batch(uint32_t a, uint32_t b, uint32_t c) {
        Request request;
        request.stride_a = a;
        request.stride_b = b;
        request.stride_c = c;
        return request;
    }

    uint64_t batch_loop_ = 0;
};

}  // namespace AscendC::matmul_detail
