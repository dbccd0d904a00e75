// SPDX-License-Identifier: MIT
// The same program as C++: the headers and everything they define inline must compile there.
#include "consumer.c"
