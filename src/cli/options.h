/* The command line: a table of commands, a table of options, and the parsed values. */
#ifndef HAUL_CLI_OPTIONS_H
#define HAUL_CLI_OPTIONS_H

#include "base/arena.h"
#include "base/text.h"

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit status of main(). */
enum { CLI_FINE = 0, CLI_FINDINGS = 1, CLI_ERROR = 2 };

typedef bool cli_FLAG;
typedef const char *cli_STRING;
typedef text_list cli_LIST;
typedef uint64_t cli_NUMBER; /* 0 if not given */
typedef uint64_t cli_COUNT;  /* the same; the user cannot give 0 */
typedef uint64_t cli_SIZE;

/* One field for each row of options.def; strings point into argv. */
typedef struct cli_values {
#define OPTION(field, kind, name, letter, argument, commands, help) cli_##kind field;
#include "cli/options.def"
#undef OPTION
    text_list operands; /* arguments that are not options */
    char **program;     /* words after `--`, ended by NULL; NULL: none, or the command runs no programs */
    int argc;           /* the whole line, from the command's name on */
    char **argv;
} cli_values;

/* Limits a number to 32 bits. */
static inline uint32_t cli_u32(uint64_t number) {
    return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

typedef struct cli_command {
    const char *name, *arguments, *summary, *text;
    int (*run)(const cli_values *values); /* prints errors and returns the exit status */
} cli_command;

extern const cli_command cli_commands[];
extern const size_t cli_command_count;

#define COMMAND(id, name, arguments, summary, text) int cli_run_##id(const cli_values *values);
#include "cli/commands.def"
#undef COMMAND

/* NULL if there is none. */
const cli_command *cli_command_find(const char *name);

/* Parses a command line; argv[0] is the command's name. Call cli_values_free() also after an error. */
haul_status cli_parse(const cli_command *command, int argc, char **argv, cli_values *values);
void cli_values_free(cli_values *values);

/* Makes the command line that gives `values` to a command: `program`, the command's name, the options that were given,
 * the operands (files), NULL. Lives in `memory`; NULL if there is no memory. */
const char **cli_arguments(const char *program, const cli_command *command, const cli_values *values, arena *memory);

/* The text of --help. */
void cli_help(const cli_command *command, text *out);
void cli_help_all(text *out);

#endif
