// SPDX-License-Identifier: MIT
// Findings as JSON, for a person, and as warnings.
#include "cli/findings.h"

#include <string.h>

#include "cli/text.h"

void cli_write_findings(json_writer *w, const sinew_finding *findings, uint32_t count)
{
    json_open_array(w, "findings");
    for (uint32_t f = 0; f < count; f++) {
        const sinew_finding *finding = &findings[f];
        json_open_object(w, NULL);
        json_text(w, "severity", sinew_severity_word(finding->severity));
        json_text(w, "code", sinew_result_word(finding->code));
        json_text(w, "where", finding->where);
        json_whole(w, "count", (int64_t)finding->count);
        json_double(w, "worst", finding->worst);
        json_text(w, "message", finding->message);
        json_text(w, "advice", sinew_result_advice(finding->code));
        json_close_object(w);
    }
    json_close_array(w);
}

void cli_warn_findings(const char *file, const sinew_finding *findings, uint32_t count)
{
    for (uint32_t f = 0; f < count; f++) {
        cli_put_text(stderr, file);
        fputs(": ", stderr);
        cli_put_text(stderr, findings[f].where);
        fprintf(stderr, ": %s: ", sinew_severity_word(findings[f].severity));
        cli_put_text(stderr, findings[f].message);
        putc('\n', stderr);
    }
}

// Text in lines of at most COLUMNS, each behind the same indent.
static void print_wrapped(const char *text, const char *first, const char *indent)
{
    enum { COLUMNS = 96 };
    size_t column = strlen(first);
    fputs(first, stdout);
    for (bool begins = true; *text; begins = false) {
        size_t word = strcspn(text, " ");
        if (!begins && column + 1 + word > COLUMNS) {
            printf("\n%s", indent);
            column = strlen(indent);
        } else if (!begins) {
            putchar(' ');
            column++;
        }
        fwrite(text, 1, word, stdout);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_place(const sinew_finding *finding)
{
    fputs("    ", stdout);
    if (cli_put_text(stdout, finding->where))
        fputs(": ", stdout);
    cli_put_text(stdout, finding->message);
    putchar('\n');
}

void cli_print_findings(const sinew_finding *findings, uint32_t count, const char *warning)
{
    const struct {
        sinew_severity severity;
        const char *title;
    } groups[] = {
        {SINEW_SEVERITY_REPAIR,
         "Repaired (the file's data could not be used as it is; what follows was changed):"},
        {SINEW_SEVERITY_WARNING, warning},
        {SINEW_SEVERITY_INFO, "Worth knowing:"}};
    enum { PLACES = 4 };
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        bool titled = false;
        for (int code = 0; code < SINEW_RESULT_COUNT; code++) {
            uint32_t places = 0;
            for (uint32_t f = 0; f < count; f++) {
                const sinew_finding *finding = &findings[f];
                if (finding->code != (sinew_result)code || finding->severity != groups[g].severity)
                    continue;
                if (!titled)
                    printf("%s\n", groups[g].title);
                titled = true;
                if (places == 0)
                    printf("  %s: %s\n", sinew_result_word(finding->code),
                           sinew_result_message(finding->code));
                if (places++ < PLACES)
                    print_place(finding);
            }
            if (places > PLACES)
                printf("    ... and in %u more places\n", places - PLACES);
            if (places && sinew_result_advice((sinew_result)code)[0])
                print_wrapped(sinew_result_advice((sinew_result)code), "    -> ", "       ");
        }
    }
    if (count == 0)
        printf("Nothing to remark.\n");
}
