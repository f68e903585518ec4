// SPDX-License-Identifier: Apache-2.0
#include "networks/run/layout_steps.hpp"

#include <utility>
#include <vector>

#include "networks/operators/steps.hpp"
#include "networks/run/layouts.hpp"

namespace ascendsim::networks {
namespace {

/// The steps of a conversion, each on what the one before made.
class Conversion {
public:
    explicit Conversion(const Tensor& from) : now_{from} {}

    void step(Task task, host::Shape shape) {
        task.reads = {{.value = tasks_.size(), .tensor = now_}};
        now_ = {.type = now_.type, .shape = std::move(shape)};
        task.makes = {now_};
        tasks_.push_back(std::move(task));
    }

    /// [outer, rows, columns] turned to [outer, columns, rows].
    void turn(std::uint64_t outer, std::uint64_t rows, std::uint64_t columns, host::Shape shape) {
        if (rows == 1 || columns == 1) {
            now_.shape = std::move(shape);
            return;
        }
        step({.kernel = "transpose",
              .knobs = {{"shape", host::Shape{outer, rows, columns}},
                        {"perm", host::Shape{0, 2, 1}},
                        {"dtype", type_word(now_.type, true)}}},
             std::move(shape));
    }

    void arrange_first(const Arrange& beside, const Tensor& from) {
        if (beside && !tasks_.empty()) {
            tasks_.front().arranged = {beside};
            tasks_.front().reads[0].tensor = from;
        }
    }

    void arrange_last(const Arrange& beside, const Tensor& to) {
        if (beside && !tasks_.empty()) {
            tasks_.back().taken = beside;
            tasks_.back().makes = {to};
        }
    }

    [[nodiscard]] PlannedNode node(std::string name, std::string from, std::string to, Tensor result) && {
        return {.name = std::move(name),
                .op = conversion_op,
                .inputs = {std::move(from)},
                .outputs = {std::move(to)},
                .results = {std::move(result)},
                .tasks = tasks_,
                .made = {tasks_.size()}};
    }

private:
    Tensor now_;
    std::vector<Task> tasks_;
};

}  // namespace

Tensor blocked(const Tensor& like, const ChannelBlocks& blocks) {
    return {.type = like.type, .shape = blocks.shape()};
}

PlannedNode to_blocks(const std::string& from, const Tensor& tensor, const ChannelBlocks& of) {
    Conversion conversion{tensor};
    const std::uint64_t channels = of.blocks * of.c0;
    if (of.channels != channels) {
        conversion.step({.kernel = "rearrange",
                         .knobs = {{"kind", std::string{"pad"}},
                                   {"shape", host::Shape{of.batch, of.channels, of.image}},
                                   {"begin", host::Shape{0, 0, 0}},
                                   {"out", host::Shape{of.batch, channels, of.image}},
                                   {"dtype", type_word(tensor.type, true)}}},
                        {of.batch, channels, of.image});
    }
    conversion.turn(of.batch * of.blocks, of.c0, of.image, of.shape());
    conversion.arrange_first(of.beside, tensor);
    return std::move(conversion).node(from, from, from + "/NC1HWC0", blocked(tensor, of));
}

PlannedNode from_blocks(const std::string& to, const Tensor& tensor, const ChannelBlocks& of) {
    Conversion conversion{blocked(tensor, of)};
    const std::uint64_t channels = of.blocks * of.c0;
    const bool filled = of.channels != channels;
    conversion.turn(of.batch * of.blocks,
                    of.image,
                    of.c0,
                    filled ? host::Shape{of.batch, channels, of.image} : tensor.shape);
    if (filled) {
        conversion.step({.kernel = "rearrange",
                         .knobs = {{"kind", std::string{"slice"}},
                                   {"shape", host::Shape{of.batch, channels, of.image}},
                                   {"begin", host::Shape{0, 0, 0}},
                                   {"out", host::Shape{of.batch, of.channels, of.image}},
                                   {"step", host::Shape{1, 1, 1}},
                                   {"dtype", type_word(tensor.type, true)}}},
                        tensor.shape);
    }
    conversion.arrange_last(of.beside, tensor);
    return std::move(conversion).node(to, to + "/NC1HWC0", to, tensor);
}

bool convertible(const ChannelBlocks& blocks) {
    return !blocks.beside || blocks.channels != blocks.blocks * blocks.c0 || blocks.image != 1;
}

}  // namespace ascendsim::networks
