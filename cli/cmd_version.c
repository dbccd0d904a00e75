// SPDX-License-Identifier: MIT
// sinew version: the library, the instruction sets that it holds and uses, and the codecs.
#include "cli/cli.h"
#include "cli/json_writer.h"
#include "sinew_codecs.h"

const char cmd_version_help[] =
    "sinew version [--json]\n"
    "\n"
    "The version, the instruction sets that kernels were built for and the one in use, and the "
    "codecs for compressed\n"
    "files (meshopt, draco).\n"
    "SINEW_ISA=scalar|sse2|avx2|avx512|neon in the environment forces one.\n";

int cmd_version(int argc, char **argv)
{
    bool json = false;
    const char *word;
    unsigned words;
    const cli_option options[] = {{"--json", NULL, &json}, {NULL, NULL, NULL}};
    int status = cli_parse(argc, argv, options, &word, 0, &words);
    if (status != CLI_EXIT_OK)
        return status;
    uint32_t built = sinew_isa_built();
    const char *const codecs[] = {sinew_codecs()->meshopt ? "meshopt" : NULL,
                                  sinew_codecs()->draco ? "draco" : NULL};
    if (json) {
        json_writer w = {stdout, false};
        json_open_object(&w, NULL);
        json_text(&w, "version", SINEW_VERSION_STRING);
        json_whole(&w, "number", sinew_version());
        json_open_array(&w, "isa_built");
        for (int isa = 0; isa < SINEW_ISA_COUNT; isa++)
            if (built >> isa & 1)
                json_text(&w, NULL, sinew_isa_name((sinew_isa)isa));
        json_close_array(&w);
        json_text(&w, "isa", sinew_isa_name(sinew_isa_active()));
        json_open_array(&w, "codecs");
        for (int i = 0; i < 2; i++)
            if (codecs[i])
                json_text(&w, NULL, codecs[i]);
        json_close_array(&w);
        json_close_object(&w);
        putchar('\n');
    } else {
        printf("sinew %s\ninstruction sets built in:", SINEW_VERSION_STRING);
        for (int isa = 0; isa < SINEW_ISA_COUNT; isa++)
            if (built >> isa & 1)
                printf(" %s", sinew_isa_name((sinew_isa)isa));
        printf("\nin use: %s\ncodecs for compressed files:", sinew_isa_name(sinew_isa_active()));
        for (int i = 0; i < 2; i++)
            if (codecs[i])
                printf(" %s", codecs[i]);
        printf("%s\n", codecs[0] || codecs[1] ? "" : " none");
    }
    return cli_finish_output("version");
}
