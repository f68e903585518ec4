// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "models/port/core_port.hpp"

namespace ascendsim {

/// Holds a core's program back before it touches global memory, one for each core:
///
///   kernel --> instruction --> EffectOrder: of global memory? --> the program waits until the simulated time
///   has
///                                 |                               reached its scalar unit
///                                 v
///                           the hazard checker; the core's timeline
///
/// A program usually runs far ahead of its timing, and cores take turns by what they issued, not by time.
/// Where cores touch the same bytes with nothing to order them, who comes first is then not what the times
/// say. With this, effects come in the order in which the scalar units issue them.
class EffectOrder final : public isa::AccessObserver {
public:
    /// `next` sees what happens, or is null; `wait` returns when the program may go on.
    EffectOrder(isa::AccessObserver* next, std::function<void()> wait)
        : next_{next}, wait_{std::move(wait)} {}

    void on_issue(const isa::TimedOp& op, const isa::Accesses& accesses) override {
        const isa::TimedOp held = op;  // what the program issued before leaves the queue meanwhile
        if (std::ranges::any_of(accesses, [](const isa::Access& access) {
                return access.memory == Memory::gm && access.extent() != 0;
            })) {
            wait_();
        }
        isa::CorePort::current().next() = held;
        if (next_ != nullptr) {
            next_->on_issue(held, accesses);
        }
    }

    void on_begin() override {
        if (next_ != nullptr) {
            next_->on_begin();
        }
    }

    void on_end() override {
        if (next_ != nullptr) {
            next_->on_end();
        }
    }

    void on_buffer(isa::BufferNotice notice, const isa::Access& range, Site site) override {
        if (next_ != nullptr) {
            next_->on_buffer(notice, range, site);
        }
    }

    void on_clean(std::uint64_t offset, bool whole) override {
        if (next_ != nullptr) {
            next_->on_clean(offset, whole);
        }
    }

    void on_fault(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) override {
        if (next_ != nullptr) {
            next_->on_fault(info, site, message, pipe);
        }
    }

    void on_beyond(const isa::OpInfo& info, Site site, std::string_view message, Pipe pipe) override {
        if (next_ != nullptr) {
            next_->on_beyond(info, site, message, pipe);
        }
    }

    void on_rounded(Site site, Pipe pipe, std::uint64_t asked, std::uint64_t moved) override {
        if (next_ != nullptr) {
            next_->on_rounded(site, pipe, asked, moved);
        }
    }

private:
    isa::AccessObserver* next_;
    std::function<void()> wait_;
};

}  // namespace ascendsim
