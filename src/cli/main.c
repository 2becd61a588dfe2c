/* haul: dispatches to the commands of commands.def. */
#include "base/nearest.h"
#include "base/status.h"
#include "cli/options.h"
#include "cli/progress.h"

#include <errno.h>
#include <haul/status.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

/* main() checks at the end whether it could be written. */
static int help(const cli_command *command) {
    text out = {0};
    if (command)
        cli_help(command, &out);
    else
        cli_help_all(&out);
    if (out.failed) fprintf(stderr, "haul: no memory for the help\n");
    const int code = out.failed ? CLI_ERROR : CLI_FINE;
    if (!out.failed) fwrite(text_string(&out), 1, out.length, stdout);
    text_free(&out);
    return code;
}

static int version(void) {
    printf("haul %s\n", HAUL_VERSION);
    return CLI_FINE;
}

/* Suggests the nearest of the first 16 commands: there are fewer. */
static int unknown_command(const char *name) {
    const char *names[16];
    size_t count = 0;
    while (count < cli_command_count && count < 16) names[count] = cli_commands[count].name, count++;
    const char *near = nearest_name(name, names, count);
    if (near)
        fprintf(stderr, "haul: unknown command %s: did you mean %s?\n", name, near);
    else
        fprintf(stderr, "haul: unknown command %s: `haul help` lists the commands\n", name);
    return CLI_ERROR;
}

/* Progress is on only while the command runs; commands clear it themselves before they print. */
static int start(const cli_command *command, const cli_values *values) {
    progress_start(values->quiet);
    if (values->timeout) progress_end_after(command->name, values->timeout);
    const int code = command->run(values);
    progress_clear();
    return code;
}

/* Parses the line and runs the command, or prints its help. argv[0] is the command's name. */
static int run(const cli_command *command, int argc, char **argv) {
    cli_values values;
    int code = CLI_ERROR;
    if (cli_parse(command, argc, argv, &values) != HAUL_OK)
        fprintf(stderr, "haul %s: %s\n", command->name, haul_message());
    else if (values.help)
        code = help(command);
    else
        code = start(command, &values);
    cli_values_free(&values);
    return code;
}

/* `haul help`, `haul help COMMAND`, `haul --version` and `haul COMMAND ...`. haul without a command is an error, not
 * help. */
static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "haul: no command given: `haul help` lists the commands\n");
        return CLI_ERROR;
    }
    const char *name = argv[1];
    bool asks_help = strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) return version();
    const cli_command *command = cli_command_find(asks_help && argc > 2 ? argv[2] : name);
    if (asks_help && (command || argc == 2)) return help(command);
    return command ? run(command, argc - 1, argv + 1) : unknown_command(argv[asks_help ? 2 : 1]);
}

/* Only LC_CTYPE is set, which the terminal's characters need: numbers keep their points in every locale. */
int main(int argc, char **argv) {
    setlocale(LC_CTYPE, "");
    int code = dispatch(argc, argv);
    errno = 0;
    const bool incomplete = fflush(stdout) != 0 || ferror(stdout);
    if (!incomplete || code == CLI_ERROR) return code; /* an error has printed its line */
    fprintf(stderr, "haul: standard output: cannot be written: %s\n", strerror(errno ? errno : EIO));
    return CLI_ERROR;
}
