// SPDX-License-Identifier: MIT
// Changes to glTF files that leave them glTF files: what a fuzzer of plain bytes hardly ever finds.
#ifndef SINEW_TESTS_FUZZ_MUTATE_GLTF_H
#define SINEW_TESTS_FUZZ_MUTATE_GLTF_H

#include <stddef.h>
#include <stdint.h>

/// Changes a .gltf (or any other JSON) text or a .glb in one place, rarely in a few: a number, a
/// word, a member or element left out, doubled, put elsewhere or taken from another place; or a
/// number of the binary part. Lengths of a GLB stay right. Returns the new size, at most max_size;
/// 0 where the bytes are no such file, or the result has no room. The same seed gives the same
/// change.
size_t fuzz_mutate_gltf(uint8_t *data, size_t size, size_t max_size, uint32_t seed);

/// The same, but once in sixteen, and where it has nothing to change, plain mutations of libFuzzer.
size_t fuzz_mutate_mostly_gltf(uint8_t *data, size_t size, size_t max_size, uint32_t seed);

/// Calls `run` with every file that comes from this one by one plain change of one value: left out,
/// or replaced by -1, by a number beyond float, by a text, by true. Of a list of numbers only the
/// first is changed. Nothing where the bytes are no such file.
void fuzz_change_each(const uint8_t *data, size_t size,
                      void (*run)(const uint8_t *data, size_t size));

/// Changes a GLB's container: a length, a type, an order, a chunk that is there twice or not at
/// all. Returns the new size; 0 where the bytes have no room for it.
size_t fuzz_mutate_chunks(uint8_t *data, size_t size, size_t max_size, uint32_t seed);

/// The mutator of libFuzzer; in a replay there is none.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

#endif
