// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/buffer_lives.hpp"

#include <algorithm>

namespace ascendsim {

void BufferLives::step(const isa::TimedOp& op, std::uint64_t cycle) {
    switch (op.step) {
        case isa::BufferStep::none:
            return;
        case isa::BufferStep::forgotten:
            end(cycle);
            return;
        case isa::BufferStep::died:
            if (const auto open = find(op); open != open_.end()) {
                close(*open, cycle);
                open_.erase(open);
            }
            return;
        case isa::BufferStep::born:
        case isa::BufferStep::handed_over:
            begin(op, cycle);
            return;
    }
}

void BufferLives::begin(const isa::TimedOp& op, std::uint64_t cycle) {
    if (op.bytes == 0) {
        return;
    }
    auto open = find(op);
    if (open == open_.end()) {
        open = open_.insert(open_.end(), Open{});
    } else {
        close(*open, cycle);
    }
    open->position = op.position;
    open->holder = static_cast<Pipe>(op.b);
    open->life = {.core_index = core_index_,
                  .memory = static_cast<std::uint8_t>(op.memory),
                  .offset = op.offset,
                  .bytes = op.bytes,
                  .from = cycle,
                  .site = recorder_.site(op.site.file, op.site.line),
                  .label = {}};
}

void BufferLives::close(Open& open, std::uint64_t cycle) {
    if (cycle <= open.life.from) {
        return;  // nobody had it
    }
    open.life.to = cycle;
    open.life.label = label(open.position, open.holder);
    recorder_.buffer(open.life);
}

void BufferLives::end(std::uint64_t cycle) {
    for (Open& open : open_) {
        close(open, cycle);
    }
    open_.clear();
}

std::vector<BufferLives::Open>::iterator BufferLives::find(const isa::TimedOp& op) {
    return std::ranges::find_if(open_, [&](const Open& open) {
        return open.life.offset == op.offset && open.life.memory == static_cast<std::uint8_t>(op.memory);
    });
}

std::string_view BufferLives::label(std::uint8_t position, Pipe holder) {
    std::string& text = labels_[{position, holder}];
    if (text.empty()) {
        text = isa::position_name(position);
        if (holder != Pipe::scalar) {
            text += fmt::format(", {}", name(holder));
        }
    }
    return text;
}

}  // namespace ascendsim
