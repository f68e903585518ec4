// SPDX-License-Identifier: Apache-2.0
// The source that parsed headers belong to (catalogue.cmake).
int main() {}
