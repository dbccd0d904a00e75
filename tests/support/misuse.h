// SPDX-License-Identifier: MIT
// Wrong arguments, call by call: what "Arguments" in sinew/base.h promises, and what each header
// says beside. A case names its call first; tests/misuse_complete.py reads these names, and fails
// where a call of the headers has no case of the kind that its result wants.
//
//     REFUSES(call, (arguments))            SINEW_ERROR_INVALID_ARGUMENT
//     REFUSES_WITH(CODE, call, (arguments)) SINEW_ERROR_CODE
//     SPOILS(CODE, call, type, good, x = y) the args `good` but for one field
//     MAKES_NOTHING(CODE, call, type, (arguments)) the same code, and *out, written `made`, is NULL
//     SPOILS_MAKING(CODE, call, desc type, good, made type, x = y) a desc but for one field
//     ANSWERS(call, condition)              what it gives
//     NOTHING(call, (arguments))            returns
//     DIES(call, (arguments))               a precondition: asserted where there are asserts
#ifndef SINEW_TESTS_MISUSE_H
#define SINEW_TESTS_MISUSE_H

#include "test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared_stage.h"

#define REFUSES_WITH(code, call, arguments)                                                        \
    test_assert_result(call arguments, SINEW_ERROR_##code, #call #arguments, __FILE__, __LINE__)
#define REFUSES(call, arguments) REFUSES_WITH(INVALID_ARGUMENT, call, arguments)

#define SPOILS(code, call, type, good, change)                                                     \
    do {                                                                                           \
        type spoilt = (good);                                                                      \
        spoilt.change;                                                                             \
        test_assert_result(call(&spoilt), SINEW_ERROR_##code, #call ": " #change, __FILE__,        \
                           __LINE__);                                                              \
    } while (0)

#define MAKES_NOTHING(code, call, type, arguments)                                                 \
    do {                                                                                           \
        type *made = (type *)misuse_garbage;                                                       \
        test_assert_result(call arguments, SINEW_ERROR_##code, #call #arguments, __FILE__,         \
                           __LINE__);                                                              \
        if (made != NULL)                                                                          \
            fail_msg("%s:%d: %s: *out is not NULL", __FILE__, __LINE__, #call #arguments);         \
    } while (0)

#define SPOILS_MAKING(code, call, desc_type, good, type, change)                                   \
    do {                                                                                           \
        desc_type spoilt = (good);                                                                 \
        type *made = (type *)misuse_garbage;                                                       \
        sinew_error told;                                                                          \
        spoilt.change;                                                                             \
        test_assert_result(call(&spoilt, &made, &told), SINEW_ERROR_##code, #call ": " #change,    \
                           __FILE__, __LINE__);                                                    \
        if (made != NULL)                                                                          \
            fail_msg("%s:%d: %s: %s: *out is not NULL", __FILE__, __LINE__, #call, #change);       \
    } while (0)
/// The same for calls without an error.
#define SPOILS_PLAIN(code, call, desc_type, good, type, change)                                    \
    do {                                                                                           \
        desc_type spoilt = (good);                                                                 \
        type *made = (type *)misuse_garbage;                                                       \
        spoilt.change;                                                                             \
        test_assert_result(call(&spoilt, &made), SINEW_ERROR_##code, #call ": " #change, __FILE__, \
                           __LINE__);                                                              \
        if (made != NULL)                                                                          \
            fail_msg("%s:%d: %s: %s: *out is not NULL", __FILE__, __LINE__, #call, #change);       \
    } while (0)

#define ANSWERS(call, condition)                                                                   \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s:%d: %s: not %s", __FILE__, __LINE__, #call, #condition);                  \
    } while (0)
#define NOTHING(call, arguments) call arguments

#if defined(NDEBUG) || defined(_WIN32)
#define DIES(call, arguments) (void)0
#else
#define DIES(call, arguments)                                                                      \
    do {                                                                                           \
        if (misuse_fork() == 0) {                                                                  \
            (void)call arguments;                                                                  \
            misuse_survived();                                                                     \
        }                                                                                          \
        if (!misuse_died())                                                                        \
            fail_msg("%s:%d: %s%s: no assert", __FILE__, __LINE__, #call, #arguments);             \
    } while (0)
/// A child that says nothing and must end in an assert.
int misuse_fork(void);
void misuse_survived(void);
bool misuse_died(void);
#endif

/// An address that is no object's, for what must be overwritten.
extern void *const misuse_garbage;

/// Half of an allocator.
void misuse_free(void *pointer, size_t size, size_t align, void *user);

/// The assets that calls are misused with; made by misuse_set_up, for cmocka's group fixtures.
extern shared_stage misuse;
int misuse_set_up(void **state);
int misuse_tear_down(void **state);
#define MISUSE_RUN(tests)                                                                          \
    test_report(cmocka_run_group_tests(tests, misuse_set_up, misuse_tear_down))

/// A block of 64-byte alignment that lasts until the program's end, filled with zeros.
void *misuse_block(size_t size);
/// A pose on such a block, at rest.
sinew_pose misuse_pose(const sinew_skeleton *skeleton);

#endif
