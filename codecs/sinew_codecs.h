// SPDX-License-Identifier: MIT
/// Codecs for compressed files: a companion of the library, which itself depends on none.
///
///     sinew_import_desc desc = sinew_import_desc_default();
///     desc.codecs = sinew_codecs();
///
/// Link with sinew_codecs before sinew, and with what it was built on: libmeshoptimizer
/// (EXT_meshopt_compression, KHR_meshopt_compression) and libdraco, which is C++
/// (KHR_draco_mesh_compression). Each is left out where it was not found.
#ifndef SINEW_CODECS_H
#define SINEW_CODECS_H

#include "sinew/gltf.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The codecs that this build has; their functions are NULL for those that it lacks. Lives forever.
const sinew_gltf_codecs *sinew_codecs(void);

#ifdef __cplusplus
}
#endif

#endif
