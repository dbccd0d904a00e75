// SPDX-License-Identifier: MIT
// What fuzz targets of importers share: reading with and without mercy, the promises that every
// document keeps, and its use as a program uses it. A broken promise ends the program.
#ifndef SINEW_TESTS_FUZZ_USE_DOCUMENT_H
#define SINEW_TESTS_FUZZ_USE_DOCUMENT_H

#include "sinew/gltf.h"

/// Every index names something, every number is finite, weights sum to 1 and fall, key times do not
/// decrease, rotations have unit length, parents and children agree, findings have a code and
/// words.
void fuzz_check_document(const sinew_document *document);

/// Skeletons, skins, bindings; every clip sampled at its ends, within and beyond; palettes, morph
/// targets, skinning. Large documents are used in part, so that a run stays short.
void fuzz_use_document(const sinew_document *document);

/// Reads bytes by default, under `strict`, and with limits that follow from the bytes; checks and
/// uses what comes out, and checks the errors. True where the default reading gives a document.
bool fuzz_read(const uint8_t *data, size_t size);

#endif
