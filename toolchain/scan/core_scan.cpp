// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scan/core_scan.hpp"

#include <algorithm>
#include <array>

#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {

std::optional<CoreUse> cores_by_calls(std::string_view text) {
    constexpr std::array<std::string_view, 5> cube_words{
        "Mmad", "LoadData", "LoadDataWithTranspose", "Fixpipe", "CO1"};
    constexpr std::array<std::string_view, 3> vector_words{"VECIN", "VECOUT", "VECCALC"};
    constexpr std::array<std::string_view, 2> object_words{"REGIST_MATMUL_OBJ", "MatmulImpl"};
    bool cube = false;
    bool vector = false;
    bool object = false;
    each_word(without_dead_code(without_comments(text)), [&](std::string_view word, std::size_t /*behind*/) {
        cube = cube || std::ranges::find(cube_words, word) != cube_words.end();
        vector = vector || std::ranges::find(vector_words, word) != vector_words.end();
        object = object || std::ranges::find(object_words, word) != object_words.end();
    });
    if (object || (cube && vector)) {
        return CoreUse::mix_1_2;
    }
    return cube ? std::optional{CoreUse::aic} : std::nullopt;
}

}  // namespace ascendsim::toolchain
