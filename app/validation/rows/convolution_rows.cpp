// SPDX-License-Identifier: Apache-2.0
#include "app/validation/rows/convolution_rows.hpp"

#include <algorithm>

#include "app/validation/rows/operator_rows.hpp"
#include "app/validation/rows/row_words.hpp"

namespace ascendsim::validation {
namespace {

using isa::DataType;

constexpr std::uint64_t cube_columns = 16;  // output channels of a block

std::uint64_t blocks(std::uint64_t channels, std::uint64_t of) {
    return (channels + of - 1) / of;
}

/// The only number of a list, or nothing.
std::optional<std::uint64_t> same(const Row& row,
                                  std::initializer_list<const char*> keys,
                                  std::uint64_t otherwise) {
    for (const char* key : keys) {
        const std::vector<std::int64_t> list = row.list(key);
        if (!list.empty()) {
            const bool alike = std::ranges::all_of(
                list, [&](std::int64_t value) { return value == list.front() && value >= 0; });
            return alike ? std::optional{static_cast<std::uint64_t>(list.front())} : std::nullopt;
        }
    }
    return otherwise;
}

/// What a convolution is, in the kernel's units.
struct Convolution {
    DataType type = DataType::half;
    std::uint64_t batch = 1;
    std::uint64_t height = 1;
    std::uint64_t width = 1;
    std::uint64_t inputs = 1;   // channels
    std::uint64_t outputs = 1;  // channels
    std::uint64_t groups = 1;
    std::uint64_t filter = 1;
    std::uint64_t pad = 0;
    std::uint64_t stride = 1;
    std::uint64_t dilation = 1;

    [[nodiscard]] bool depthwise() const { return groups > 1; }

    [[nodiscard]] std::uint64_t c0() const { return 256 / isa::bits(type); }

    [[nodiscard]] std::uint64_t n1() const { return blocks(outputs, cube_columns); }

    /// Blocks of input channels; those of a depthwise convolution fill the groups of 16.
    [[nodiscard]] std::uint64_t c1() const {
        return depthwise() ? n1() * cube_columns / c0() : blocks(inputs, c0());
    }

    [[nodiscard]] std::uint64_t positions(std::uint64_t extent) const {
        return (extent + 2 * pad - (filter - 1) * dilation - 1) / stride + 1;
    }
};

/// How many of a kernel the row lists: "TransData×2 + MemSet + Conv2D".
std::uint64_t listed(const Row& row, const std::string& kernel) {
    const std::string pattern = kernel + "[^0-9+;]*([0-9]+)";
    return number_in(row.notes, pattern.c_str()).value_or(row.notes_have(kernel) ? 1 : 0);
}

/// Kernels of the operator library, one after the other.
class Sequence {
public:
    Sequence(const Row& row, const Context& context) : row_{row}, context_{context} {}

    [[nodiscard]] KernelRun kernel(const char* name) const { return kernel_of(row_, context_, name); }

    /// Behind the first kernel, each finds in L2 what the one before has written.
    void add(KernelRun run) {
        if (!result_.runs.empty()) {
            run.set.push_back({"l2.state", "\"chained\""});
        }
        result_.runs.push_back(std::move(run));
    }

    /// TransData is compiled for any shape: no TPipe, and cold code of which as much is fetched as the
    /// library's other kernels of that kind fetch at least (20 lines of 64 B: VEC-128, VEC-135).
    void add_compiled(KernelRun run) {
        constexpr std::uint32_t cold_lines = 20;
        set_without_pipe(run);
        if (!context_.source.code_held && !context_.source.warm_l2() && !context_.source.in_network()) {
            std::erase_if(run.set,
                          [](const scenario::Override& one) { return one.path == "chip.scalar.pipe_lines"; });
            run.chip("scalar.pipe_lines", cold_lines);
        }
        add(std::move(run));
    }

    /// Images and results go as the library's Transpose does. Filters do not: with its tiles, one of 3 x 3
    /// would take longer than all of CONV-013, and twice what CONV-017 leaves.
    void turn(const Extents& shape, const Extents& perm, DataType type, const char* schedule = "library") {
        KernelRun run = kernel_of(row_, context_, "transpose");
        run.knob("shape", shape).knob("perm", perm).knob("dtype", type).knob("schedule", schedule);
        add_compiled(std::move(run));
    }

    /// MemSet.
    void clear(std::uint64_t elements, DataType type) {
        KernelRun run = kernel("copy");
        set_without_pipe(run);
        run.knob("route", "fill").knob("dtype", type).knob("shape", Extents{elements});
        add(std::move(run));
    }

    [[nodiscard]] Case take(std::string assumed) {
        result_.assumed = std::move(assumed);
        return std::move(result_);
    }

private:
    const Row& row_;
    const Context& context_;
    Case result_;
};

/// The kernels of the operator library's convolution on Atlas A2, one after the other.
class Steps {
public:
    Steps(const Row& row, const Context& context, const Convolution& convolution)
        : row_{row}, sequence_{row, context}, c_{convolution} {
        count();
    }

    [[nodiscard]] Case all() {
        if (turns_ > 0) {
            sequence_.turn({c_.batch, c_.c1(), c_.c0(), c_.height * c_.width}, {0, 1, 3, 2}, c_.type);
        }
        for (std::uint64_t i = 0; i < clears_; ++i) {
            const std::uint64_t inputs = c_.depthwise() ? cube_columns : c_.c1() * c_.c0();
            sequence_.clear(c_.filter * c_.filter * c_.n1() * cube_columns * inputs, c_.type);
        }
        if (turns_ > 1) {
            filter();
        }
        if (casts_ > 0) {
            KernelRun cast = sequence_.kernel("elementwise");
            cast.knob("op", "copy")
                .knob("shape", Extents{c_.outputs})
                .knob("dtype", c_.type)
                .knob("out_dtype", DataType::float32);
            sequence_.add(std::move(cast));
        }
        multiply();
        if (turns_ > (c_.depthwise() ? 3U : 2U)) {
            const std::uint64_t plane = c_.positions(c_.height) * c_.positions(c_.width);
            sequence_.turn(
                {c_.batch, c_.n1() * cube_columns / c_.c0(), plane, c_.c0()}, {0, 1, 3, 2}, c_.type);
        }
        std::string assumed =
            turns_ == 0 ? "images and filter lie in the kernel's format"
            : from_list_
                ? "TransData takes images, filter and results, in this order, as many as are listed"
                : "the kernels that the library's convolutions of this type list (CONV-013, CONV-017)";
        if (c_.type == DataType::float32) {
            assumed +=
                "; values are rounded to HF32, the default for convolutions of torch_npu (conv.allow_hf32)";
        }
        return sequence_.take(std::move(assumed));
    }

private:
    /// As listed; else as the lists of the library's convolutions of the same type have them: results of two
    /// bytes keep the cube's format only in half, MemSet clears filters of two bytes, and groups take a
    /// filter in two steps (TransDataFzWithGroup of transdata.cpp in ops-math) with a buffer that is cleared.
    void count() {
        turns_ = listed(row_, "transdata");
        clears_ = listed(row_, "memset");
        casts_ = listed(row_, "cast");
        from_list_ = turns_ > 0;
        if (turns_ == 0 && row_.notes_have("several")) {
            const std::uint64_t more = c_.depthwise() ? 1 : 0;
            turns_ = (c_.type == DataType::half ? 2 : 3) + more;
            clears_ = (c_.type == DataType::float32 ? 0 : 1) + more;
            casts_ = c_.type == DataType::bfloat16 ? 1 : 0;
        }
    }

    void filter() {
        const std::uint64_t taps = c_.filter * c_.filter;
        sequence_.turn({c_.n1() * cube_columns, c_.depthwise() ? 1 : c_.c1(), c_.c0(), taps},
                       {1, 3, 0, 2},
                       c_.type,
                       "overlapped");
        if (c_.depthwise() && turns_ > 2) {
            KernelRun run = sequence_.kernel("fractal_groups");
            run.knob("groups", c_.n1()).knob("filter", c_.filter).knob("dtype", c_.type);
            sequence_.add_compiled(std::move(run));
        }
    }

    void multiply() {
        KernelRun run = sequence_.kernel("conv2d");
        run.knob("batch", c_.batch)
            .knob("c1", c_.c1())
            .knob("height", c_.height)
            .knob("width", c_.width)
            .knob("n1", c_.n1());
        run.knob("groups", c_.depthwise() ? c_.n1() : 1)
            .knob("filter", c_.filter)
            .knob("pad", c_.pad)
            .knob("stride", c_.stride);
        run.knob("dilation", c_.dilation)
            .knob("dtype", c_.type)
            .knob("hf32", c_.type == DataType::float32)
            .knob("base_m", 0);
        sequence_.add(std::move(run));
    }

    const Row& row_;
    Sequence sequence_;
    Convolution c_;
    std::uint64_t turns_ = 0;   // TransData
    std::uint64_t clears_ = 0;  // MemSet
    std::uint64_t casts_ = 0;
    bool from_list_ = false;
};

}  // namespace

Adapted convolution_case(
    const Row& row, const Context& context, const Extents& x, const Extents& w, bool gradient) {
    Convolution c{.type = first_type(row), .batch = x[0], .height = x[2], .width = x[3], .inputs = x[1]};
    if (c.type != DataType::half && c.type != DataType::bfloat16 && c.type != DataType::float32) {
        return WhyNot{"convolutions of float types can be run"};
    }
    const std::size_t taps = w.size() - 2;  // the axis of the filter's rows
    c.filter = w[taps];
    c.outputs = w.size() == 3 || !gradient ? w[0] : w[1];
    const auto pad = same(row, {"pads", "padding", "pad"}, c.filter / 2);
    const auto stride = same(row, {"strides", "stride"}, 1);
    const auto dilation = same(row, {"dilations", "dilation"}, 1);
    const auto groups = static_cast<std::uint64_t>(std::max<std::int64_t>(
        row.integer("groups").value_or(w.size() == 3 ? static_cast<std::int64_t>(x[1]) : 1), 1));
    if (w[taps] != w[taps + 1] || !pad || !stride || !dilation) {
        return WhyNot{"convolutions unlike in rows and columns have no kernel yet"};
    }
    if (groups > 1 && (groups != x[1] || c.outputs != x[1] || gradient)) {
        return WhyNot{
            "convolutions in groups of more than one channel, and gradients in groups, have no kernel yet"};
    }
    if (groups == 1 && x[1] != (gradient ? w[0] : w[1])) {
        return WhyNot{"the filter does not fit the image's channels"};
    }
    if (gradient && *stride != 1) {
        return WhyNot{"gradients of convolutions with a stride have no kernel yet"};
    }
    c.groups = groups;
    c.pad = *pad;
    c.stride = *stride;
    c.dilation = *dilation;
    return Steps{row, context, c}.all();
}

/// Extents along depth, rows and columns.
Extents space_of(const Extents& tensor) {
    return {tensor.size() == 5 ? tensor[2] : 1, tensor[tensor.size() - 2], tensor.back()};
}

/// Places of a filter along an axis of an image and of its gradient. With a stride, the extents leave open
/// how far the last position is from the edge; filters are odd as a rule.
std::uint64_t taps(
    std::uint64_t in, std::uint64_t out, std::uint64_t pad, std::uint64_t stride, std::uint64_t dilation) {
    const std::uint64_t reach = in + 2 * pad - (out - 1) * stride;
    const std::uint64_t most = (reach - 1) / dilation + 1;
    return stride > 1 && most % 2 == 0 ? most - 1 : most;
}

Adapted filter_grad_case(const Row& row, const Context& context, const Extents& x, const Extents& g) {
    const DataType type = first_type(row);
    if (type != DataType::half && type != DataType::bfloat16) {
        return WhyNot{"gradients of filters of 16-bit elements can be run"};
    }
    const auto pad = same(row, {"pads", "padding", "pad"}, 0);
    const auto stride = same(row, {"strides", "stride"}, 1);
    const auto dilation = same(row, {"dilations", "dilation"}, 1);
    if (!pad || !stride || !dilation || *stride == 0 || *dilation == 0 ||
        row.integer("groups").value_or(1) != 1) {
        return WhyNot{"gradients of filters in groups, or unlike in rows and columns, have no kernel yet"};
    }
    const Extents in = space_of(x);
    const Extents out = space_of(g);
    const std::uint64_t filter = taps(in[2], out[2], *pad, *stride, *dilation);
    const std::uint64_t rows = taps(in[1], out[1], *pad, *stride, *dilation);
    const std::uint64_t filter_depth = x.size() == 5 ? taps(in[0], out[0], *pad, *stride, *dilation) : 1;
    if (filter == 0 || filter > 15 || rows != filter || filter_depth > 15) {
        return WhyNot{"the shapes of images and gradient fit no filter that is alike in rows and columns"};
    }
    constexpr std::uint64_t c0 = 16;
    const std::uint64_t c1 = blocks(x[1], c0);
    const std::uint64_t m1 = blocks(g[1], c0);
    Sequence sequence{row, context};
    const bool turned = row.notes_have("transdata") || row.notes_have("several");
    if (turned) {
        sequence.turn({x[0], c1, c0, in[0], in[1] * in[2]}, {0, 3, 1, 4, 2}, type);
        sequence.turn({g[0], m1, c0, out[0], out[1] * out[2]}, {0, 3, 1, 4, 2}, type);
        sequence.clear(filter_depth * c1 * filter * filter * m1 * c0 * c0, DataType::float32);
    }
    KernelRun run = sequence.kernel("conv_filter_grad");
    run.knob("batch", x[0])
        .knob("m1", m1)
        .knob("c1", c1)
        .knob("depth", in[0])
        .knob("height", in[1])
        .knob("width", in[2]);
    run.knob("filter", filter)
        .knob("filter_depth", filter_depth)
        .knob("stride", *stride)
        .knob("dilation", *dilation);
    run.knob("pad", *pad).knob("dtype", type);
    sequence.add(std::move(run));
    if (turned) {
        sequence.turn({filter_depth, c1, filter * filter, m1 * c0, c0},
                      {3, 1, 4, 0, 2},
                      DataType::float32,
                      "overlapped");
    }
    return sequence.take(
        turned ? "TransData takes images, gradient and the filter's gradient, MemSet clears that"
               : "images and gradients lie in the kernel's format");
}

}  // namespace ascendsim::validation
