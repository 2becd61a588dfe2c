/* Writes the manual page: copies docs/man/haul.1.in and puts the tables of commands and options, the only lists there
 * are, in the place of the lines @COMMANDS@ and @OPTIONS@.
 *
 *   haul_gen_man TEMPLATE >docs/man/haul.1 */
#include "lib/launch/fill.h"
#include "lib/launch/scalar.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name, *arguments, *text;
} command;

static const command commands[] = {
#define COMMAND(id, name, arguments, summary, text) {name, arguments, text},
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

typedef struct option {
    const char *name, *argument, *help;
    int letter;
    unsigned commands;
} option;

static const option options[] = {
#define OPTION(field, kind, name, letter, argument, commands, help) {name, argument, help, letter, commands},
#include "cli/options.def"
#undef OPTION
};

/* Text with what groff would take for its own made plain; names in backquotes become bold. */
static void put(const char *text, size_t length) {
    bool bold = false;
    for (size_t i = 0; i < length; i++) {
        bool line_start = i == 0 || text[i - 1] == '\n';
        if (line_start && (text[i] == '.' || text[i] == '\'')) printf("\\&");
        if (text[i] == '`')
            bold = !bold, printf(bold ? "\\fB" : "\\fR");
        else if (text[i] == '\\' || text[i] == '-')
            printf(text[i] == '-' ? "\\-" : "\\e");
        else
            putchar(text[i]);
    }
}

/* Paragraphs are separated by empty lines; one whose lines are indented is an example, kept as it is. */
static void put_paragraphs(const char *text) {
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        bool example = text[0] == ' ';
        if (example) puts(".PP\n.nf");
        put(text, length);
        puts(text[length ? length - 1 : 0] == '\n' ? "" : "\n");
        if (example) puts(".fi");
        text += length + (end ? 2 : 0);
        if (*text && *text != ' ') puts(".PP");
    }
}

static void put_commands(void) {
    for (size_t i = 0; i < COMMANDS; i++) {
        printf(".SS haul %s ", commands[i].name);
        put(commands[i].arguments, strlen(commands[i].arguments));
        putchar('\n');
        put_paragraphs(commands[i].text);
    }
}

static void put_option(const option *o) {
    puts(".TP");
    if (o->letter) printf("\\fB\\-%c\\fR, ", o->letter);
    printf("\\fB\\-\\-%s\\fR", o->name);
    if (o->argument) printf(" \\fI%s\\fR", o->argument);
    putchar('\n');
    put(o->help, strlen(o->help));
    if ((o->commands & ALL) != ALL) {
        const char *separator = o->commands & ONLY_PROGRAM ? " [for a program: " : " [";
        for (size_t i = 0; i < COMMANDS; i++)
            if (o->commands >> i & 1) printf("%s%s", separator, commands[i].name), separator = ", ";
        putchar(']');
    }
    putchar('\n');
}

int main(int argc, char **argv) {
    FILE *template = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!template) {
        fprintf(stderr, "usage: haul_gen_man TEMPLATE\n");
        return 2;
    }
    char line[1024];
    while (fgets(line, sizeof line, template)) {
        char *version = strstr(line, "@VERSION@");
        if (strcmp(line, "@COMMANDS@\n") == 0)
            put_commands();
        else if (strcmp(line, "@OPTIONS@\n") == 0)
            for (size_t i = 0; i < sizeof options / sizeof *options; i++) put_option(&options[i]);
        else if (version)
            printf("%.*s%s%s", (int)(version - line), line, HAUL_VERSION, version + strlen("@VERSION@"));
        else
            fputs(line, stdout);
    }
    fclose(template);
    return fflush(stdout) == 0 ? 0 : 2;
}
