// SPDX-License-Identifier: MIT
// Findings on their way out: as JSON, for a person, and as warnings.
#ifndef SINEW_CLI_FINDINGS_H
#define SINEW_CLI_FINDINGS_H

#include "cli/json_writer.h"
#include "sinew/base.h"

// The member "findings" of an object.
void cli_write_findings(json_writer *w, const sinew_finding *findings, uint32_t count);
// By severity, those of one code together: the general sentence, the places, the advice. `warning`
// is the title over warnings.
void cli_print_findings(const sinew_finding *findings, uint32_t count, const char *warning);
// On standard error, each a line: `FILE: PLACE: warning: sentence`.
void cli_warn_findings(const char *file, const sinew_finding *findings, uint32_t count);

#endif
