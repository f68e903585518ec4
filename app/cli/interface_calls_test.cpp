// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interface_calls.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "models/isa/instructions.hpp"
#include "sim/process/file_text.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;

TEST(InterfaceCalls, NameInstructionsThatThereAre) {
    const std::vector<isa::ListedInstruction> all = isa::list_instructions();
    for (const InterfaceCall& call : interface_calls()) {
        std::istringstream words{std::string{call.instructions}};
        for (std::string word; words >> word;) {
            EXPECT_NE(std::ranges::find(all, word, &isa::ListedInstruction::name), all.end())
                << call.name << ": " << word;
        }
    }
}

TEST(InterfaceCalls, AreDeclaredInTheInterface) {
    std::string declared;
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator{toolchain::Installation::find().root / "kernels/ascendc"}) {
        if (entry.path().extension() == ".h") {
            declared += process::text_of(entry.path());
        }
    }
    for (const InterfaceCall& call : interface_calls()) {
        EXPECT_NE(declared.find(std::string{" "} + std::string{call.name} + "("), std::string::npos)
            << call.name;
    }
}

TEST(InterfaceCalls, AreFoundByTheirInstruction) {
    EXPECT_EQ(calls_of("vcadd"),
              (std::vector<std::string>{"ReduceSum", "WholeReduceSum", "RepeatReduceSum"}));
    EXPECT_EQ(calls_of("copy_gm_to_ubuf"), std::vector<std::string>{"DataCopy"});
}

}  // namespace
}  // namespace ascendsim::cli
