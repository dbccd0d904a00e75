// SPDX-License-Identifier: MIT
// Fuzz target: glTF files with one thing changed. Whatever is read keeps every promise of a
// document and can be posed, morphed and skinned; whatever is refused is refused with a code, a
// place and a sentence. Bytes that are no glTF file get plain mutations, and small changes of
// documents those of mutate_gltf.h.
#include "mutate_gltf.h"
#include "replay.h"
#include "use_document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read(data, size);
    return 0;
}

static void run_changed(const uint8_t *data, size_t size)
{
    fuzz_read(data, size);
}

void fuzz_replay_more(const uint8_t *data, size_t size)
{
    fuzz_change_each(data, size, run_changed);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    return fuzz_mutate_mostly_gltf(data, size, max_size, seed);
}
