// SPDX-License-Identifier: MIT
// Which codecs this build has.
#include "codecs/codecs_internal.h"

const sinew_gltf_codecs *sinew_codecs(void)
{
    static const sinew_gltf_codecs codecs = {
#if defined(SINEW_CODECS_MESHOPT)
        .meshopt = sinewi_codec_meshopt,
#endif
#if defined(SINEW_CODECS_DRACO)
        .draco = sinewi_codec_draco,
#endif
        .user = NULL
    };
    return &codecs;
}
