// SPDX-License-Identifier: Apache-2.0
#include "models/isa/sync/inserted.hpp"

namespace ascendsim::isa {

const OpInfo inserted_barrier_info{"auto_barrier",
                                   "A barrier that the compiler's automatic synchronisation inserts."};
const OpInfo inserted_set_info{"auto_set_flag",
                               "The set of a flag that the compiler's automatic synchronisation inserts."};
const OpInfo inserted_wait_info{"auto_wait_flag",
                                "The wait for a flag that the compiler's automatic synchronisation inserts."};

Instructions inserted_instructions() {
    return {&inserted_barrier_info, &inserted_set_info, &inserted_wait_info};
}

TimedOp inserted_barrier(Pipe pipe, Site site, bool spare, const ChipSpec& chip) {
    return {.info = &inserted_barrier_info,
            .site = site,
            .kind = OpKind::barrier,
            .pipe = pipe,
            .a = static_cast<std::uint8_t>(spare ? 1 : 0),
            .scalar = chip.scalar.issue_cycles};
}

TimedOp inserted_set(Pipe source, Pipe destination, Site site) {
    return {.info = &inserted_set_info,
            .site = site,
            .kind = OpKind::set_flag,
            .pipe = source,
            .a = static_cast<std::uint8_t>(source),
            .b = static_cast<std::uint8_t>(destination),
            .id = inserted_flag};
}

TimedOp inserted_wait(Pipe source, Pipe destination, Site site, bool spare) {
    return {.info = &inserted_wait_info,
            .site = site,
            .kind = OpKind::wait_flag,
            .pipe = destination,
            .a = static_cast<std::uint8_t>(source),
            .b = static_cast<std::uint8_t>(destination),
            .id = inserted_flag,
            .work = spare ? 1U : 0U};
}

}  // namespace ascendsim::isa
