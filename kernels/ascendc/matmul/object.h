// SPDX-License-Identifier: Apache-2.0
// The Matmul object as kernels see it. On a cube core it works itself; on a vector core it asks the cube core
// of its group. Calls, defaults and meaning: the public documentation of the Matmul kernel interface.
#pragma once

#include "kernels/ascendc/matmul/object_batches.h"

namespace AscendC {

template <class A_TYPE,
          class B_TYPE,
          class C_TYPE,
          class BIAS_TYPE = C_TYPE,
          const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
          MATMUL_POLICY_DEFAULT_OF(MatmulPolicy)>
class MatmulImpl : public matmul_detail::ObjectBatches<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB> {
public:
    using Base = matmul_detail::ObjectBatches<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB>;
    using Place = matmul_detail::Place;
    using Request = matmul_detail::Request;
    using Destination = matmul_detail::Destination;
    using CallScope = ascendsim::isa::CallMark;
    using Base::args_;
    using Base::async_;
    using Base::async_block_;
    using Base::block_;
    using Base::client_;
    using Base::engine_;
    using Base::local_a_;
    using Base::local_b_;
    using Base::local_bias_;
    using Base::next_block_;
    using Base::pending_;
    using Base::pending_args_;
    using Base::pending_partial_;
    using Base::Restart;
    using Base::SetGlobal;
    using Base::SetLocal;
    using Base::SetScalar;
    using Base::sub_block_;
    using Base::workspace_;

public:
    using AType = A_TYPE;
    using BType = B_TYPE;
    using CType = C_TYPE;
    using BiasType = BIAS_TYPE;
    using Base::direct;
    using typename Base::BiasT;
    using typename Base::DstT;
    using typename Base::SrcAT;
    using typename Base::SrcBT;
    using typename Base::SrcT;

    MatmulImpl() {
        using Policy = MATMUL_POLICY<MM_CFG, MatmulImpl, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE>;
        if constexpr (requires { Policy::triangle; }) {
            args_.triangle = Policy::triangle;
        }
        if constexpr (direct && matmul_detail::ReplacesModules<Policy>) {
            ascendsim::isa::not_implemented("a policy of a Matmul object with modules of its own",
                                            Site::here());
        }
    }

    // ---- operands ----

    void SetTensorA(const GlobalTensor<SrcAT>& gm, bool isTransposeA = false, Site site = Site::here()) {
        Base::template RequireTransposable<A_TYPE>("SetTensorA", isTransposeA, site);
        SetGlobal(args_.a, gm.GetPhyAddr(), isTransposeA, A_TYPE::ibShare);
        local_a_ = {};
    }

    void SetTensorA(const LocalTensor<SrcAT>& leftMatrix,
                    bool isTransposeA = false,
                    Site site = Site::here()) {
        const CallScope scope{site};
        Base::template RequireTransposable<A_TYPE>("SetTensorA", isTransposeA, site);
        SetLocal(args_.a, local_a_, leftMatrix, isTransposeA);
    }

    void SetTensorA(SrcAT aScalar) { SetScalar(args_.a, aScalar); }

    void SetTensorB(const GlobalTensor<SrcBT>& gm, bool isTransposeB = false, Site site = Site::here()) {
        Base::template RequireTransposable<B_TYPE>("SetTensorB", isTransposeB, site);
        SetGlobal(args_.b, gm.GetPhyAddr(), isTransposeB, B_TYPE::ibShare);
        local_b_ = {};
    }

    void SetTensorB(const LocalTensor<SrcBT>& rightMatrix,
                    bool isTransposeB = false,
                    Site site = Site::here()) {
        const CallScope scope{site};
        Base::template RequireTransposable<B_TYPE>("SetTensorB", isTransposeB, site);
        SetLocal(args_.b, local_b_, rightMatrix, isTransposeB);
    }

    void SetTensorB(SrcBT bScalar) { SetScalar(args_.b, bScalar); }

    void SetBias(const GlobalTensor<BiasT>& biasGlobal) {
        SetGlobal(args_.bias, biasGlobal.GetPhyAddr(), false, false);
        local_bias_ = {};
    }

    void SetBias(const LocalTensor<BiasT>& inputBias, Site site = Site::here()) {
        const CallScope scope{site};
        SetLocal(args_.bias, local_bias_, inputBias, false);
    }

    void ClearBias() { args_.bias = {}; }

    void DisableBias() { args_.bias = {}; }

    void SetQuantScalar(const uint64_t quantScalar) {
        args_.scale = quantScalar;
        args_.scaled = true;
        args_.scales = {};
    }

    void SetQuantVector(const GlobalTensor<uint64_t>& quantTensor) {
        args_.scales = {};
        args_.scales.place = Place::gm;
        args_.scales.value = reinterpret_cast<uint64_t>(quantTensor.GetPhyAddr());
    }

    void SetQuantVector(const LocalTensor<uint64_t>& quantTensor, Site site = Site::here()) {
        if (quantTensor.Memory() != ascendsim::Memory::l1) {
            ascendsim::isa::kernel_fault(
                "SetQuantVector", "a tensor of factors has to lie in L1 (TSCM)", site);
        }
        if constexpr (!direct) {
            ascendsim::isa::not_implemented("Matmul factors in L1, set by a vector core", site);
        }
        args_.scales = {};
        args_.scales.place = Place::l1;
        args_.scales.value = quantTensor.address_.bufferAddr;
    }

    void SetAntiQuantScalar(const SrcT, const SrcT, Site site = Site::here()) {
        ascendsim::isa::not_implemented("Matmul::SetAntiQuantScalar", site);
    }

    void SetAntiQuantVector(const LocalTensor<SrcT>&, const LocalTensor<SrcT>&, Site site = Site::here()) {
        ascendsim::isa::not_implemented("Matmul::SetAntiQuantVector", site);
    }

    void SetSparseIndex(const GlobalTensor<uint8_t>&, Site site = Site::here()) {
        ascendsim::isa::not_implemented("Matmul::SetSparseIndex", site);
    }

    // ---- shapes and modes ----

    void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK); }

    void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
        args_.org_m = orgM;
        args_.org_n = orgN;
        args_.org_ka = orgKa;
        args_.org_kb = orgKb;
        args_.org_kc = orgKc;
        Restart();
    }

    void SetSingleShape(int singleM, int singleN, int singleK) { SetTail(singleM, singleN, singleK); }

    void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
        args_.single_m = tailM != -1 ? tailM : args_.single_m;
        args_.single_n = tailN != -1 ? tailN : args_.single_n;
        args_.single_k = tailK != -1 ? tailK : args_.single_k;
        Restart();
    }

    void SetHF32(bool enableHF32 = false, int32_t transMode = 0) {
        args_.hf32 = enableHF32;
        if constexpr (direct) {
            SetHF32TransMode(transMode == 1);
        }
    }

    void SetBatchNum(int32_t batchA, int32_t batchB) {
        args_.batch_a = batchA;
        args_.batch_b = batchB;
    }

    /// How many results of batches leave L0C together; each leaves when it is ready here.
    void SetNBatchOutNum(uint32_t) {}

    void SetSubBlockIdx(uint8_t subBlockIdx) { sub_block_ = subBlockIdx; }

    [[nodiscard]] uint8_t GetSubBlockIdx() const { return sub_block_; }

    void SetUserDefInfo(const uint64_t tilingPtr) { args_.user_tiling = tilingPtr; }

    void SetSelfDefineData(const uint64_t dataPtr) { args_.user_data = dataPtr; }

    /// Room that a coupled chip's object needs in the unified buffer; a split chip's needs none.
    void SetLocalWorkspace(const LocalTensor<uint8_t>&) {}

    template <class T>
    void SetWorkspace(GlobalTensor<T>& addr) {
        workspace_ = reinterpret_cast<uint64_t>(addr.GetPhyAddr());
    }

    template <class T>
    void SetWorkspace(const __gm__ T* addr, int) {
        workspace_ = reinterpret_cast<uint64_t>(addr);
    }

    // ---- work ----

    /// Multiplies the next block of C; false once there is none. Asynchronous: the first call asks for all
    /// blocks, into the workspace, and the others count them.
    template <bool sync = true>
    bool Iterate(bool enPartialSum = false, Site site = Site::here()) {
        const CallScope scope{site};
        if (!Base::NextBlock()) {
            return false;
        }
        block_ = next_block_++;
        if constexpr (direct) {
            engine_.Set(args_);
            engine_.Compute(block_, enPartialSum, 0);
        } else if constexpr (!sync) {
            Base::IterateAsync(site);
        } else {
            async_ = false;
            if (pending_) {
                Base::SendCompute(site);
            }
            pending_ = true;
            pending_partial_ = enPartialSum;
            client_.Require("Iterate", site);
            Base::Stage(site);
            pending_args_ = args_;
        }
        return true;
    }

    /// Multiplies the next block of C into L0C memory of the kernel's own.
    template <bool sync = true, typename T>
    bool Iterate(bool enPartialSum, const LocalTensor<T>& localCmatrix, Site site = Site::here()) {
        const CallScope scope{site};
        if (!Base::NextBlock()) {
            return false;
        }
        block_ = next_block_++;
        if constexpr (direct) {
            engine_.Set(args_);
            engine_.ComputeTo(block_, enPartialSum, localCmatrix.address_.bufferAddr);
        } else {
            ascendsim::isa::not_implemented("Matmul::Iterate into L0C from a vector core", site);
        }
        return true;
    }

    template <bool sync = true>
    void IterateAll(const GlobalTensor<DstT>& gm,
                    uint8_t enAtomic = 0,
                    bool enSequentialWrite = false,
                    bool waitIterateAll = false,
                    bool fakeMsg = false,
                    Site site = Site::here()) {
        Request request;
        request.to = Base::To(gm, enAtomic, enSequentialWrite);
        request.to.block_bytes = 0;
        request.fake = fakeMsg;
        request.notify = sync || waitIterateAll;
        Base::template RunAll<sync>(request, site);
    }

    template <bool sync = true>
    void IterateAll(const LocalTensor<DstT>& ubCmatrix, uint8_t enAtomic = 0, Site site = Site::here()) {
        Base::RequireNoAtomic("IterateAll", enAtomic, site);
        Request request;
        request.notify = true;
        if (ubCmatrix.Memory() == ascendsim::Memory::l1) {
            request.to.l1 = static_cast<int32_t>(ubCmatrix.address_.bufferAddr);
            Base::template RunAll<sync>(request, site);
            return;
        }
        if constexpr (direct) {
            ascendsim::isa::not_implemented("Matmul::IterateAll from a cube core to the unified buffer",
                                            site);
        } else {
            const int32_t rows = args_.single_m;
            const int32_t columns = args_.single_n;
            DstT* area = client_.template ResultArea<DstT>(Base::AreaBytes(rows, columns));
            request.to.address = reinterpret_cast<uint64_t>(area);
            request.to.pitch = Base::AreaPitch(rows, columns);
            Base::template RunAll<true>(request, site);
            Base::CopyBlock(ubCmatrix, area, rows, columns, Base::AreaPitch(rows, columns), site);
            matmul_detail::Client::Synchronise<HardEvent::MTE2_V>(site);
        }
    }

    void WaitIterateAll(Site site = Site::here()) { Base::AwaitOne(site); }

    // ---- results ----

    template <bool sync = true>
    void GetTensorC(const GlobalTensor<DstT>& gm,
                    uint8_t enAtomic = 0,
                    bool enSequentialWrite = false,
                    Site site = Site::here()) {
        const CallScope scope{site};
        if (enSequentialWrite) {
            Base::RequireInnerProduct("Matmul::GetTensorC with ScheduleType::OUTER_PRODUCT, block by block",
                                      site);
        }
        const Destination to = Base::To(gm, enAtomic, enSequentialWrite);
        if constexpr (direct) {
            engine_.Set(args_);
            engine_.Write(block_, to, 0);
        } else if (async_) {
            Base::GetAsyncToGm(to, site);
        } else {
            Base::SendGet(to, site);
            client_.AwaitAll(site);
        }
    }

    template <bool sync = true, bool doPad = false>
    void GetTensorC(const LocalTensor<DstT>& co2Local,
                    uint8_t enAtomic = 0,
                    bool enSequentialWrite = false,
                    uint32_t = 0,
                    uint32_t = 0,
                    uint32_t = 0,
                    uint32_t = 0,
                    Site site = Site::here()) {
        const CallScope scope{site};
        Base::RequireNoAtomic("GetTensorC", enAtomic, site);
        Base::RequireInnerProduct("Matmul::GetTensorC with ScheduleType::OUTER_PRODUCT, block by block",
                                  site);
        if (co2Local.Memory() == ascendsim::Memory::l1) {
            Destination to;
            to.l1 = static_cast<int32_t>(co2Local.address_.bufferAddr);
            to.sequential = true;
            if constexpr (direct) {
                engine_.Write(block_, to, 0);
            } else {
                Base::SendGet(to, site);
                client_.AwaitAll(site);
            }
            return;
        }
        if constexpr (direct) {
            ascendsim::isa::not_implemented("Matmul::GetTensorC from a cube core to the unified buffer",
                                            site);
        } else {
            // The vendor's client waits for the copy in an asynchronous call too; AsyncGetTensorC does not.
            Base::GetToUb(co2Local, true, site);
        }
    }

    template <bool sync = true>
    void GetTensorC(const GlobalTensor<DstT>& gm,
                    const LocalTensor<DstT>& co2Local,
                    uint8_t enAtomic = 0,
                    bool enSequentialWrite = false,
                    Site site = Site::here()) {
        Base::RequireInnerProduct("Matmul::GetTensorC with ScheduleType::OUTER_PRODUCT, block by block",
                                  site);
        if constexpr (direct) {
            ascendsim::isa::not_implemented("Matmul::GetTensorC from a cube core to the unified buffer",
                                            site);
        } else {
            const Destination to = Base::To(gm, enAtomic, enSequentialWrite);
            if (async_) {
                Base::GetAsyncToGm(to, site);
            } else {
                Base::SendGet(to, site);
                client_.AwaitAll(site);
            }
            const MatrixOffset place = GetOffsetC();
            const auto lie = Base::LieOf(place, enSequentialWrite);
            Base::CopyBlock(co2Local,
                            reinterpret_cast<DstT*>(to.address) + lie.offset,
                            place.height,
                            place.width,
                            lie.pitch,
                            site);
            matmul_detail::Client::Synchronise<HardEvent::MTE2_V>(site);
        }
    }

    /// The next block of an asynchronous Iterate, in the workspace.
    template <bool sync = true>
    GlobalTensor<DstT> GetTensorC(uint8_t = 0, bool = false, Site site = Site::here()) {
        Base::RequireInnerProduct("Matmul::GetTensorC with ScheduleType::OUTER_PRODUCT, block by block",
                                  site);
        GlobalTensor<DstT> block;
        client_.AwaitOne(site);
        block.SetGlobalBuffer(reinterpret_cast<DstT*>(Base::AsyncBlock(async_block_)));
        Base::TurnAsync();
        return block;
    }

    void AsyncGetTensorC(const LocalTensor<DstT>& c, Site site = Site::here()) {
        const CallScope scope{site};
        if constexpr (direct) {
            ascendsim::isa::not_implemented("Matmul::AsyncGetTensorC from a cube core", site);
        } else {
            Base::GetToUb(c, false, site);
        }
    }

    void WaitGetTensorC(Site site = Site::here()) {
        const CallScope scope{site};
        if constexpr (!direct) {
            matmul_detail::Client::Synchronise<HardEvent::MTE2_V>(Site::here());
        }
    }

    /// Where the block of the last Iterate lies in the single shape.
    [[nodiscard]] MatrixOffset GetOffsetC() const { return Base::Place_(block_); }
};

/// The name that kernels use; both are one class.
template <class A_TYPE,
          class B_TYPE,
          class C_TYPE,
          class BIAS_TYPE = C_TYPE,
          const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
          MATMUL_POLICY_DEFAULT_OF(MatmulPolicy)>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;

}  // namespace AscendC
