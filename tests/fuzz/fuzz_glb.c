// SPDX-License-Identifier: MIT
// Fuzz target: the GLB container. Bytes are taken as a GLB whatever they begin with, so that each
// run reaches the header; mutations fall on lengths, types and the order of chunks, and at times on
// what is in them.
#undef NDEBUG
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mutate_gltf.h"
#include "use_document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // exactly as large as it is: the first byte read behind it is seen
    uint8_t *glb = calloc(size ? size : 1, 1);
    assert(glb);
    if (size)
        memcpy(glb, data, size);
    if (size >= 4)
        memcpy(glb, "glTF", 4);
    bool good = fuzz_read(glb, size);
    // a container that was read can be told from its first 20 bytes alone
    if (good && size >= 4)
        assert(size >= 20 && sinew_gltf_detect(glb, size));
    free(glb);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    size_t changed = 0;
    if (seed % 4 < 2)
        changed = fuzz_mutate_chunks(data, size, max_size, seed / 4);
    else if (seed % 4 == 2)
        changed = fuzz_mutate_gltf(data, size, max_size, seed / 4);
    if (changed == 0 && LLVMFuzzerMutate)
        changed = LLVMFuzzerMutate(data, size, max_size);
    return changed ? changed : size;
}
