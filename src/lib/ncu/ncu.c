/* Runs ncu on a command and reads its counters. csv.c parses the table.
 *
 * The command's kernels run several times under ncu, once for each pass of counters, with caches flushed in between.
 * Everything that can go wrong there goes wrong in another process, so a large part of this file turns exit statuses
 * and log lines into one message that says what to do. */
#include "lib/ncu/ncu.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/status.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- finding ncu ---- */

/* Folders of packages that do not change PATH; the last match is the newest. */
static const char *const places[] = {"/usr/local/cuda/bin/ncu", "/usr/local/cuda-*/bin/ncu",
                                     "/opt/nvidia/nsight-compute/*/ncu"};

/* glob() sorts its matches. */
static bool find_in_places(text *path) {
    bool found = false;
    for (size_t i = 0; !found && i < sizeof places / sizeof *places; i++) {
        glob_t matches;
        if (glob(places[i], 0, NULL, &matches) != 0) continue;
        found = matches.gl_pathc && process_find(matches.gl_pathv[matches.gl_pathc - 1], path);
        globfree(&matches);
    }
    return found;
}

/* HAUL_NCU that is wrong is an error: falling back to another ncu would hide it. */
haul_status ncu_find(text *path) {
    const char *chosen = getenv("HAUL_NCU");
    if (chosen && *chosen) {
        if (process_find(chosen, path)) return HAUL_OK;
        return haul_fail(HAUL_ERROR_NOT_FOUND, "HAUL_NCU: %s is not a program: unset it or name Nsight Compute's ncu",
                         chosen);
    }
    if (process_find("ncu", path) || find_in_places(path)) return HAUL_OK;
    return haul_fail(HAUL_ERROR_NOT_FOUND, "ncu not found, which reads a GPU's counters: install Nsight Compute (it is "
                                           "part of the CUDA toolkit) and put it in PATH or name it in HAUL_NCU, or "
                                           "let the virtual GPU count: --device sim:h100");
}

/* Runs `ncu --version`. */
haul_status ncu_describe(text *line) {
    static const char key[] = "Version ";
    text path = {0}, out = {0}, errors = {0};
    process_end end;
    haul_status status = ncu_find(&path);
    if (status == HAUL_OK) {
        const char *const arguments[] = {text_string(&path), "--version", NULL};
        const process_options options = {.seconds = 30, .alone = true};
        status = process_run(arguments, &options, &out, &errors, &end);
    }
    const char *version = strstr(text_string(&out), key);
    version = version ? version + strlen(key) : "?";
    if (status == HAUL_OK) text_printf(line, "%.*s %s", (int)strcspn(version, " \n"), version, text_string(&path));
    text_free(&path);
    text_free(&out);
    text_free(&errors);
    return status;
}

/* ---- messages of failures ---- */

/* Copies the rest of the line at `s`. */
static const char *rest_of_line(const char *s, char line[256]) {
    size_t length = strcspn(s, "\n");
    if (length > 255) length = 255;
    memcpy(line, s, length);
    line[length] = '\0';
    return line;
}

/* The usual obstacle: drivers restrict counters to administrators by default. */
static haul_status not_permitted(void) {
    return haul_fail(HAUL_ERROR_DRIVER,
                     "ncu: the driver lets only administrators read counters: put `options nvidia "
                     "NVreg_RestrictProfilingToAdminUsers=0` in a file in /etc/modprobe.d and restart the machine, or "
                     "run haul as root or with CAP_SYS_ADMIN");
}

/* The last line on standard error that the program under ncu wrote itself, "haul replay: ...", which has the best
 * message. */
static const char *own_words(const char *errors, char line[256]) {
    const char *found = NULL;
    for (const char *s = errors; s; s = strchr(s, '\n')) {
        s += *s == '\n';
        if (strncmp(s, "haul ", 5) == 0) found = s;
    }
    found = found ? strstr(found, ": ") : NULL;
    return found ? rest_of_line(found + 2, line) : NULL;
}

/* Turns ncu's log into a status: by its known errors first, then by the words of the program under it, then by ncu's
 * own. */
static haul_status judge_text(const process_end *end, const char *log, const char *errors) {
    static const char mark[] = "==ERROR== ";
    char line[256];
    const char *error = strstr(log, mark), *words = own_words(errors, line);
    if (strstr(log, "ERR_NVGPUCTRPERM")) return not_permitted();
    if (strstr(log, "==ERROR== LaunchFailed"))
        return haul_fail(HAUL_ERROR_FAULT, "ncu: a kernel failed while its counters were read");
    if (end->code == 0 && strstr(log, "No kernels were profiled"))
        return haul_fail(HAUL_ERROR_DRIVER, "ncu: saw no launch of a kernel");
    if (end->code == 0) return HAUL_OK;
    if (words) return haul_fail(HAUL_ERROR_DRIVER, "under ncu: %s", words);
    if (error) return haul_fail(HAUL_ERROR_DRIVER, "ncu: %s", rest_of_line(error + strlen(mark), line));
    return haul_fail(HAUL_ERROR_DRIVER, "ncu: ended with exit status %d", end->code);
}

/* Whether a run of ncu succeeded, and if not, why. */
static haul_status judge(const process_end *end, unsigned seconds, const char *log, const char *errors) {
    if (end->too_slow)
        return haul_fail(
            HAUL_ERROR_TIMEOUT,
            "ncu: did not end within %u s and was stopped: give it longer with --timeout, or fewer launches", seconds);
    if (end->signal) return haul_fail(HAUL_ERROR_DRIVER, "ncu: was ended by signal %d", end->signal);
    return judge_text(end, log, errors);
}

/* ---- running ncu ---- */

/* The table goes to a file in its own folder, so that the program's output cannot mix with it. */
typedef struct run {
    text program, metrics;
    char folder[256], log[300];
    const char **arguments; /* ncu's, then the command's, then NULL */
    unsigned seconds;
} run;

static void end_run(run *r) {
    if (*r->log) unlink(r->log);
    if (*r->folder) rmdir(r->folder);
    text_free(&r->program);
    text_free(&r->metrics);
    memory_free(r->arguments);
}

/* Makes a folder for the log. mkdtemp() makes it for this user alone. */
static haul_status make_folder(run *r) {
    char template[sizeof r->folder];
    int length = snprintf(template, sizeof template, "%s/haul-ncu-XXXXXX", file_temporary());
    if (length >= (int)sizeof template) return haul_fail(HAUL_ERROR_FILE, "TMPDIR: the path is too long");
    if (!mkdtemp(template)) return haul_fail(HAUL_ERROR_FILE, "%s: cannot be made: %s", template, strerror(errno));
    memcpy(r->folder, template, sizeof template);
    snprintf(r->log, sizeof r->log, "%s/log", r->folder);
    return HAUL_OK;
}

/* NVLink's counters make ncu fail on a GPU without links. */
static bool is_everywhere(haul_counter counter) {
    return counter != HAUL_COUNTER_NVLINK_READ_BYTES && counter != HAUL_COUNTER_NVLINK_WRITE_BYTES;
}

/* All counters at once; ncu leaves out others that the GPU lacks. */
static void name_metrics(text *metrics) {
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++)
        if (is_everywhere((haul_counter)i)) text_printf(metrics, "%s%s.sum", i ? "," : "", haul_counters[i].ncu);
    text_put(metrics, ",launch__registers_per_thread");
}

/* Flags that make readings comparable: base units, mangled names, clocks as they are, caches flushed before each
 * pass. */
static haul_status make_arguments(run *r, const char *const *command) {
    const char *const flags[] = {text_string(&r->program),
                                 "--csv",
                                 "--page",
                                 "raw",
                                 "--print-units",
                                 "base",
                                 "--print-kernel-base",
                                 "mangled",
                                 "--clock-control",
                                 "none",
                                 "--cache-control",
                                 "all",
                                 "--target-processes",
                                 "application-only",
                                 "--metrics",
                                 text_string(&r->metrics),
                                 "--log-file",
                                 r->log};
    size_t fixed = sizeof flags / sizeof *flags, count = 0;
    while (command[count]) count++;
    r->arguments = memory_zeroed(fixed + count + 1, sizeof *r->arguments);
    if (!r->arguments) return haul_no_memory("ncu's command");
    memcpy(r->arguments, flags, sizeof flags);
    memcpy(r->arguments + fixed, command, count * sizeof *command);
    return HAUL_OK;
}

/* Prepares what all readings share. Call end_run() also after an error. */
static haul_status start_run(run *r, const char *const *command, const ncu_options *o) {
    r->seconds = o->seconds ? o->seconds : NCU_SECONDS;
    HAUL_TRY(ncu_find(&r->program));
    name_metrics(&r->metrics);
    if (r->program.failed || r->metrics.failed) return haul_no_memory("ncu's command");
    HAUL_TRY(make_folder(r));
    return make_arguments(r, command);
}

/* A missing log is empty. */
static void append_log(const run *r, text *log) {
    text content = {0};
    if (access(r->log, R_OK) == 0 && file_read(r->log, &content) == HAUL_OK)
        text_append(log, text_string(&content), content.length);
    text_free(&content);
}

/* One reading: runs the command and adds its table to the report. The log comes after the program's output. */
static haul_status read_once(const run *r, ncu_report *report) {
    const process_options options = {.seconds = r->seconds, .alone = true};
    text log = {0}, errors = {0};
    process_end end;
    haul_status status = process_run(r->arguments, &options, &log, &errors, &end);
    append_log(r, &log);
    text_append(&log, text_string(&errors), errors.length);
    if (status == HAUL_OK && log.failed) status = haul_no_memory("ncu's command");
    if (status == HAUL_OK) status = judge(&end, r->seconds, text_string(&log), text_string(&errors));
    if (status == HAUL_OK) status = ncu_read_csv(report, text_string(&log), log.length);
    text_free(&log);
    text_free(&errors);
    return status;
}

haul_status ncu_read(const char *const *command, const ncu_options *options, ncu_report *report) {
    run r = {0};
    haul_status status = start_run(&r, command, options);
    for (unsigned i = 0; status == HAUL_OK && i < (options->readings ? options->readings : 1); i++) {
        status = read_once(&r, report);
        unlink(r.log);
    }
    end_run(&r);
    return status;
}
