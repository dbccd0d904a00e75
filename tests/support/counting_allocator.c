// SPDX-License-Identifier: MIT
// Each block stands between a header, right before it, and guard bytes right behind it.
#include "counting_allocator.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD_SIZE = 32, GUARD_BYTE = 0xa5, FRESH_BYTE = 0xcd };

static const uint64_t HEADER_MAGIC = 0x53494e4557424c4bu;

typedef struct counting_header {
    void *raw;
    size_t size, align;
    uint64_t magic;
} counting_header;

static void *counting_alloc(size_t size, size_t align, void *user)
{
    counting_allocator *counter = user;
    counter->call_count++;
    if (counter->fail_at != 0 && (counter->call_count == counter->fail_at ||
                                  (counter->fail_after && counter->call_count > counter->fail_at)))
        return NULL;
    if (align == 0 || (align & (align - 1)) != 0) {
        counter->fault_count++;
        return NULL;
    }
    size_t room = sizeof(counting_header) + align + GUARD_SIZE;
    if (size > SIZE_MAX - room)
        return NULL;
    char *raw = malloc(size + room);
    if (raw == NULL)
        return NULL;
    uintptr_t address =
        ((uintptr_t)raw + sizeof(counting_header) + align - 1) & ~(uintptr_t)(align - 1);
    char *block = (char *)address;
    counting_header header = {raw, size, align, HEADER_MAGIC};
    memcpy(block - sizeof header, &header, sizeof header);
    memset(block, FRESH_BYTE, size); // memory is never zero by luck
    memset(block + size, GUARD_BYTE, GUARD_SIZE);
    counter->live_count++;
    counter->live_size += size;
    return block;
}

static void counting_free(void *pointer, size_t size, size_t align, void *user)
{
    counting_allocator *counter = user;
    if (pointer == NULL)
        return;
    char *block = pointer;
    counting_header header;
    memcpy(&header, block - sizeof header, sizeof header);
    if (header.magic != HEADER_MAGIC) {
        counter->fault_count++;
        return;
    }
    if (header.size != size || header.align != align)
        counter->fault_count++;
    for (size_t i = 0; i < GUARD_SIZE; i++)
        if ((unsigned char)block[header.size + i] != GUARD_BYTE) {
            counter->fault_count++;
            break;
        }
    counter->live_count--;
    counter->live_size -= header.size;
    header.magic = 0;
    memcpy(block - sizeof header, &header, sizeof header);
    free(header.raw);
}

sinew_allocator counting_allocator_use(counting_allocator *counter)
{
    return (sinew_allocator){counting_alloc, counting_free, counter};
}
