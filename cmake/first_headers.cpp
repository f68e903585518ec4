// SPDX-License-Identifier: Apache-2.0
// The source that the parsed headers of the build First belong to (catalogue.cmake).
