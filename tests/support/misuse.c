// SPDX-License-Identifier: MIT
#include "misuse.h"

#include <stdio.h>

static char garbage_byte;
void *const misuse_garbage = &garbage_byte;

shared_stage misuse;

enum { MISUSE_BLOCKS = 256 };
static void *blocks[MISUSE_BLOCKS];
static int block_count;

void misuse_free(void *pointer, size_t size, size_t align, void *user)
{
    (void)pointer, (void)size, (void)align, (void)user;
}

int misuse_set_up(void **state)
{
    (void)state;
    shared_stage_make(&misuse);
    return 0;
}

int misuse_tear_down(void **state)
{
    (void)state;
    while (block_count > 0)
        test_block_free(blocks[--block_count]);
    shared_stage_free(&misuse);
    return 0;
}

void *misuse_block(size_t size)
{
    assert_true(block_count < MISUSE_BLOCKS);
    void *block = test_block(size);
    memset(block, 0, size);
    blocks[block_count++] = block;
    return block;
}

sinew_pose misuse_pose(const sinew_skeleton *skeleton)
{
    sinew_pose pose;
    const uint32_t count = sinew_skeleton_joint_count(skeleton);
    const size_t size = sinew_pose_size(count);
    assert_ok(sinew_pose_init(&pose, count, misuse_block(size), size));
    assert_ok(sinew_pose_set_rest(&pose, skeleton));
    return pose;
}

#if !defined(NDEBUG) && !defined(_WIN32)
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;

int misuse_fork(void)
{
    fflush(NULL);
    child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        signal(SIGABRT, SIG_DFL);
    }
    return (int)child;
}

void misuse_survived(void)
{
    _exit(0);
}

bool misuse_died(void)
{
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGABRT;
}
#endif
