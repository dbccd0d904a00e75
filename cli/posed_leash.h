// SPDX-License-Identifier: MIT
// Leashes of a posed document: one for each rig, over all that hangs on its nodes.
#ifndef SINEW_CLI_POSED_LEASH_H
#define SINEW_CLI_POSED_LEASH_H

#include "sinew/document.h"
#include "sinew/leash.h"

typedef struct posed_leash posed_leash;

// `skeleton` is that of the whole document, which must outlive it. A clip that is named idle, in
// capitals or not, tells whether a rig's body is steady; what is not trusted goes to the log.
// Errors: those of sinew_leash_model_from_skeleton.
sinew_result posed_leash_create(const sinew_document *document, const sinew_skeleton *skeleton,
                                float limit, posed_leash **out, sinew_error *error);
// NULL is allowed.
void posed_leash_destroy(posed_leash *leash);
// How many rigs are never leashed, since their idle clip jumps.
uint32_t posed_leash_untrusted(const posed_leash *leash);
// Takes the offsets from the matrices of a pose, [joint count of the skeleton], dt seconds after
// the last one; dt 0: the targets are taken whole.
sinew_result posed_leash_apply(posed_leash *leash, sinew_mat4 *model, double dt);

#endif
