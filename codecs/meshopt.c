// SPDX-License-Identifier: MIT
// EXT_meshopt_compression and KHR_meshopt_compression through meshoptimizer. The importer has held
// the stream to the rules of the extension, which the decoders take for granted; they are safe for
// any bytes then (meshoptimizer.h).
#include "codecs/codecs_internal.h"

#if defined(SINEW_CODECS_MESHOPT)
#include <meshoptimizer.h>

sinew_result sinewi_codec_meshopt(void *user, const sinew_meshopt_stream *s, void *out,
                                  const char **out_why)
{
    (void)user, (void)out_why;
    int status = -1;
    switch (s->mode) {
    case SINEW_MESHOPT_ATTRIBUTES:
#if MESHOPTIMIZER_VERSION < 230
        // the high half of the first byte says the codec, the low half its version; version 1 came
        // with KHR_meshopt_compression
        if (s->bytes[0] == 0xA1) {
            *out_why = "it needs meshoptimizer 0.23 or later, this build has an older one";
            return SINEW_ERROR_UNSUPPORTED;
        }
#endif
        status = meshopt_decodeVertexBuffer(out, s->count, s->stride, s->bytes, s->size);
        break;
    case SINEW_MESHOPT_TRIANGLES:
        status = meshopt_decodeIndexBuffer(out, s->count, s->stride, s->bytes, s->size);
        break;
    case SINEW_MESHOPT_INDICES:
        status = meshopt_decodeIndexSequence(out, s->count, s->stride, s->bytes, s->size);
        break;
    }
    return status == 0 ? SINEW_OK : SINEW_ERROR_STREAM_DAMAGED;
}
#endif
