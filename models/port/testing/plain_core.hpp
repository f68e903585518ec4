// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// A core without a machine behind it, for tests of instructions and headers: effects happen, timed
/// operations are kept.
class PlainCore final : public CorePort {
public:
    PlainCore(const ChipSpec& chip, GlobalMemory& memory, CoreKind kind) : CorePort{chip, memory} {
        identity_.kind = kind;
        allocate_locals(kind);
        previous_ = current_;
        current_ = this;
    }

    ~PlainCore() override { current_ = previous_; }

    /// Everything pushed so far, in program order.
    [[nodiscard]] const std::vector<TimedOp>& ops() {
        drain();
        return ops_;
    }

    [[nodiscard]] const Transfer& transfer(const TimedOp& op) const { return transfers_[op.id]; }

    void set_identity(const CoreIdentity& identity) { identity_ = identity; }

    void set_observer(AccessObserver* observer) { observer_ = observer; }

    /// Makes this core the running one; the newest PlainCore is at first.
    void resume() { current_ = this; }

    void set_functional(bool on) { functional_ = on; }

    void await_cross_flag(std::uint32_t, Site) override {}

    void raise_cross_flag(std::uint32_t, std::uint32_t, Site) override {}

    void await_all(bool, Site) override {}

    void yield() override {}

    std::uint64_t system_cycle(Site) override { return ++cycle_; }

    [[noreturn]] void fail(const OpInfo& info, Site site, std::string_view message, Pipe pipe) override {
        if (observer_ != nullptr) {
            observer_->on_fault(info, kernel_line(site), message, pipe);
        }
        throw std::runtime_error{std::string{info.name} + " at line " + std::to_string(site.line) + ": " +
                                 std::string{message}};
    }

private:
    void drain() override {
        const auto fresh = pending();
        ops_.insert(ops_.end(), fresh.begin(), fresh.end());
        rewind();
    }

    std::vector<TimedOp> ops_;
    CorePort* previous_ = nullptr;
    std::uint64_t cycle_ = 0;
};

}  // namespace ascendsim::isa
