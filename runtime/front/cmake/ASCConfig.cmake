# SPDX-License-Identifier: Apache-2.0
# find_package(ASC) before project(… LANGUAGES ASC): the language of .asc files, compiled by ascendsim-cc. Found with the
# toolkit's bin in PATH, or its folder in CMAKE_PREFIX_PATH.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(ASC_FOUND TRUE)
