// SPDX-License-Identifier: BSL-1.0
// expected-first-error: not_declared
// expected-report: the case needs a correct twin
int main() { return not_declared; }
