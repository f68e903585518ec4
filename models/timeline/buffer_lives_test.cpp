// SPDX-License-Identifier: Apache-2.0
#include "models/timeline/buffer_lives.hpp"

#include <tuple>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "sim/record/recording.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim {
namespace {

constexpr std::uint8_t vecin = 9;  // TPosition
constexpr std::uint8_t veccalc = 11;

/// An operation that carries a step of the buffer of 64 B at `offset` of UB.
isa::TimedOp op(isa::BufferStep step, std::uint32_t offset, Pipe holder, std::uint8_t position = vecin) {
    return {.site = {"kernel.cpp", 7},
            .b = static_cast<std::uint8_t>(holder),
            .bytes = 64,
            .offset = offset,
            .memory = Memory::ub,
            .step = step,
            .position = position};
}

class BufferLivesTest : public ::testing::Test {
protected:
    using Life =
        std::tuple<std::string, std::uint32_t, std::uint64_t, std::uint64_t>;  // label, offset, from, to

    record::testing::TemporaryFile file;
    record::Recorder recorder{file.path()};
    BufferLives lives{recorder, 5};

    std::vector<Life> recorded() {
        recorder.finish(nlohmann::json::object());
        const record::Recording recording{file.path()};
        std::vector<Life> result;
        for (const record::Buffer& buffer : recording.buffers()) {
            EXPECT_EQ(buffer.core_index, 5U);
            EXPECT_EQ(buffer.memory, index(Memory::ub));
            EXPECT_EQ(buffer.bytes, 64U);
            EXPECT_EQ(recording.site(buffer.site), (record::SourceLine{"kernel.cpp", 7}));
            result.emplace_back(recording.name(buffer.label), buffer.offset, buffer.from, buffer.to);
        }
        return result;
    }
};

TEST_F(BufferLivesTest, AQueuesBufferLivesWithItsProducerThenWithItsConsumer) {
    lives.step(op(isa::BufferStep::born, 128, Pipe::mte2), 10);
    lives.step(op(isa::BufferStep::handed_over, 128, Pipe::vector), 40);
    lives.step(op(isa::BufferStep::died, 128, Pipe::mte2), 70);
    EXPECT_THAT(recorded(),
                ::testing::ElementsAre(Life{"VECIN, mte2", 128, 10, 40}, Life{"VECIN, vector", 128, 40, 70}));
}

TEST_F(BufferLivesTest, TheNextTenantEndsALifeWhoseEndNobodySaid) {
    lives.step(op(isa::BufferStep::born, 0, Pipe::vector), 10);
    lives.step(op(isa::BufferStep::born, 0, Pipe::vector), 25);
    lives.end(30);
    EXPECT_THAT(recorded(),
                ::testing::ElementsAre(Life{"VECIN, vector", 0, 10, 25}, Life{"VECIN, vector", 0, 25, 30}));
}

TEST_F(BufferLivesTest, APlainBufferLivesUntilEverythingIsForgotten) {
    lives.step(op(isa::BufferStep::born, 0, Pipe::scalar, veccalc), 3);
    lives.step({.step = isa::BufferStep::forgotten}, 90);
    lives.step(op(isa::BufferStep::died, 0, Pipe::scalar, veccalc), 95);  // of nobody
    EXPECT_THAT(recorded(), ::testing::ElementsAre(Life{"VECCALC", 0, 3, 90}));
}

TEST_F(BufferLivesTest, LivesOfNoTimeAreLeftOut) {
    lives.step(op(isa::BufferStep::born, 0, Pipe::mte2), 8);
    lives.step(op(isa::BufferStep::died, 0, Pipe::mte2), 8);
    EXPECT_TRUE(recorded().empty());
}

}  // namespace
}  // namespace ascendsim
