// SPDX-License-Identifier: MIT
// What surfaces of characters made by code must be.
#ifndef SINEW_TESTS_CLOSED_MESH_H
#define SINEW_TESTS_CLOSED_MESH_H

#include "sinew/document.h"

/// Each edge has two triangles, which run along it in opposite directions; the volume inside is
/// positive.
void test_check_closed(const sinew_primitive *primitive);
/// Normals have length 1 and point to the side that triangles face.
void test_check_normals(const sinew_primitive *primitive);

#endif
