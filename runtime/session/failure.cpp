// SPDX-License-Identifier: Apache-2.0
// What stopped a run, as an exit code and a sentence.
#include <new>

#include "runtime/session/session.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::runtime {

int exit_code(const std::exception_ptr& failure) {
    constexpr int user = 2;
    constexpr int program = 3;
    constexpr int ours = 4;
    try {
        std::rethrow_exception(failure);
    } catch (const UserError&) {
        return user;
    } catch (const ProgramError&) {
        return program;
    } catch (...) {
        return ours;
    }
}

std::string message(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::bad_alloc&) {
        return "the host has not enough memory for this run: try a smaller shape, or --timing-only; if "
               "neither "
               "helps, this is a defect of ascendsim's";
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an unknown exception";
    }
}

}  // namespace ascendsim::runtime
