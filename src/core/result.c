// SPDX-License-Identifier: MIT
// Words and sentences of the codes, from the one table of base.h.
#include "sinew/base.h"

typedef struct result_row {
    const char *word;
    const char *sentence;
    sinew_severity severity;
} result_row;

static const result_row result_rows[SINEW_RESULT_COUNT] = {
#define RESULT_ROW(name, word, severity, sentence) {word, sentence, SINEW_SEVERITY_##severity},
    SINEW_RESULT_TABLE(RESULT_ROW)
#undef RESULT_ROW
};

int sinew_version(void)
{
    return SINEW_VERSION;
}

static bool result_is_known(sinew_result result)
{
    return (unsigned)result < (unsigned)SINEW_RESULT_COUNT;
}

const char *sinew_result_word(sinew_result result)
{
    return result_is_known(result) ? result_rows[result].word : "unknown";
}

const char *sinew_result_message(sinew_result result)
{
    return result_is_known(result) ? result_rows[result].sentence : "an unknown code";
}

sinew_severity sinew_result_severity(sinew_result result)
{
    return result_is_known(result) ? result_rows[result].severity : SINEW_SEVERITY_ERROR;
}

const char *sinew_severity_word(sinew_severity severity)
{
    switch (severity) {
    case SINEW_SEVERITY_INFO:
        return "info";
    case SINEW_SEVERITY_WARNING:
        return "warning";
    case SINEW_SEVERITY_REPAIR:
        return "repair";
    case SINEW_SEVERITY_ERROR:
        break;
    }
    return "error";
}
