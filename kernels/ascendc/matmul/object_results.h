// SPDX-License-Identifier: Apache-2.0
// How results of a Matmul object come to a vector core: through global memory to its unified buffer, block by
// block, or all ahead into a workspace.
#pragma once

#include "kernels/ascendc/matmul/object_base.h"

namespace AscendC::matmul_detail {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE, const auto& MM_CFG, class MM_CB>
class ObjectResults : public ObjectBase<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB> {
    using Base = ObjectBase<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB>;

public:
    using typename Base::DstT;

protected:
    using Base::args_;
    using Base::asked_;
    using Base::async_;
    using Base::async_block_;
    using Base::block_;
    using Base::client_;
    using Base::next_block_;
    using Base::pending_args_;
    using Base::tiling_;
    using Base::workspace_;

    // ---- results in the unified buffer ----

    static constexpr bool in_blocks = C_TYPE::format == CubeFormat::NZ;
    static constexpr int32_t block_columns = ResultColumns<DstT>(Base::config);

    // Of a matrix on its way to the unified buffer: rows padded to 32 bytes, or rows of a column of blocks.
    [[nodiscard]] static int64_t AreaPitch(int32_t rows, int32_t columns) {
        return in_blocks ? CeilTo(rows, 16) : CeilTo(columns, block_elements<DstT>);
    }

    [[nodiscard]] static uint64_t AreaBytes(int32_t rows, int32_t columns) {
        return BytesOf<DstT>(static_cast<uint64_t>(CeilTo(rows, 16)) *
                             static_cast<uint64_t>(CeilTo(columns, 32)));
    }

    /// How a block of C lies in global memory: elements in front of it, and its pitch as of a Destination.
    struct Lie {
        int64_t offset = 0;
        int64_t pitch = 0;
    };

    [[nodiscard]] Lie LieOf(const MatrixOffset& place, bool sequential) const {
        if constexpr (in_blocks) {
            const int64_t rows = CeilTo(sequential ? place.height : args_.org_m, 16);
            return {sequential ? 0 : place.col * rows + int64_t{place.row} * block_columns, rows};
        } else {
            int64_t pitch = sequential ? place.width : Base::Pitch();
            if constexpr (C_TYPE::format == CubeFormat::ND_ALIGN) {
                pitch = CeilTo(static_cast<int32_t>(pitch), block_elements<DstT>);
            }
            return {sequential ? 0 : place.row * pitch + place.col, pitch};
        }
    }

    // A block of C from global memory, where it has that pitch.
    void CopyBlock(
        const LocalTensor<DstT>& to, DstT* from, int32_t rows, int32_t columns, int64_t pitch, Site site) {
        GlobalTensor<DstT> gm;
        gm.SetGlobalBuffer(from);
        if constexpr (in_blocks) {
            constexpr int32_t row_bytes = block_columns * static_cast<int32_t>(sizeof(DstT));
            const int32_t height = CeilTo(rows, 16);
            DataCopy(to,
                     gm,
                     DataCopyParams(static_cast<uint16_t>(CeilDiv(columns, block_columns)),
                                    static_cast<uint16_t>(height * row_bytes / 32),
                                    static_cast<uint16_t>((pitch - height) * row_bytes / 32),
                                    0),
                     site);
        } else {
            DataCopyPad(to,
                        gm,
                        DataCopyExtParams(
                            static_cast<uint16_t>(rows),
                            static_cast<uint32_t>(columns * static_cast<int32_t>(sizeof(DstT))),
                            static_cast<uint32_t>((pitch - columns) * static_cast<int64_t>(sizeof(DstT))),
                            0,
                            0),
                        DataCopyPadExtParams<DstT>(false, 0, 0, DstT{}),
                        site);
        }
    }

    void GetToUb(const LocalTensor<DstT>& to, bool sync, Site site) {
        if (async_) {
            client_.AwaitOne(site);
            const MatrixOffset place = Place_(async_block_);
            CopyBlock(to,
                      reinterpret_cast<DstT*>(AsyncBlock(async_block_)),
                      place.height,
                      place.width,
                      LieOf(place, true).pitch,
                      site);
            TurnAsync();
        } else {
            const MatrixOffset place = Place_(block_);
            DstT* area = client_.template ResultArea<DstT>(AreaBytes(place.height, place.width));
            Destination target;
            target.address = reinterpret_cast<uint64_t>(area);
            target.sequential = true;
            Base::SendGet(target, site);
            client_.AwaitAll(site);
            CopyBlock(to, area, place.height, place.width, LieOf(place, true).pitch, site);
        }
        if (sync) {
            Client::Synchronise<HardEvent::MTE2_V>(site);
        }
    }

    [[nodiscard]] MatrixOffset Place_(int32_t block) const {
        MatrixOffset place;
        const BlockOrder order = Base::Order();
        place.row = order.Row(block) * tiling_.baseM;
        place.col = order.Column(block) * tiling_.baseN;
        place.height = Base::Least(tiling_.baseM, args_.single_m - place.row);
        place.width = Base::Least(tiling_.baseN, args_.single_n - place.col);
        place.offset = static_cast<int32_t>(place.row * Base::Pitch() + place.col);
        return place;
    }

    // ---- asynchronous blocks ----

    // The first call asks for all blocks, later ones count them.
    void IterateAsync(Site site) {
        if (asked_) {
            return;
        }
        client_.Require("Iterate", site);
        Base::Stage(site);
        const BlockOrder order = Base::Order();
        const auto blocks = static_cast<uint64_t>(order.Count());
        if (workspace_ == 0) {
            workspace_ =
                reinterpret_cast<uint64_t>(client_.template ResultArea<uint8_t>(blocks * Base::BlockBytes()));
        }
        Request request;
        request.verb = Verb::all;
        request.each_block = true;
        request.to.address = workspace_;
        request.to.sequential = true;
        request.to.block_bytes = Base::BlockBytes();
        request.arguments = args_;
        client_.Ask(request, site);
        client_.Expect(static_cast<uint64_t>(order.Multiplied()));
        async_ = true;
        asked_ = true;
        async_block_ = order.From(0);
        pending_args_ = args_;
    }

    void TurnAsync() { async_block_ = Base::Order().From(async_block_ + 1); }

    /// The next block of an asynchronous Iterate, to its place in C. The cube core multiplies it again, since
    /// a copy from the workspace needs room in the unified buffer that the call does not give.
    void GetAsyncToGm(const Destination& to, Site site) {
        block_ = async_block_;
        Base::pending_partial_ = false;
        Base::SendGet(to, site);
        client_.AwaitAll(site);
        TurnAsync();
    }

    [[nodiscard]] uint64_t AsyncBlock(int32_t block) const {
        return workspace_ + static_cast<uint64_t>(block) * Base::BlockBytes();
    }
};

}  // namespace AscendC::matmul_detail
