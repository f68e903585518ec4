// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/conflict_places.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace ascendsim {

namespace {

isa::TimedOp conflict_at(const isa::OpInfo& info, const char* file, std::uint32_t offset) {
    isa::TimedOp op;
    op.info = &info;
    op.site.file = file;
    op.site.line = 7;
    op.conflict = 5;
    op.offset = offset;
    return op;
}

// The same file is another literal in each library that a kernel is made of; which of them lies lower in
// memory is chance.
TEST(ConflictPlaces, ShowTheOperandsOfTheFirstWhereverItsTextLies) {
    const isa::OpInfo info{.name = "vadd", .meaning = ""};
    const std::array<std::string, 2> texts{"kernel.cpp", "kernel.cpp"};
    const bool lower_first = texts[0].c_str() < texts[1].c_str();
    for (const bool low : {true, false}) {
        const std::string& first = texts[low == lower_first ? 0 : 1];
        const std::string& second = texts[low == lower_first ? 1 : 0];
        ConflictPlaces of_core;
        of_core.add(conflict_at(info, first.c_str(), 64));
        of_core.add(conflict_at(info, second.c_str(), 128));
        ConflictPlaces all;
        all.add(of_core);
        for (const ConflictPlaces* places : {&of_core, &all}) {
            const std::vector<ConflictAt> list = places->list();
            ASSERT_EQ(list.size(), 1U);
            EXPECT_EQ(list[0].dst, 64U) << low;
            EXPECT_EQ(list[0].count, 2U);
            EXPECT_EQ(list[0].cycles, 10U);
        }
    }
}

}  // namespace

}  // namespace ascendsim
