// SPDX-License-Identifier: Apache-2.0
#include "app/networks/elements_file.hpp"

#include <cstdint>
#include <fstream>
#include <ostream>
#include <span>
#include <string>

#include "sim/base/error.hpp"
#include "sim/process/whole_file.hpp"

namespace ascendsim::report {
namespace {

constexpr std::uint64_t most_read = std::uint64_t{1} << 36U;  // bytes of a name or elements of a tensor

template <class T>
void write(std::ostream& stream, std::span<const T> values) {
    const std::uint64_t count = values.size();
    stream.write(reinterpret_cast<const char*>(&count), sizeof count);
    stream.write(reinterpret_cast<const char*>(values.data()),
                 static_cast<std::streamsize>(values.size_bytes()));
}

template <class Values>
bool read(std::ifstream& stream, Values& values) {
    std::uint64_t count = 0;
    if (!stream.read(reinterpret_cast<char*>(&count), sizeof count) || count > most_read) {
        return false;
    }
    values.resize(count);
    return bool{stream.read(reinterpret_cast<char*>(values.data()),
                            static_cast<std::streamsize>(count * sizeof values[0]))};
}

}  // namespace

void write_elements(const std::filesystem::path& file, const networks::Elements& elements) {
    process::WholeFile whole{file};
    for (const auto& [name, values] : elements) {
        write(whole.stream(), std::span<const char>{name});
        write(whole.stream(), std::span<const double>{values});
    }
    whole.finish();
}

networks::Elements read_elements(const std::filesystem::path& file) {
    std::ifstream stream{file, std::ios::binary};
    networks::Elements elements;
    std::string name;
    while (stream.peek() != std::ifstream::traits_type::eof()) {
        if (!read(stream, name) || !read(stream, elements[name])) {
            throw UserError{"{}: elements of tensors end early", file.string()};
        }
    }
    return elements;
}

}  // namespace ascendsim::report
