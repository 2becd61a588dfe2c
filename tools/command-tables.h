/* The tables of commands and options, for programs that write pages and completions from them. */
#ifndef HAUL_TOOLS_COMMAND_TABLES_H
#define HAUL_TOOLS_COMMAND_TABLES_H

#include "lib/launch/fill.h"
#include "lib/launch/scalar.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct command_row {
    const char *name, *arguments, *summary, *text;
} command_row;

static const command_row commands[] = {
#define COMMAND(id, name, arguments, summary, text) {name, arguments, summary, text},
#include "cli/commands.def"
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

enum {
#define COMMAND(id, name, arguments, summary, text) COMMAND_##id,
#include "cli/commands.def"
#undef COMMAND
};
#define OF(id) (1u << COMMAND_##id)
#define ALL (((1u << COMMANDS) - 1) & ~OF(cc))

typedef enum option_kind { FLAG, STRING, LIST, NUMBER, COUNT, SIZE } option_kind;

typedef struct option_row {
    const char *name, *argument, *help;
    option_kind kind;
    int letter;
    unsigned commands;
} option_row;

static const option_row options[] = {
#define OPTION(field, kind, name, letter, argument, commands, help) {name, argument, help, kind, letter, commands},
#include "cli/options.def"
#undef OPTION
};
enum { OPTIONS = sizeof options / sizeof *options };

/* Whether the command takes the option. */
static inline bool option_is_of(const option_row *o, size_t command) {
    return o->commands >> command & 1;
}

/* Whether a program may stand behind the command's `--`. */
static inline bool runs_programs(size_t command) {
    return strstr(commands[command].arguments, "-- PROGRAM") != NULL;
}

#endif
