// SPDX-License-Identifier: Apache-2.0
#include "models/isa/sync/unit_flag.hpp"

#include "models/port/core_port.hpp"

namespace ascendsim::isa {
namespace {

constexpr OpInfo set_info{"unit_flag_set", "Mmad or Fixpipe hands over its part of L0C by the unit flag."};
constexpr OpInfo wait_info{"unit_flag_wait", "Mmad or Fixpipe waits for its part of L0C by the unit flag."};

constexpr std::size_t state_slot = 2;      // of Registers::user
constexpr std::uint8_t last = 3;           // value of the unit flag
constexpr std::uint32_t bits_of_half = 8;  // of the state, for each half of L0C

// What is under way in one half of L0C. Kernels with two results in L0C put one into each half.
enum State : std::uint64_t {
    multiplying = 1,  // an Mmad has taken the place, the last one has not come
    produced = 2,     // the result is there, no Fixpipe has taken it
    leaving = 4,      // a Fixpipe has taken the result, the last one has not come
    released = 8,     // the place is free, no Mmad has taken it
};

class Half {
public:
    explicit Half(std::uint32_t result)
        : core_{CorePort::current()}, half_{result >= core_.chip().buffers.l0c / 2 ? 1U : 0U} {}

    [[nodiscard]] bool is(State state) const { return (word() >> shift() & state) != 0; }

    void set(State state, bool on) {
        const std::uint64_t bit = std::uint64_t{state} << shift();
        word() = on ? word() | bit : word() & ~bit;
    }

    // Flags behind those of the kernel, one for each half.
    void push(const OpInfo& info, OpKind kind, Pipe source, Pipe destination, Site site) {
        const TimedOp op{.info = &info,
                         .site = site,
                         .kind = kind,
                         .pipe = kind == OpKind::set_flag ? source : destination,
                         .a = static_cast<std::uint8_t>(source),
                         .b = static_cast<std::uint8_t>(destination),
                         .id = core_.chip().sync.flag_ids + half_};
        core_.push(op);  // observers see the unit flag in the Mmad and the Fixpipe
    }

private:
    [[nodiscard]] std::uint32_t shift() const { return half_ * bits_of_half; }

    [[nodiscard]] std::uint64_t& word() const { return core_.registers().user[state_slot]; }

    CorePort& core_;
    std::uint32_t half_;
};

}  // namespace

Instructions unit_flag_instructions() {
    return {&set_info, &wait_info};
}

void before_unit_mmad(std::uint32_t result, std::uint8_t unit_flag, Site site) {
    Half half{result};
    if (unit_flag == 0 || half.is(multiplying)) {
        return;
    }
    if (half.is(released)) {
        half.push(wait_info, OpKind::wait_flag, Pipe::fixpipe, Pipe::cube, site);
        half.set(released, false);
    }
    half.set(multiplying, true);
}

void after_unit_mmad(std::uint32_t result, std::uint8_t unit_flag, Site site) {
    Half half{result};
    if (unit_flag != last) {
        return;
    }
    half.set(multiplying, false);
    if (!half.is(produced)) {
        half.push(set_info, OpKind::set_flag, Pipe::cube, Pipe::fixpipe, site);
        half.set(produced, true);
    }
}

void before_unit_fixpipe(std::uint32_t result, std::uint8_t unit_flag, Site site) {
    Half half{result};
    if (unit_flag == 0 || half.is(leaving)) {
        return;
    }
    half.push(
        wait_info, OpKind::wait_flag, Pipe::cube, Pipe::fixpipe, site);  // for ever, if no Mmad was the last
    half.set(produced, false);
    half.set(leaving, true);
}

void after_unit_fixpipe(std::uint32_t result, std::uint8_t unit_flag, Site site) {
    Half half{result};
    if (unit_flag != last) {
        return;
    }
    half.set(leaving, false);
    if (!half.is(released)) {
        half.push(set_info, OpKind::set_flag, Pipe::fixpipe, Pipe::cube, site);
        half.set(released, true);
    }
}

}  // namespace ascendsim::isa
