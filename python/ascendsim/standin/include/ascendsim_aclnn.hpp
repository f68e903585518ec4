// SPDX-License-Identifier: Apache-2.0
// One call of an aclnn function with arguments from files: what programs that ascendsim.aclnn() writes
// include.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <acl/acl.h>
#include <aclnn/acl_meta.h>

namespace ascendsim::python {

/// The arguments that `folder`/arguments describes, a line each: what it is, and its numbers or files.
/// Tensors' elements are in files there; what the call leaves in them goes to files beside these.
class AclnnCall {
public:
    explicit AclnnCall(const std::string& folder) : folder_{folder} {
        if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
            aclrtCreateStream(&stream_) != ACL_SUCCESS) {
            fail("the device cannot be opened");
        }
        std::ifstream file{folder + "/arguments"};
        for (std::string line; std::getline(file, line);) {
            lines_.push_back(line);
        }
    }

    aclTensor* tensor(std::size_t argument) {
        std::istringstream line = words(argument);
        return tensor_of(line);
    }

    aclTensorList* tensors(std::size_t argument) {
        const auto all = list<const aclTensor*>(argument, [&](auto& line) { return tensor_of(line); });
        return aclCreateTensorList(all.data(), all.size());
    }

    std::int64_t integer(std::size_t argument) {
        std::istringstream line = words(argument);
        return number(line);
    }

    double real(std::size_t argument) {
        std::istringstream line = words(argument);
        return real_of(line);
    }

    bool flag(std::size_t argument) { return integer(argument) != 0; }

    aclDataType type(std::size_t argument) { return static_cast<aclDataType>(integer(argument)); }

    char* text(std::size_t argument) {
        texts_.push_back(std::make_unique<std::string>(words(argument).str().substr(text_start)));
        return texts_.back()->data();
    }

    aclScalar* scalar(std::size_t argument) {
        std::istringstream line = words(argument);
        return scalar_of(line);
    }

    aclScalarList* scalars(std::size_t argument) {
        const auto all = list<const aclScalar*>(argument, &scalar_of);
        return aclCreateScalarList(all.data(), all.size());
    }

    aclIntArray* integers(std::size_t argument) {
        const auto all = list<std::int64_t>(argument, &number);
        return aclCreateIntArray(all.data(), all.size());
    }

    aclFloatArray* reals(std::size_t argument) {
        const auto all = list<float>(argument, &real_of);
        return aclCreateFloatArray(all.data(), all.size());
    }

    aclBoolArray* flags(std::size_t argument) {
        const auto all = list<char>(argument, &number);  // a vector of bools has no array of them
        const std::unique_ptr<bool[]> copied{new bool[all.size()]};
        std::copy(all.begin(), all.end(), copied.get());
        return aclCreateBoolArray(copied.get(), all.size());
    }

    /// Both phases; then the tensors' elements go to their files. Returns the program's exit code.
    template <class First, class Second>
    int run(First first, Second second) {
        std::uint64_t bytes = 0;
        aclOpExecutor* executor = nullptr;
        if (const int code = first(&bytes, &executor); code != ACL_SUCCESS) {
            const char* const why = aclGetRecentErrMsg();
            fail("the function refuses the call with " + std::to_string(code) + ": " +
                 (why == nullptr ? "" : why));
        }
        void* workspace = nullptr;
        if (bytes > 0 && aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) {
            fail("no room for " + std::to_string(bytes) + " B of workspace");
        }
        if (const int code = second(workspace, bytes, executor, stream_); code != ACL_SUCCESS) {
            fail("the second phase ends with " + std::to_string(code));
        }
        if (aclrtSynchronizeStream(stream_) != ACL_SUCCESS) {
            return 1;  // the simulator has said why
        }
        for (const Placed& one : placed_) {
            std::vector<char> elements(one.bytes);
            aclrtMemcpy(elements.data(), one.bytes, one.device, one.bytes, ACL_MEMCPY_DEVICE_TO_HOST);
            std::ofstream{one.file + ".got", std::ios::binary}.write(
                elements.data(), static_cast<std::streamsize>(elements.size()));
        }
        return 0;
    }

private:
    struct Placed {
        void* device;
        std::size_t bytes;
        std::string file;
    };

    static constexpr std::size_t text_start = 1;  // behind the blank in front of a text

    [[noreturn]] void fail(const std::string& why) const {
        std::ofstream{folder_ + "/refused"} << why;
        std::exit(1);
    }

    std::istringstream words(std::size_t argument) const { return std::istringstream{lines_.at(argument)}; }

    /// What `read` takes from an argument's line as often as its first number says.
    template <class T, class Read>
    std::vector<T> list(std::size_t argument, Read read) {
        std::istringstream line = words(argument);
        std::vector<T> all(number(line));
        for (T& one : all) {
            one = static_cast<T>(read(line));
        }
        return all;
    }

    static std::int64_t number(std::istringstream& line) {
        std::int64_t value = 0;
        line >> value;
        return value;
    }

    static double real_of(std::istringstream& line) {
        std::string word;  // streams read no "inf"
        line >> word;
        return std::stod(word);
    }

    static std::vector<std::int64_t> extents(std::istringstream& line) {
        std::vector<std::int64_t> all(number(line));
        for (std::int64_t& one : all) {
            one = number(line);
        }
        return all;
    }

    aclTensor* tensor_of(std::istringstream& line) {
        const auto type = static_cast<aclDataType>(number(line));
        const std::vector<std::int64_t> shape = extents(line);
        const auto bytes = static_cast<std::size_t>(number(line));
        std::string name;
        line >> name;
        Placed one{nullptr, bytes, folder_ + "/" + name};
        if (bytes > 0) {
            std::ifstream file{one.file, std::ios::binary};
            std::vector<char> elements(bytes);
            file.read(elements.data(), static_cast<std::streamsize>(bytes));
            if (aclrtMalloc(&one.device, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) {
                fail("no room for " + std::to_string(bytes) + " B of a tensor");
            }
            aclrtMemcpy(one.device, bytes, elements.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
            placed_.push_back(one);
        }
        std::vector<std::int64_t> strides(shape.size(), 1);
        for (std::size_t i = shape.size(); i > 1; --i) {
            strides[i - 2] = strides[i - 1] * shape[i - 1];
        }
        return aclCreateTensor(shape.data(),
                               shape.size(),
                               type,
                               strides.data(),
                               0,
                               ACL_FORMAT_ND,
                               shape.data(),
                               shape.size(),
                               one.device);
    }

    static aclScalar* scalar_of(std::istringstream& line) {
        const auto type = static_cast<aclDataType>(number(line));
        if (type == ACL_INT64) {
            std::int64_t value = number(line);
            return aclCreateScalar(&value, type);
        }
        if (type == ACL_BOOL) {
            bool value = number(line) != 0;
            return aclCreateScalar(&value, type);
        }
        double value = real_of(line);
        if (type == ACL_FLOAT) {
            auto single = static_cast<float>(value);
            return aclCreateScalar(&single, type);
        }
        return aclCreateScalar(&value, ACL_DOUBLE);
    }

    std::string folder_;
    aclrtStream stream_ = nullptr;
    std::vector<std::string> lines_;
    std::vector<Placed> placed_;
    std::vector<std::unique_ptr<std::string>> texts_;
};

}  // namespace ascendsim::python
