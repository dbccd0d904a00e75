// SPDX-License-Identifier: MIT
// What readers of files share to make a document: they fill `view` from the arena, then finish it.
#ifndef SINEW_IMPORT_DOCUMENT_INTERNAL_H
#define SINEW_IMPORT_DOCUMENT_INTERNAL_H

#include "clip/clip_internal.h"
#include "core/core.h"
#include "sinew/document.h"

/// A document as its makers see it. `view` comes first, so that a sinew_document * is one. The
/// pointers of the view are to const for readers; makers keep their own until they are done.
typedef struct sinewi_document {
    sinew_document view;
    sinewi_arena arena; ///< everything of the view but the clips
    sinew_clip **clips; ///< view.clips, owned: destroyed with the document
} sinewi_document;

/// An empty document; NULL where there is no memory. memory_limit 0: none.
sinewi_document *sinewi_document_new(const sinew_allocator *allocator, size_t memory_limit);

/// Works out what follows from the rest, once scenes, nodes (with children), meshes, skins, clips
/// and so on are in the view: parents, in_scene, instances and how they rest, rigs. Where there are
/// no scenes, all roots count as one. Errors: SINEW_ERROR_INDEX_RANGE, _NODE_CYCLE,
/// _NODE_TWO_PARENTS, _OUT_OF_MEMORY, _LIMIT_EXCEEDED; the path is like `nodes[3].children[0]`.
sinew_result sinewi_document_finish(sinewi_document *document, sinew_error *error);

#endif
