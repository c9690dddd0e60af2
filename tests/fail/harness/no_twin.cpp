// SPDX-License-Identifier: BSL-1.0
// expected-first-error: not_declared
// expected-report: a correct twin must stand beside
int main() { return not_declared; }
