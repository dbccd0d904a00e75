// SPDX-License-Identifier: MIT
// Options of the subcommands, and the numbers in them.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/text.h"

int cli_usage(const char *command, const char *format, ...)
{
    va_list arguments;
    char text[1024];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "sinew %s: ", command);
    cli_put_text(stderr, text);
    fprintf(stderr, "\nTry 'sinew help %s'.\n", command);
    return CLI_EXIT_USAGE;
}

int cli_parse(int argc, char **argv, const cli_option *options, const char **words,
              unsigned max_words, unsigned *out_word_count)
{
    unsigned count = 0;
    bool only_words = false;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (only_words || name[0] != '-' || name[1] == '\0') {
            if (count == max_words)
                return cli_usage(argv[0], "'%s' is one word too many", name);
            words[count++] = name;
            continue;
        }
        if (strcmp(name, "--") == 0) {
            only_words = true;
            continue;
        }
        const cli_option *option = options;
        while (option->name && strcmp(option->name, name) != 0)
            option++;
        if (!option->name)
            return cli_usage(argv[0], "unknown option '%s'", name);
        double number;
        if (option->flag) {
            *option->flag = true;
            if (option->value && i + 1 < argc && cli_number(argv[i + 1], &number))
                *option->value = argv[++i];
        } else {
            if (i + 1 == argc)
                return cli_usage(argv[0], "a value is missing after '%s'", name);
            *option->value = argv[++i];
        }
    }
    *out_word_count = count;
    return CLI_EXIT_OK;
}

unsigned cli_repeated(int argc, char **argv, const cli_option *options, const char *name,
                      const char **out)
{
    unsigned count = 0;
    for (int i = 1; i + 1 < argc && strcmp(argv[i], "--") != 0; i++) {
        const cli_option *option = options;
        double number;
        while (option->name && strcmp(option->name, argv[i]) != 0)
            option++;
        if (!option->name || !option->value || (option->flag && !cli_number(argv[i + 1], &number)))
            continue;
        i++;
        if (strcmp(option->name, name) == 0)
            out[count++] = argv[i];
    }
    return count;
}

bool cli_number(const char *text, double *out)
{
    if (text[strspn(text, "0123456789.eE+-")] != '\0')
        return false;
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

bool cli_whole(const char *text, uint64_t limit, uint64_t *out)
{
    uint64_t value = 0;
    if (!*text)
        return false;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || value > limit / 10)
            return false;
        value = value * 10 + (uint64_t)(*c - '0');
        if (value > limit)
            return false;
    }
    *out = value;
    return true;
}

bool cli_wrap(const char *text, sinew_wrap *out)
{
    static const char *const words[] = {"clamp", "loop", "ping-pong"};
    for (int k = 0; k < 3; k++)
        if (strcmp(text, words[k]) == 0) {
            *out = (sinew_wrap)k;
            return true;
        }
    return false;
}

bool cli_skinning(const char *text, bool *out_dual)
{
    *out_dual = strcmp(text, "dual") == 0;
    return *out_dual || strcmp(text, "linear") == 0;
}

bool cli_runtime_preset(const char *text, sinew_runtime_preset *out)
{
    static const char *const words[] = {"default", "fast", "small", "fine"};
    static const sinew_runtime_preset presets[] = {SINEW_RUNTIME_DEFAULT, SINEW_RUNTIME_FAST,
                                                   SINEW_RUNTIME_SMALL, SINEW_RUNTIME_FINE};
    for (int i = 0; i < 4; i++)
        if (strcmp(text, words[i]) == 0) {
            *out = presets[i];
            return true;
        }
    return false;
}
