// SPDX-License-Identifier: Apache-2.0
#include "models/isa/vector/vector_cost.hpp"

#include <gtest/gtest.h>

#include "models/isa/instructions.hpp"

namespace ascendsim::isa {

namespace {

TEST(VectorCost, IsKnownOfEveryInstructionOfTheVectorUnit) {
    for (const ListedInstruction& one : list_instructions()) {
        if (one.file.starts_with("models/isa/vector/")) {
            EXPECT_TRUE(vector_cost_of(one.name).has_value()) << one.name;
        }
    }
}

TEST(VectorCost, IsTheOneThatTheInstructionIsIssuedWith) {
    EXPECT_EQ(vector_cost_of("vadd")->name, "simple");
    EXPECT_EQ(vector_cost_of("vexp")->name, "exp");
    EXPECT_EQ(vector_cost_of("vcadd")->name, "reduce_repeat");
    EXPECT_EQ(vector_cost_of("vcgadd")->name, "reduce_block");
    EXPECT_EQ(vector_cost_of("vector_dup")->cost, &VectorSpec::duplicate);
    EXPECT_FALSE(vector_cost_of("mmad").has_value());
}

TEST(VectorCosts, TellHowManyTensorsAreRead) {
    EXPECT_EQ(tensors_read("vadd"), 2U);
    EXPECT_EQ(tensors_read("vadds"), 1U);
    EXPECT_EQ(tensors_read("vector_dup"), 0U);
    EXPECT_EQ(tensors_read("vaxpy"), std::nullopt);  // adds half to float, too
    EXPECT_EQ(tensors_read("vconv"), std::nullopt);
    EXPECT_EQ(tensors_read("copy_gm_to_ubuf"), std::nullopt);
}

}  // namespace

}  // namespace ascendsim::isa
