// SPDX-License-Identifier: Apache-2.0
#include "models/isa/instructions.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/isa/cube/mmad.hpp"

namespace ascendsim::isa {
namespace {

namespace fs = std::filesystem;

/// "name in file" of every declaration in the sources: `OpInfo info{"mmad", "Multiplies."}`, `.info = {...}`
/// or `binary<Add>({"vadd", "Adds."}, ...)`, in one line or two.
std::vector<std::string> declared_in_sources() {
    static const std::regex declaration{R"re(\{\s*"([a-z][a-z0-9_]*)"\s*,\s*"[A-Z][^"]*\.")re"};
    std::vector<std::string> result;
    for (const char* folder :
         {"models/port", "models/isa/move", "models/isa/vector", "models/isa/cube", "models/isa/sync"}) {
        for (const fs::directory_entry& entry : fs::directory_iterator{fs::path{ASCENDSIM_ROOT} / folder}) {
            const std::string file = fs::relative(entry.path(), ASCENDSIM_ROOT).string();
            if (file.ends_with("_test.cpp") || entry.is_directory()) {
                continue;
            }
            std::ifstream stream{entry.path()};
            const std::string text{std::istreambuf_iterator<char>{stream}, {}};
            for (std::sregex_iterator match{text.begin(), text.end(), declaration};
                 match != std::sregex_iterator{};
                 ++match) {
                result.push_back((*match)[1].str() + " in " + file);
            }
        }
    }
    return result;
}

TEST(Instructions, ListEveryDeclarationOfTheSourcesUnderItsFile) {
    std::vector<std::string> listed;
    for (const ListedInstruction& one : list_instructions()) {
        listed.push_back(std::string{one.name} + " in " + std::string{one.file});
    }
    EXPECT_THAT(listed, testing::UnorderedElementsAreArray(declared_in_sources()));
}

TEST(Instructions, ComeInOrderAndOnce) {
    const std::vector<ListedInstruction> all = list_instructions();
    EXPECT_EQ(std::ranges::adjacent_find(all, std::ranges::greater_equal{}, &ListedInstruction::name),
              all.end());
}

TEST(Instructions, SayWhatTheInstructionItselfSays) {
    const std::vector<ListedInstruction> all = list_instructions();
    const auto found = std::ranges::find(all, "mmad", &ListedInstruction::name);
    ASSERT_NE(found, all.end());
    EXPECT_EQ(found->meaning, Mmad::info.meaning);
    EXPECT_EQ(found->file, "models/isa/cube/mmad.hpp");
}

}  // namespace
}  // namespace ascendsim::isa
