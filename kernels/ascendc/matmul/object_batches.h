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
                      const bool = false,
                      const uint8_t enAtomic = 0,
                      Site site = Site::here()) {
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
                      bool,
                      uint8_t enAtomic,
                      bool,
                      const uint32_t matrixStrideA = 0,
                      const uint32_t matrixStrideB = 0,
                      const uint32_t matrixStrideC = 0,
                      Site site = Site::here()) requires(direct) {
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
                      const bool = false,
                      const uint8_t = 0,
                      Site site = Site::here()) {
        if constexpr (direct) {
            ascendsim::isa::not_implemented("Matmul::IterateBatch from a cube core to the unified buffer",
                                            site);
        } else {
            args_.batch_a = static_cast<int32_t>(batchA);
            args_.batch_b = static_cast<int32_t>(batchB);
            Request request = Batch(matrixStrideA, matrixStrideB, matrixStrideC);
            const auto batches = static_cast<int32_t>(batchA > batchB ? batchA : batchB);
            const int32_t rows = batches * args_.single_m;
            DstT* area = client_.template ResultArea<DstT>(Base::AreaBytes(rows, args_.single_n));
            request.to.address = reinterpret_cast<uint64_t>(area);
            request.to.pitch = args_.single_n;
            request.stride_c = int64_t{args_.single_m} * args_.single_n;
            request.notify = true;
            Base::RunBatch(request, true, site);
            Base::CopyBlock(ubCmatrix, area, rows, args_.single_n, args_.single_n, site);
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
