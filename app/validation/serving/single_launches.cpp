// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/single_launches.hpp"

#include "app/validation/catalogue.hpp"
#include "app/validation/row.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::validation {

bool launched_one_by_one(const SystemRow& row) {
    return row.says("prefill") || lower(row.software).find("eager") != std::string::npos;
}

double first_task_us(const toolchain::Installation& installation) {
    Measurement one;
    one.source = single_launches;
    return Catalogue{installation.measurements()}.source(Row{one}).first_task_us;
}

}  // namespace ascendsim::validation
