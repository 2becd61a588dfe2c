/* The command line: parsing it, making it again from values, and the text of --help. All three read the same two
 * tables, commands.def and options.def.
 *
 * Both tables are expanded here, into arrays. A command is known by its index, an option's row has a bit for each
 * command that takes it. Rows may share a name: `--threads` means one thing to diagnose and another to replay, and
 * `--kernel` differs with and without a program behind `--`. If several rows have the command's bit, the one that fits
 * the input counts. getopt_long() does the parsing with tables made for one command. Its messages are off, since haul
 * suggests near names. */
#include "cli/options.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/status.h"
#include "lib/launch/fill.h"
#include "lib/launch/scalar.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* ---- the tables ---- */

const cli_command cli_commands[] = {
#define COMMAND(id, name, arguments, summary, text) {name, arguments, summary, text, cli_run_##id},
#include "cli/commands.def"
#undef COMMAND
};
const size_t cli_command_count = sizeof cli_commands / sizeof *cli_commands;

enum command_index { /* of cli_commands; bit numbers of option_row.commands */
#define COMMAND(id, name, arguments, summary, text) COMMAND_##id,
#include "cli/commands.def"
#undef COMMAND
};
#define OF(id) (1u << COMMAND_##id)
#define ALL (((1u << sizeof cli_commands / sizeof *cli_commands) - 1) & ~OF(cc)) /* cc passes its options on */

/* Names of cli_FLAG and so on in options.h, without the prefix: they are the words of options.def. */
typedef enum option_kind { FLAG, STRING, LIST, NUMBER, COUNT, SIZE } option_kind;

typedef struct option_row {
    const char *name, *argument, *help;
    unsigned commands; /* OF() of all commands that take it, and PROGRAM or ONLY_PROGRAM */
    option_kind kind;
    int letter;    /* 0 = none */
    size_t offset; /* offset of its field in cli_values */
} option_row;

static const option_row rows[] = {
#define OPTION(field, kind, name, letter, argument, commands, help) \
    {name, argument, help, commands, kind, letter, offsetof(cli_values, field)},
#include "cli/options.def"
#undef OPTION
};
enum { ROWS = sizeof rows / sizeof *rows, FIRST_VALUE = 256 };

const cli_command *cli_command_find(const char *name) {
    for (size_t i = 0; i < cli_command_count; i++) {
        if (strcmp(cli_commands[i].name, name) == 0) return &cli_commands[i];
    }
    return NULL;
}

/* Whether the command takes the option at all. */
static bool is_of(const option_row *row, const cli_command *command) {
    return row->commands >> (command - cli_commands) & 1;
}

/* Whether the option fits the kind of input: a program, or files. */
static bool fits(const option_row *row, bool program) {
    return program ? row->commands & (PROGRAM | ONLY_PROGRAM) : !(row->commands & ONLY_PROGRAM);
}

/* Among rows of one name the one that fits counts. A row that does not fit is still recognised, so that a message can
 * say what it is for. */
static bool applies(const option_row *row, const cli_command *command, bool program) {
    if (!is_of(row, command) || fits(row, program)) return is_of(row, command);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_of(&rows[i], command) && fits(&rows[i], program) && strcmp(rows[i].name, row->name) == 0) return false;
    return true;
}

/* ---- parsing ---- */

/* Fails with the nearest option of the command. Misspelt letters get no suggestion. */
static haul_status unknown_option(const cli_command *command, const char *given) {
    const char *names[ROWS];
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (is_of(&rows[i], command)) names[count++] = rows[i].name;
    }
    const char *near = strncmp(given, "--", 2) == 0 ? nearest_name(given + 2, names, count) : NULL;
    if (near) return haul_fail(HAUL_ERROR_ARGUMENT, "unknown option %s: did you mean --%s?", given, near);
    return haul_fail(HAUL_ERROR_ARGUMENT, "unknown option %s: `haul %s --help` lists them", given, command->name);
}

/* Makes getopt's tables from ours. An option's value is its row + FIRST_VALUE; a letter's is the letter. */
static void make_tables(const cli_command *command, bool program, struct option *options, char *letters) {
    size_t count = 0;
    *letters++ = ':'; /* distinguishes a missing argument from an unknown option */
    for (size_t i = 0; i < ROWS; i++) {
        if (!applies(&rows[i], command, program)) continue;
        int argument = rows[i].kind == FLAG ? no_argument : required_argument;
        options[count++] = (struct option){rows[i].name, argument, NULL, (int)(FIRST_VALUE + i)};
        if (!rows[i].letter) continue;
        *letters++ = (char)rows[i].letter;
        if (argument) *letters++ = ':';
    }
    options[count] = (struct option){0};
    *letters = '\0';
}

/* Returns the row of a short option; one that does not fit only if no other does. NULL if there is none. */
static const option_row *row_of_letter(const cli_command *command, bool program, int letter) {
    const option_row *other = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].letter != letter || !applies(&rows[i], command, program)) continue;
        if (fits(&rows[i], program)) return &rows[i];
        other = &rows[i];
    }
    return other;
}

/* Returns the row of a value that getopt_long() returned, or left in optopt. */
static const option_row *row_of(const cli_command *command, bool program, int value) {
    return value >= FIRST_VALUE ? &rows[value - FIRST_VALUE] : row_of_letter(command, program, value);
}

static haul_status push(text_list *list, const char *item) {
    const char **items = memory_resize((void *)list->items, (list->count + 1) * sizeof *items);
    if (!items) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the command line");
    list->items = items;
    items[list->count++] = item;
    return HAUL_OK;
}

/* Stores an argument in the option's field, by kind. An option that may not be repeated keeps its last value. Fails if
 * the argument is empty or no number of that kind. */
static haul_status set_value(const option_row *row, const char *argument, cli_values *values) {
    void *field = (char *)values + row->offset;
    if (row->kind != FLAG && !*argument)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--%s needs %s", row->name, row->argument);
    switch (row->kind) {
    case FLAG: *(bool *)field = true; return HAUL_OK;
    case STRING: *(const char **)field = argument; return HAUL_OK;
    case LIST: return push(field, argument);
    case NUMBER:
        if (number_u64(argument, field)) return HAUL_OK;
        return haul_fail(HAUL_ERROR_ARGUMENT, "--%s: `%s` is not a whole number", row->name, argument);
    case COUNT:
        if (number_u64(argument, field) && *(const uint64_t *)field) return HAUL_OK;
        return haul_fail(HAUL_ERROR_ARGUMENT, "--%s: `%s` is not a whole number above 0", row->name, argument);
    case SIZE:
        if (number_size(argument, field)) return HAUL_OK;
        return haul_fail(HAUL_ERROR_ARGUMENT, "--%s: `%s` is not a size: write 4096, 64K, 1G", row->name, argument);
    }
    return HAUL_OK;
}

/* Handles one result of getopt_long(). It returns `:` for a missing argument and `?` for any other mistake, with the
 * option's value, or letter, in optopt. An argument for a flag is the case in which optopt is a long option's value. */
static haul_status set_option(const cli_command *command, int value, char **argv, cli_values *values) {
    const option_row *row = row_of(command, values->program, value == ':' || value == '?' ? optopt : value);
    if (value == ':')
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s needs %s", argv[optind - 1], row ? row->argument : "a value");
    if (value == '?' && row && optopt >= FIRST_VALUE)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s takes no value", argv[optind - 1]);
    if (value == '?') return unknown_option(command, argv[optind - 1]);
    if (!fits(row, values->program))
        return haul_fail(HAUL_ERROR_ARGUMENT, "--%s: is for %s", row->name,
                         values->program ? "kernels in files, not for a program behind --"
                                         : "a program: haul COMMAND [OPTION...] -- PROGRAM [ARG...]");
    return set_value(row, optarg, values);
}

/* Commands for which `--` begins a program. For the others it has getopt_long()'s meaning: operands follow. */
static bool runs_programs(const cli_command *command) {
    return command->run == cli_run_run || command->run == cli_run_check || command->run == cli_run_profile ||
           command->run == cli_run_replay;
}

/* Cuts off `-- PROGRAM ARG...`. Returns the number of remaining arguments. */
static int take_program(int argc, char **argv, cli_values *values) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") != 0) continue;
        values->program = argv + i + 1;
        return i;
    }
    return argc;
}

/* haul cc hands its whole line to the compiler driver, so nothing of it is parsed but a lone --help. */
haul_status cli_parse(const cli_command *command, int argc, char **argv, cli_values *values) {
    struct option options[ROWS + 1];
    char letters[2 * ROWS + 2];
    *values = (cli_values){.argc = argc, .argv = argv};
    if (command->run == cli_run_cc) {
        values->help = argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
        return HAUL_OK;
    }
    if (runs_programs(command)) argc = take_program(argc, argv, values);
    make_tables(command, values->program, options, letters);
    opterr = 0;
    optind = 0; /* glibc: start again */
    int value;
    while ((value = getopt_long(argc, argv, letters, options, NULL)) != -1)
        HAUL_TRY(set_option(command, value, argv, values));
    while (optind < argc) HAUL_TRY(push(&values->operands, argv[optind++]));
    return HAUL_OK;
}

void cli_values_free(cli_values *values) {
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].kind == LIST) memory_free((void *)((text_list *)(void *)((char *)values + rows[i].offset))->items);
    }
    memory_free((void *)values->operands.items);
    *values = (cli_values){0};
}

/* ---- values back to arguments ---- */

/* Returns the argument that gives the option this value. NULL if it was not given, takes several or none, or if there
 * is no memory. A number of 0 counts as not given. */
static const char *value_of(const option_row *row, const void *field, arena *memory) {
    uint64_t number = 0;
    if (row->kind == STRING) return *(const char *const *)field;
    if (row->kind == NUMBER || row->kind == COUNT || row->kind == SIZE) memcpy(&number, field, sizeof number);
    return number ? arena_printf(memory, "%llu", (unsigned long long)number) : NULL;
}

/* Writes the words that set the option and returns how many: none, one for a flag, else two for each value. */
static size_t put_arguments(const option_row *row, const cli_values *values, const char **to, arena *memory) {
    const void *field = (const char *)values + row->offset;
    const char *name = arena_printf(memory, "--%s", row->name), *value = value_of(row, field, memory);
    const text_list *list = field;
    size_t count = 0;
    if (row->kind == FLAG && *(const bool *)field) to[count++] = name;
    if (value) to[count++] = name, to[count++] = value;
    for (size_t i = 0; row->kind == LIST && i < list->count; i++) to[count++] = name, to[count++] = list->items[i];
    return count;
}

/* Returns an upper limit of the words, for the size of the array. */
static size_t count_arguments(const cli_values *values) {
    size_t count = 2 * ROWS + values->operands.count;
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].kind == LIST)
            count += 2 * ((const text_list *)(const void *)((const char *)values + rows[i].offset))->count;
    }
    return count;
}

/* An operand that begins with `-` gets a folder in front, or it would be read as an option. */
const char **cli_arguments(const char *program, const cli_command *command, const cli_values *values, arena *memory) {
    enum { AROUND = 3 }; /* program, command, NULL */
    const char **arguments = ARENA_ARRAY(memory, count_arguments(values) + AROUND, const char *);
    size_t count = 0;
    if (!arguments) return NULL;
    arguments[count++] = program;
    arguments[count++] = command->name;
    for (size_t i = 0; i < ROWS; i++) {
        if (is_of(&rows[i], command)) count += put_arguments(&rows[i], values, arguments + count, memory);
    }
    for (size_t i = 0; i < values->operands.count; i++)
        arguments[count++] = *values->operands.items[i] == '-' ? arena_printf(memory, "./%s", values->operands.items[i])
                                                               : values->operands.items[i];
    return arguments;
}

/* ---- help ---- */

enum { HELP_WIDTH = 96, HELP_INDENT = 28 };

/* Fills words into lines that begin at `indent`, where the caller's text ends. A line that starts with a blank is
 * copied unchanged. */
static void put_filled(text *out, size_t indent, const char *s) {
    size_t column = indent;
    while (*s) {
        if (*s == '\n' || (column == indent && *s == ' ')) {
            size_t length = strcspn(s, "\n");
            text_append(out, s, length + (s[length] == '\n'));
            s += length + (s[length] == '\n');
            column = indent;
            continue;
        }
        size_t length = strcspn(s, " \n");
        if (column > indent && column + 1 + length > HELP_WIDTH)
            text_printf(out, "\n%*s", (int)indent, ""), column = indent;
        else if (column > indent)
            text_put(out, " "), column++;
        text_append(out, s, length);
        column += length;
        s += length;
        s += *s == ' ';
    }
}

/* Writes an option's line of help. Its text begins in column HELP_INDENT, on the next line if the names are too
 * long. */
static void put_option(text *out, const option_row *row) {
    size_t start = out->length;
    if (row->letter)
        text_printf(out, "  -%c, --%s", row->letter, row->name);
    else
        text_printf(out, "      --%s", row->name);
    if (row->argument) text_printf(out, " %s", row->argument);
    size_t used = out->length - start;
    if (used >= HELP_INDENT)
        text_printf(out, "\n%*s", HELP_INDENT, "");
    else
        text_printf(out, "%*s", (int)(HELP_INDENT - used), "");
    put_filled(out, HELP_INDENT, row->help);
    text_put(out, "\n");
}

/* Writes the options that only a program behind `--` has, under a heading of their own. */
static void put_program_options(const cli_command *command, text *out) {
    const char *separator = "\nand, with a program behind --:\n";
    for (size_t i = 0; i < ROWS; i++) {
        if (!is_of(&rows[i], command) || fits(&rows[i], false)) continue;
        text_put(out, separator);
        separator = "";
        put_option(out, &rows[i]);
    }
}

void cli_help(const cli_command *command, text *out) {
    text_printf(out, "usage: haul %s [options]%s%s\n\n", command->name, *command->arguments ? " " : "",
                command->arguments);
    put_filled(out, 0, command->text);
    text_put(out, "\noptions:\n");
    for (size_t i = 0; i < ROWS; i++)
        if (is_of(&rows[i], command) && fits(&rows[i], false)) put_option(out, &rows[i]);
    put_program_options(command, out);
}

void cli_help_all(text *out) {
    text_put(out, "haul moves data on GPUs as fast as the hardware allows, and shows every sector on the way.\n\n"
                  "usage: haul COMMAND [options]\n\ncommands:\n");
    for (size_t i = 0; i < cli_command_count; i++)
        text_printf(out, "  %-10s%s\n", cli_commands[i].name, cli_commands[i].summary);
    text_put(out, "\n`haul COMMAND --help` describes a command; `haul --version` prints the version.\n"
                  "Exit status: 0 fine, 1 findings or a failed expectation, 2 wrong use or unusable input.\n");
}
