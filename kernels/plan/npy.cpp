// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan/npy.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include <fmt/ranges.h>

#include "kernels/plan/element.hpp"
#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"
#include "sim/base/units.hpp"
#include "sim/process/whole_file.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::size_t header_alignment = 64;

struct TypeName {
    std::string_view npy;
    DataType type;
};

constexpr std::array type_names_known{TypeName{"<f2", DataType::half},
                                      TypeName{"<f4", DataType::float32},
                                      TypeName{"<f8", DataType::float64},
                                      TypeName{"|i1", DataType::int8},
                                      TypeName{"|u1", DataType::uint8},
                                      TypeName{"<i2", DataType::int16},
                                      TypeName{"<u2", DataType::uint16},
                                      TypeName{"<i4", DataType::int32},
                                      TypeName{"<u4", DataType::uint32},
                                      TypeName{"<i8", DataType::int64},
                                      TypeName{"<u8", DataType::uint64},
                                      TypeName{"|b1", DataType::boolean},
                                      TypeName{"|V2", DataType::bfloat16},
                                      TypeName{"<V2", DataType::bfloat16}};

/// The text of a header that follows `key` and its colon, up to the value's end.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key) {
    const auto at = header.find(fmt::format("'{}'", key));
    const auto colon = at == std::string_view::npos ? at : header.find(':', at);
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    header.remove_prefix(colon + 1);
    const auto first = header.find_first_not_of(' ');
    if (first == std::string_view::npos) {
        return std::nullopt;
    }
    header.remove_prefix(first);
    const auto end = header.front() == '(' ? header.find(')') : header.find_first_of(",}");
    return end == std::string_view::npos ? std::nullopt : std::optional{header.substr(0, end)};
}

DataType parse_descr(std::string_view header, std::string_view name) {
    const auto descr = value_of(header, "descr");
    if (descr && descr->size() > 2) {
        const std::string_view inner = descr->substr(1, descr->find_last_of("'\"") - 1);
        for (const TypeName& known : type_names_known) {
            if (known.npy == inner) {
                return known.type;
            }
        }
    }
    throw UserError{
        "{}: its element type {} is none of float16, bfloat16 (as V2), float32, float64, int8 to uint64, "
        "bool "
        "in little-endian order",
        name,
        descr.value_or("is missing: the type")};
}

Shape parse_shape(std::string_view header, std::string_view name) {
    auto text = value_of(header, "shape");
    if (!text || text->empty() || text->front() != '(') {
        throw UserError{"{}: not a .npy file: its header has no shape", name};
    }
    text->remove_prefix(1);
    if (const auto odd = text->find_first_not_of("0123456789L, "); odd != std::string_view::npos) {
        throw UserError{"{}: not a .npy file: '{}' in its shape", name, (*text)[odd]};
    }
    Shape shape;
    std::uint64_t total = 1;
    while (true) {
        const auto first = text->find_first_of("0123456789");
        if (first == std::string_view::npos) {
            return shape;
        }
        text->remove_prefix(first);
        std::uint64_t extent = 0;
        const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), extent);
        if (error != std::errc{} || __builtin_mul_overflow(total, extent, &total) ||
            total > (std::uint64_t{1} << 48U)) {
            throw UserError{"{}: not a .npy file: its shape is too large", name};
        }
        text->remove_prefix(static_cast<std::size_t>(end - text->data()));
        shape.push_back(extent);
    }
}

}  // namespace

NpyArray parse_npy(std::span<const std::byte> content, std::string_view name) {
    const std::string_view text{reinterpret_cast<const char*>(content.data()), content.size()};
    constexpr std::size_t version_end = 8;
    if (!text.starts_with(magic) || text.size() < version_end + 4) {
        throw UserError{"{}: not a .npy file", name};
    }
    const unsigned version = static_cast<unsigned char>(text[6]);
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    std::size_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) {
        length |= std::size_t{static_cast<unsigned char>(text[version_end + i])} << (8 * i);
    }
    const std::size_t data = version_end + length_bytes + length;
    if (version < 1 || version > 3 || data > text.size()) {
        throw UserError{"{}: not a .npy file of format 1 to 3, or cut short", name};
    }
    const std::string_view header = text.substr(version_end + length_bytes, length);
    if (value_of(header, "fortran_order").value_or("").starts_with("True")) {
        throw UserError{"{}: is in Fortran order; save numpy.ascontiguousarray(x) instead", name};
    }
    NpyArray result{.type = parse_descr(header, name), .shape = parse_shape(header, name), .bytes = {}};
    const std::uint64_t need = isa::bytes_of(result.type, elements(result.shape));
    if (need != text.size() - data) {
        throw UserError{"{}: shape {} of {} takes {} bytes, the file holds {}",
                        name,
                        host::text(result.shape),
                        isa::name(result.type),
                        need,
                        text.size() - data};
    }
    result.bytes.assign(content.begin() + static_cast<std::ptrdiff_t>(data), content.end());
    return result;
}

NpyArray read_npy(const std::filesystem::path& file, std::string_view where) {
    const std::string name = where.empty() ? file.string() : fmt::format("{}: {}", where, file.string());
    std::error_code missing;
    const std::filesystem::file_status status = std::filesystem::status(file, missing);
    if (!std::filesystem::exists(status)) {
        throw UserError{"{}: {}", name, why_unreadable(file)};
    }
    if (!std::filesystem::is_regular_file(status)) {  // a pipe would wait for its writer
        throw UserError{"{}: not a file", name};
    }
    std::ifstream stream{file, std::ios::binary | std::ios::ate};
    if (!stream) {
        throw UserError{"{}: cannot be read", name};
    }
    std::vector<std::byte> content(static_cast<std::size_t>(stream.tellg()));
    stream.seekg(0);
    stream.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(content.size()));
    if (!stream) {
        throw UserError{"{}: cannot be read", name};
    }
    return parse_npy(content, name);
}

void write_npy(const std::filesystem::path& file,
               DataType type,
               const Shape& shape,
               std::span<const std::byte> bytes) {
    std::vector<std::byte> unpacked;
    if (type == DataType::int4) {
        unpacked.resize(elements(shape));
        for (std::uint64_t i = 0; i < unpacked.size(); ++i) {
            write_element(DataType::int8, unpacked, i, read_element(type, bytes, i));
        }
        type = DataType::int8;
        bytes = unpacked;
    }
    std::string_view descr;
    for (const TypeName& known : type_names_known) {
        if (known.type == type && descr.empty()) {
            descr = known.npy;
        }
    }
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                     descr,
                                     fmt::join(shape, ", "),
                                     shape.size() == 1 ? "," : "");
    constexpr std::size_t prefix = 10;
    header.resize(round_up(prefix + header.size() + 1, header_alignment) - prefix - 1, ' ');
    header += '\n';
    process::WholeFile whole{file};
    std::ostream& stream = whole.stream();
    const auto length = static_cast<std::uint16_t>(header.size());
    stream << magic << '\x01' << '\0' << static_cast<char>(length & 0xFFU) << static_cast<char>(length >> 8U)
           << header;
    stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    whole.finish();
}

}  // namespace ascendsim::host
