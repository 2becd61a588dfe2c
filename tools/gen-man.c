/* Writes the manual pages from the tables of commands and options, the only lists there are.
 *
 *   haul_gen_man TEMPLATE >docs/man/haul.1
 *   haul_gen_man --commands FOLDER
 *
 * The first copies docs/man/haul.1.in and puts the tables in the place of the lines @COMMANDS@, @OPTIONS@ and @PAGES@.
 * The second writes a page for each command, FOLDER/haul-COMMAND.1. */
#include "command-tables.h"

#include <stdio.h>
#include <stdlib.h>

/* Text with what groff would take for its own made plain; names in backquotes become bold. */
static void put(FILE *out, const char *text, size_t length) {
    bool bold = false;
    for (size_t i = 0; i < length; i++) {
        bool line_start = i == 0 || text[i - 1] == '\n';
        if (line_start && (text[i] == '.' || text[i] == '\'')) fprintf(out, "\\&");
        if (text[i] == '`')
            bold = !bold, fprintf(out, bold ? "\\fB" : "\\fR");
        else if (text[i] == '\\' || text[i] == '-')
            fprintf(out, text[i] == '-' ? "\\-" : "\\e");
        else
            putc(text[i], out);
    }
}

/* Paragraphs are separated by empty lines; one whose lines are indented is an example, kept as it is. `examples`: a
 * heading before the first of these, or NULL. */
static void put_paragraphs(FILE *out, const char *text, const char *examples) {
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        bool example = text[0] == ' ';
        if (example && examples) fprintf(out, "%s\n", examples);
        if (example) fputs(examples ? ".nf\n" : ".PP\n.nf\n", out), examples = NULL;
        put(out, text, length);
        fputs(text[length ? length - 1 : 0] == '\n' ? "" : "\n", out);
        if (example) fputs(".fi\n", out);
        text += length + (end ? 2 : 0);
        if (*text && *text != ' ') fputs(".PP\n", out);
    }
}

/* ---- options ---- */

/* The name with its argument, and what it does, without the end of the line. */
static void put_option(FILE *out, const option_row *o) {
    fputs(".TP\n", out);
    if (o->letter) fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", out);
    put(out, o->name, strlen(o->name));
    fputs("\\fR", out);
    if (o->argument) fprintf(out, " \\fI%s\\fR", o->argument);
    putc('\n', out);
    put(out, o->help, strlen(o->help));
}

/* An option that only some commands take names them. */
static void put_option_of_all(FILE *out, const option_row *o) {
    put_option(out, o);
    if ((o->commands & ALL) != ALL) {
        const char *separator = o->commands & ONLY_PROGRAM ? " [for a program: " : " [";
        for (size_t i = 0; i < COMMANDS; i++)
            if (option_is_of(o, i)) fprintf(out, "%s%s", separator, commands[i].name), separator = ", ";
        putc(']', out);
    }
    putc('\n', out);
}

/* Options of a command; `program`: those that only a program behind `--` has, under a heading of their own. */
static void put_options_of(FILE *out, size_t command, bool program) {
    bool is_first = true;
    for (size_t i = 0; i < OPTIONS; i++) {
        const option_row *o = &options[i];
        if (!option_is_of(o, command) || !(o->commands & ONLY_PROGRAM) == program) continue;
        if (is_first && program) fputs(".SS With a program behind \\-\\-\n", out);
        is_first = false;
        put_option(out, o);
        putc('\n', out);
    }
}

/* ---- the page of haul ---- */

static void put_commands(void) {
    for (size_t i = 0; i < COMMANDS; i++) {
        printf(".SS haul %s ", commands[i].name);
        put(stdout, commands[i].arguments, strlen(commands[i].arguments));
        putchar('\n');
        put_paragraphs(stdout, commands[i].text, NULL);
    }
}

/* References to the other pages; the last one ends without a comma. */
static void put_pages(FILE *out, size_t except) {
    size_t last = COMMANDS - 1 - (except == COMMANDS - 1);
    for (size_t i = 0; i < COMMANDS; i++)
        if (i != except) fprintf(out, ".BR haul\\-%s (1)%s\n", commands[i].name, i == last ? "" : ",");
}

static int write_whole(const char *path) {
    FILE *template = fopen(path, "r");
    char line[1024];
    if (!template) return perror(path), 2;
    while (fgets(line, sizeof line, template)) {
        char *version = strstr(line, "@VERSION@");
        if (strcmp(line, "@COMMANDS@\n") == 0)
            put_commands();
        else if (strcmp(line, "@OPTIONS@\n") == 0)
            for (size_t i = 0; i < OPTIONS; i++) put_option_of_all(stdout, &options[i]);
        else if (strcmp(line, "@PAGES@\n") == 0)
            put_pages(stdout, COMMANDS);
        else if (version)
            printf("%.*s%s%s", (int)(version - line), line, HAUL_VERSION, version + strlen("@VERSION@"));
        else
            fputs(line, stdout);
    }
    fclose(template);
    return fflush(stdout) == 0 ? 0 : 2;
}

/* ---- a page for each command ---- */

static void put_page(FILE *out, size_t command) {
    const char *name = commands[command].name, *arguments = commands[command].arguments;
    fprintf(out, ".\\\" Made by tools/gen-man.c from src/cli/commands.def and src/cli/options.def.\n");
    fprintf(out, ".TH HAUL\\-%s 1 \"\" \"haul %s\" \"User Commands\"\n", name, HAUL_VERSION);
    fprintf(out, ".SH NAME\nhaul\\-%s \\- ", name);
    put(out, commands[command].summary, strlen(commands[command].summary));
    fprintf(out, "\n.SH SYNOPSIS\n\\fBhaul %s\\fR [\\fIoptions\\fR]%s", name, *arguments ? " " : "");
    put(out, arguments, strlen(arguments));
    fprintf(out, "\n.SH DESCRIPTION\n");
    put_paragraphs(out, commands[command].text, ".SH EXAMPLES");
    fprintf(out, ".SH OPTIONS\n");
    put_options_of(out, command, false);
    put_options_of(out, command, true);
    fprintf(out, ".SH SEE ALSO\n.BR haul (1),\n");
    put_pages(out, command);
}

static int write_pages(const char *folder) {
    for (size_t i = 0; i < COMMANDS; i++) {
        char path[4096];
        if (snprintf(path, sizeof path, "%s/haul-%s.1", folder, commands[i].name) >= (int)sizeof path) return 2;
        FILE *out = fopen(path, "w");
        if (!out) return perror(path), 2;
        put_page(out, i);
        if (fclose(out) != 0) return perror(path), 2;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2) return write_whole(argv[1]);
    if (argc == 3 && strcmp(argv[1], "--commands") == 0) return write_pages(argv[2]);
    fprintf(stderr, "usage: haul_gen_man TEMPLATE | --commands FOLDER\n");
    return 2;
}
