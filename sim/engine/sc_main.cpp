// SPDX-License-Identifier: Apache-2.0
#include <systemc>

// The SystemC library refers to sc_main. Our programs elaborate and start the simulation themselves; it is
// never called.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) {
    return 0;
}
