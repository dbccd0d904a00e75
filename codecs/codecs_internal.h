// SPDX-License-Identifier: MIT
// The codecs that may be there, each in a file of its own.
#ifndef SINEW_CODECS_CODECS_INTERNAL_H
#define SINEW_CODECS_CODECS_INTERNAL_H

#include "codecs/sinew_codecs.h"

#ifdef __cplusplus
extern "C" {
#endif

sinew_result sinewi_codec_meshopt(void *user, const sinew_meshopt_stream *stream, void *out,
                                  const char **out_why);
sinew_result sinewi_codec_draco(void *user, const sinew_draco_stream *stream, const char **out_why);

#ifdef __cplusplus
}
#endif

#endif
