// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/helper_text.hpp"

#include <fmt/format.h>

namespace ascendsim::networks::loops {
namespace {

constexpr const char* copies = R"(
// A2 and A3 pad in the copy itself; older chips copy whole 32-byte blocks.
#if __NPU_ARCH__ == 2201
#define HAS_COPY_PAD 1
#else
#define HAS_COPY_PAD 0
#endif

/// (rows, width) of rows `stride` elements apart in GM -> (rows, pitch) UB, filled with zeros to whole blocks.
template <typename T>
__aicore__ inline void CopyIn(const LocalTensor<T>& to, const GlobalTensor<T>& from, uint32_t rows, uint32_t width,
                              uint32_t stride, uint32_t pitch) {
    constexpr uint32_t block = 32 / sizeof(T);
    if (width % block == 0 && (rows == 1 || (width == stride && width == pitch))) {
        DataCopy(to, from, rows * width);
        return;
    }
    const uint32_t padded = (width + block - 1) / block * block;
#if HAS_COPY_PAD
    const uint32_t gap = rows == 1 ? 0 : (stride - width) * sizeof(T);
    const DataCopyExtParams shape(rows, width * sizeof(T), gap, rows == 1 ? 0 : (pitch - padded) / block, 0);
    DataCopyPad(to, from, shape, DataCopyPadExtParams<T>(true, 0, padded - width, T{}));
#else
    const uint32_t whole = width / block * block;
    for (uint32_t r = 0; r < rows && whole > 0; ++r) {
        DataCopy(to[r * pitch], from[uint64_t{r} * stride], whole);
    }
    PipeBarrier<PIPE_ALL>();
    for (uint32_t i = whole; i < width; ++i) {  // of one row
        to.SetValue(i, from.GetValue(i));
    }
    PipeBarrier<PIPE_ALL>();
#endif
}

/// (rows, pitch) UB -> (rows, width) of rows `stride` elements apart in GM.
template <typename T>
__aicore__ inline void CopyOut(GlobalTensor<T> to, const LocalTensor<T>& from, uint32_t rows, uint32_t width,
                               uint32_t stride, uint32_t pitch) {
    constexpr uint32_t block = 32 / sizeof(T);
    if (width % block == 0 && (rows == 1 || (width == stride && width == pitch))) {
        DataCopy(to, from, rows * width);
        return;
    }
#if HAS_COPY_PAD
    const uint32_t padded = (width + block - 1) / block * block;
    const uint32_t gap = rows == 1 ? 0 : (stride - width) * sizeof(T);
    DataCopyPad(to, from, DataCopyExtParams(rows, width * sizeof(T), rows == 1 ? 0 : (pitch - padded) / block, gap, 0));
#else
    constexpr uint32_t line = 64 / sizeof(T);  // of the scalar unit's data cache: no copy may touch it
    const uint32_t whole = rows == 1 ? width / line * line : width;
    for (uint32_t r = 0; r < rows && whole > 0; ++r) {
        DataCopy(to[uint64_t{r} * stride], from[r * pitch], whole);
    }
    if (whole < width) {
        PipeBarrier<PIPE_ALL>();
        for (uint32_t i = whole; i < width; ++i) {
            to.SetValue(i, from.GetValue(i));
        }
        DataCacheCleanAndInvalid<T, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(to[whole]);
    }
#endif
}
)";

constexpr const char* combine = R"(
/// How an operand lies along the rows of a tile: 32-byte blocks from row to row, and 1 if it advances with the columns.
struct Along {
    uint32_t row;
    uint32_t column;
};

/// to[r, c] = a op b for (rows, width); rows of `to` are `pitch` elements apart.
template <typename Op, typename T>
__aicore__ inline void Combine(const LocalTensor<T>& to, const LocalTensor<T>& a, Along of_a, const LocalTensor<T>& b,
                               Along of_b, uint32_t rows, uint32_t width, uint32_t pitch) {
    constexpr uint32_t lanes = 64;
    const uint32_t chunks = (width + lanes - 1) / lanes;
    if (chunks <= rows && pitch / 8 <= 255 && of_a.row <= 255 && of_b.row <= 255) {  // 64 columns of all rows at a time
        const BinaryRepeatParams params(1, of_a.column, of_b.column, pitch / 8, of_a.row, of_b.row);
        for (uint32_t at = 0; at < width; at += lanes) {
            const uint64_t mask = width - at < lanes ? width - at : lanes;
            Op::Call(to[at], a[at * of_a.column], b[at * of_b.column], mask, static_cast<uint8_t>(rows), params);
        }
        return;
    }
    const BinaryRepeatParams params(1, of_a.column, of_b.column, 8, 8 * of_a.column, 8 * of_b.column);
    for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t at = 0; at < width;) {
            const uint32_t left = width - at;
            const uint64_t mask = left < lanes ? left : lanes;
            const uint32_t repeats = left < lanes ? 1 : left / lanes < 255 ? left / lanes : 255;
            Op::Call(to[r * pitch + at], a[r * of_a.row * 8 + at * of_a.column], b[r * of_b.row * 8 + at * of_b.column],
                     mask, static_cast<uint8_t>(repeats), params);
            at += repeats * mask;
        }
    }
}
)";

constexpr const char* expand = R"(
/// to[r, c] = a, which is the same in every row or in every column, for (rows, pitch).
template <typename T>
__aicore__ inline void Expand(const LocalTensor<T>& to, const LocalTensor<T>& a, Along of_a, uint32_t rows,
                              uint32_t pitch) {
    constexpr uint32_t lanes = 64;
    const UnaryRepeatParams params(1, of_a.column, 8, 8 * of_a.column);
    for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t at = 0; at < pitch;) {
            const uint32_t left = pitch - at;
            const uint64_t mask = left < lanes ? left : lanes;
            const uint32_t repeats = left < lanes ? 1 : left / lanes < 255 ? left / lanes : 255;
            Muls(to[r * pitch + at], a[r * of_a.row * 8 + at * of_a.column], T(1), mask, static_cast<uint8_t>(repeats),
                 params);
            at += repeats * mask;
        }
    }
}
)";

constexpr const char* multiply_add = R"(
/// x = x a + b for n elements in one pass. b is a block of eight equal numbers, and so is a unless it has `many`, 1.
__aicore__ inline void MultiplyAdd(const LocalTensor<float>& x, const LocalTensor<float>& a, uint32_t many,
                                   const LocalTensor<float>& b, uint32_t n) {
    constexpr uint32_t lanes = 64;
    const BinaryRepeatParams params(1, many, 0, 8, 8 * many, 0);
    for (uint32_t at = 0; at < n;) {
        const uint32_t left = n - at;
        const uint64_t mask = left < lanes ? left : lanes;
        const uint32_t repeats = left < lanes ? 1 : left / lanes < 255 ? left / lanes : 255;
        FusedMulAdd(x[at], a[at * many], b, mask, static_cast<uint8_t>(repeats), params);
        at += repeats * mask;
    }
}
)";

constexpr const char* reduce_width = R"(
/// Eight elements at a time become one, for (rows, 64 * vectors) of rows `pitch` elements apart; the results of a row
/// follow those of the row before.
template <typename Op>
__aicore__ inline void ReduceBlocks(const LocalTensor<float>& to, const LocalTensor<float>& x, uint32_t rows,
                                    uint32_t vectors, uint32_t pitch) {
    constexpr uint32_t most = 255;  // repeats of an instruction
    const bool beside = 64 * vectors == pitch;
    const uint32_t repeats = beside ? rows * vectors : vectors;
    for (uint32_t r = 0; r < (beside ? 1 : rows); ++r) {
        for (uint32_t at = 0; at < repeats; at += most) {
            Op::Blocks(to[(r * vectors + at) * 8], x[r * pitch + at * 64], repeats - at < most ? repeats - at : most);
        }
    }
}

/// What lies behind a row's end in its last vector must not count.
template <typename Op>
__aicore__ inline void FillEnds(const LocalTensor<float>& x, uint32_t rows, uint32_t width, uint32_t pitch) {
    uint64_t behind[2] = {~uint64_t{0} << width % 64, 0};
    const LocalTensor<float> last = x[width / 64 * 64];
    if (pitch / 8 <= 255) {
        Duplicate(last, Op::Nothing(), behind, static_cast<uint8_t>(rows), 1, static_cast<uint8_t>(pitch / 8));
        return;
    }
    for (uint32_t r = 0; r < rows; ++r) {
        Duplicate(last[r * pitch], Op::Nothing(), behind, 1, 1, 8);
    }
}

/// to[r] = x[r, 0] op x[r, 1] op ... for (rows, width), of rows `pitch` elements apart, a multiple of 64 if a row is more
/// than a vector. What lies behind a row's end in its last vector is overwritten. A reduction inside a vector costs
/// several times as much as one of its blocks: blocks come first. `work` takes a seventh of x.
template <typename Op>
__aicore__ inline void ReduceWidth(const LocalTensor<float>& to, const LocalTensor<float>& x,
                                   const LocalTensor<float>& work, uint32_t rows, uint32_t width, uint32_t pitch) {
    constexpr uint32_t lanes = 64;
    if (width <= lanes) {
        Op::Reduce(to, x, width, rows, pitch / 8);
        return;
    }
    const uint32_t vectors = (width + lanes - 1) / lanes;
    if (width % lanes != 0) {
        FillEnds<Op>(x, rows, width, pitch);
        PipeBarrier<PIPE_V>();
    }
    ReduceBlocks<Op>(work, x, rows, vectors, pitch);
    PipeBarrier<PIPE_V>();
    LocalTensor<float> from = work;
    uint32_t count = 8 * vectors;  // of a row
    while (count > lanes && count % lanes == 0) {
        const LocalTensor<float> next = from[rows * count];
        ReduceBlocks<Op>(next, from, rows, count / lanes, count);
        PipeBarrier<PIPE_V>();
        from = next;
        count /= 8;
    }
    const uint32_t stride = count / 8;
    for (uint32_t at = lanes; at < count; at += lanes) {  // no whole vectors: onto the first one
        const uint64_t mask = count - at < lanes ? count - at : lanes;
        for (uint32_t r = 0; r < rows; r += stride <= 255 ? rows : 1) {
            const LocalTensor<float> first = from[r * count];
            const uint32_t repeats = stride <= 255 ? rows : 1;
            const uint8_t step = static_cast<uint8_t>(stride <= 255 ? stride : 8);
            Op::Call(first, first, first[at], mask, static_cast<uint8_t>(repeats),
                     BinaryRepeatParams(1, 1, 1, step, step, step));
        }
        PipeBarrier<PIPE_V>();
    }
    Op::Reduce(to, from, count < lanes ? count : lanes, rows, stride);
}
)";

constexpr const char* reduce_rows = R"(
/// to[c] = x[0, c] op x[1, c] op ... for (rows, pitch). Rows are folded in half. `work` is as large as x.
template <typename Op>
__aicore__ inline void ReduceRows(const LocalTensor<float>& to, const LocalTensor<float>& x,
                                  const LocalTensor<float>& work, uint32_t rows, uint32_t pitch) {
    LocalTensor<float> from = x;
    while (rows > 1) {
        const uint32_t half = rows / 2;
        Op::Call(work, from, from[half * pitch], static_cast<int32_t>(half * pitch));
        PipeBarrier<PIPE_V>();
        if (rows % 2 == 1) {
            Op::Call(work, work, from[(rows - 1) * pitch], static_cast<int32_t>(pitch));
            PipeBarrier<PIPE_V>();
        }
        from = work;
        rows = half;
    }
    Muls(to, from, 1.0f, static_cast<int32_t>(pitch));
}
)";

std::string operation(const std::string& name) {
    std::string text = fmt::format(
        "\nstruct {0}Tiles {{\n"
        "    template <typename... Arguments>\n"
        "    __aicore__ static inline void Call(const Arguments&... arguments) {{\n"
        "        {0}(arguments...);\n"
        "    }}\n",
        name);
    if (name == "Add" || name == "Max" || name == "Min") {
        const bool sum = name == "Add";
        text += fmt::format(
            "\n    __aicore__ static inline void Reduce(const LocalTensor<float>& to, const "
            "LocalTensor<float>& x,\n"
            "                                         uint32_t lanes, uint32_t repeats, uint32_t stride) {{\n"
            "        WholeReduce{0}(to, x, lanes, repeats, 1, 1, stride{1});\n"
            "    }}\n"
            "\n    __aicore__ static inline void Blocks(const LocalTensor<float>& to, const "
            "LocalTensor<float>& x, "
            "uint32_t repeats) {{\n"
            "        BlockReduce{0}(to, x, repeats, 64, 1, 1, 8);\n"
            "    }}\n"
            "\n    __aicore__ static inline float Nothing() {{\n        return {2};\n    }}\n",
            sum ? "Sum" : name,
            sum ? "" : ", ReduceOrder::ORDER_ONLY_VALUE",
            sum             ? "0.0f"
            : name == "Max" ? "-1.0f / 0.0f"
                            : "1.0f / 0.0f");
    }
    return text + "};\n";
}

}  // namespace

std::string helper_text(const HelperNeeds& needs) {
    std::string text = copies;
    for (const std::string& name : needs.operations) {
        text += operation(name);
    }
    if (needs.combine || needs.expand) {
        text += combine;
    }
    text += needs.expand ? expand : "";
    text += needs.multiply_add ? multiply_add : "";
    text += needs.reduce_width ? reduce_width : "";
    text += needs.reduce_rows ? reduce_rows : "";
    return text;
}

}  // namespace ascendsim::networks::loops
