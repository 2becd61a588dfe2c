/* Writes completion for bash from the tables of commands and options, and of the words that they take.
 *
 *   haul_gen_completion FUNCTIONS.bash EXERCISES.json >haul
 *
 * The script has functions that know what each command and option takes, and then the functions of the first file,
 * which use them. Names of exercises come from the second file, where each is in quotes. */
#include "command-tables.h"

#include <stdio.h>

#define MACHINE(name, ...) "sim:" #name " "
static const char machines[] =
#include "machine/machines.def"
    "";
#define FINDING(id, key, grade, why, cure) key " "
static const char findings[] =
#include <haul/findings.def>
    "";
#define EXPERIMENT(name, title, text) #name " "
static const char lab_names[] =
#include "cli/lab/experiments.def"
    "";

/* Lists that values.def names stand for characters, which put_words() replaces. */
#define MACHINES "\1"
#define FINDINGS "\2"
#define LABS "\3"
#define EXERCISES "\4"

typedef struct words {
    const char *name, *list;
} words;

static const words values[] = {
#define VALUES(option, list) {option, list},
#define OPERANDS(id, list)
#include "cli/values.def"
};
static const words operands[] = {
#define VALUES(option, list)
#define OPERANDS(id, list) {#id, list},
#include "cli/values.def"
};

static char exercises[4096];

/* Reads the names in quotes. */
static bool read_exercises(const char *path) {
    FILE *in = fopen(path, "r");
    bool inside = false;
    size_t length = 0;
    if (!in) return false;
    for (int c; (c = getc(in)) != EOF && length + 2 < sizeof exercises;) {
        if (c == '"' && inside) exercises[length++] = ' ';
        if (c == '"')
            inside = !inside;
        else if (inside)
            exercises[length++] = (char)c;
    }
    fclose(in);
    return length > 0;
}

static void put_words(const char *list) {
    const char *const lists[] = {machines, findings, lab_names, exercises};
    for (; *list; list++) {
        if (*list >= 1 && *list <= 4)
            fputs(lists[*list - 1], stdout);
        else
            putchar(*list);
    }
}

static const char *find(const words *table, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0) return table[i].list;
    return NULL;
}

/* ---- the parts that the tables decide ---- */

static void put_commands(void) {
    fputs("_haul_commands='", stdout);
    for (size_t i = 0; i < COMMANDS; i++) printf("%s ", commands[i].name);
    puts("help'");
}

/* Names of all options of each command, also those that only a program has: it may still follow. */
static void put_options(void) {
    puts("\n_haul_options() {\n    case $1 in");
    for (size_t i = 0; i < COMMANDS; i++) {
        printf("    %s) echo '", commands[i].name);
        for (size_t k = 0; k < OPTIONS; k++)
            if (option_is_of(&options[k], i)) printf("--%s ", options[k].name);
        printf("' ;;\n");
    }
    puts("    esac\n}");
}

/* Puts the completion of an option's argument: words, files, or none. */
static void put_argument(const option_row *o) {
    const char *list = find(values, sizeof values / sizeof *values, o->name);
    if (list) {
        fputs("_haul_words '", stdout);
        put_words(list);
        putchar('\'');
    } else if (strstr(o->argument, "FILE")) {
        fputs("_haul_files", stdout);
    } else if (strstr(o->argument, "DIR")) {
        fputs("_haul_folders", stdout);
    } else {
        putchar(':');
    }
}

/* A case for each row that has an argument: the commands that take it, with its name and its letter. */
static void put_arguments(void) {
    puts("\n# $1: the command, $2: the option. False if the option has no argument.\n_haul_argument() {\n    case "
         "$1:$2 in");
    for (size_t k = 0; k < OPTIONS; k++) {
        const option_row *o = &options[k];
        const char *separator = "    ";
        if (o->kind == FLAG) continue;
        for (size_t i = 0; i < COMMANDS; i++) {
            if (!option_is_of(o, i)) continue;
            printf("%s%s:--%s", separator, commands[i].name, o->name);
            separator = " | ";
            if (o->letter) printf(" | %s:-%c", commands[i].name, o->letter);
        }
        fputs(") ", stdout);
        put_argument(o);
        puts(" ;;");
    }
    puts("    *) return 1 ;;\n    esac\n}");
}

static void put_operands(void) {
    puts("\n_haul_operand() {\n    case $1 in");
    for (size_t i = 0; i < COMMANDS; i++) {
        const char *list = find(operands, sizeof operands / sizeof *operands, commands[i].name);
        const bool takes_files = strstr(commands[i].arguments, "FILE") || strstr(commands[i].arguments, "A B");
        printf("    %s) ", commands[i].name);
        if (list) {
            fputs("_haul_words '", stdout);
            put_words(list);
            fputs("'; ", stdout);
        }
        puts(takes_files ? "_haul_files ;;" : list ? ";;" : ": ;;");
    }
    puts("    esac\n}");
}

static void put_programs(void) {
    fputs("\n_haul_runs_programs() {\n    case $1 in\n    ", stdout);
    const char *separator = "";
    for (size_t i = 0; i < COMMANDS; i++)
        if (runs_programs(i)) printf("%s%s", separator, commands[i].name), separator = " | ";
    puts(") return 0 ;;\n    esac\n    return 1\n}");
}

/* Copies the functions, which are the same for all tables. */
static bool put_file(const char *path) {
    FILE *in = fopen(path, "r");
    if (!in) return false;
    for (int c; (c = getc(in)) != EOF;) putchar(c);
    fclose(in);
    return true;
}

int main(int argc, char **argv) {
    if (argc != 3 || !read_exercises(argv[2])) {
        fprintf(stderr, "usage: haul_gen_completion FUNCTIONS.bash EXERCISES.json\n");
        return 2;
    }
    puts("# bash completion for haul. Made by tools/gen-completion.c from the tables of commands and options.\n");
    put_commands();
    put_options();
    put_arguments();
    put_operands();
    put_programs();
    putchar('\n');
    if (!put_file(argv[1])) return 2;
    return fflush(stdout) == 0 ? 0 : 2;
}
