/* Output of reports. Each process of a program writes its own file: the first gets the requested name, further ones a
 * name with their number in it.
 *
 * A report goes to standard error or to the file of --report; other files (HTML, SARIF, JUnit, recordings) are
 * written at once. Creation with O_EXCL decides which process is first, so that processes need not know of each
 * other. Devices such as /dev/null are written by all. */
#include "base/file.h"
#include "base/status.h"
#include "standin/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 4 }; /* HTML, trace, SARIF, JUnit */

static int report = -1;  /* descriptor; -1: nothing printed yet */
static text report_path; /* empty: standard error */
static text *collected;  /* takes what is printed; NULL: the report does */
static struct {
    const char *path; /* as asked for */
    text own;         /* of this process */
} files[MOST_FILES];

/* Turns "a/report.html" into "a/report.4711.html". */
static void put_numbered(const char *path, text *own) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    const size_t stem = dot && dot > name ? (size_t)(dot - path) : strlen(path);
    text_printf(own, "%.*s.%d%s", (int)stem, path, (int)getpid(), path + stem);
}

/* `own` has the name that was tried last, even after a failure. */
haul_status standin_make_output(const char *path, text *own, int *descriptor) {
    enum { FLAGS = O_WRONLY | O_CREAT | O_CLOEXEC, MODE = 0666 };
    text_clear(own);
    text_put(own, path);
    *descriptor = open(path, FLAGS | O_EXCL, MODE);
    if (*descriptor < 0 && errno == EEXIST && strncmp(path, "/dev/", 5) != 0) {
        text_clear(own);
        put_numbered(path, own);
        *descriptor = own->failed ? -1 : open(text_string(own), FLAGS | O_TRUNC, MODE);
    } else if (*descriptor < 0 && errno == EEXIST) {
        *descriptor = open(path, FLAGS, MODE);
    }
    if (*descriptor >= 0) return HAUL_OK;
    return haul_fail(HAUL_ERROR_FILE, "%s: cannot be written: %s", text_string(own), strerror(errno));
}

/* Returns false, with errno, if the file takes no more. */
static bool write_all(int to, const char *bytes, size_t length) {
    while (length) {
        const ssize_t written = write(to, bytes, length);
        if (written < 0 && errno != EINTR) return false;
        if (written < 0) continue;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

/* Says once that the file of the report is not whole. The program goes on: a report must not make it fail. */
static void say_incomplete(int error) {
    static bool said;
    if (!said && report_path.length)
        fprintf(stderr, "haul: %s: cannot be written: %s\n", text_string(&report_path), strerror(error));
    said = true;
}

/* Opens the report's file when first needed. If that fails, the report goes to standard error. */
int standin_report_descriptor(void) {
    if (report >= 0) return report;
    report = STDERR_FILENO;
    if (standin_asked.report && standin_make_output(standin_asked.report, &report_path, &report) != HAUL_OK) {
        fprintf(stderr, "haul: %s\n", haul_message());
        report = STDERR_FILENO;
        text_clear(&report_path);
    }
    return report;
}

const char *standin_report_path(void) {
    (void)standin_report_descriptor();
    return text_string(&report_path);
}

void standin_collect(text *to) {
    collected = to;
}

bool standin_is_collecting(void) {
    return collected;
}

void standin_print(text *out) {
    if (collected)
        text_append(collected, text_string(out), out->length);
    else if (out->length && !write_all(standin_report_descriptor(), out->bytes, out->length))
        say_incomplete(errno);
    text_clear(out);
}

/* Replaces a file that this process has made, at once. */
static haul_status replace(const char *own, const text *content) {
    text part = {0};
    text_printf(&part, "%s.part", own);
    haul_status status = part.failed ? haul_no_memory("the report") : file_write(text_string(&part), content);
    if (status == HAUL_OK && rename(text_string(&part), own) != 0)
        status = haul_fail(HAUL_ERROR_FILE, "%s: cannot be written: %s", own, strerror(errno));
    text_free(&part);
    return status;
}

/* The name of this process's file for that path, empty before it is made. */
static text *own_name(const char *path) {
    size_t i = 0;
    while (i + 1 < MOST_FILES && files[i].path && strcmp(files[i].path, path) != 0) i++;
    files[i].path = path;
    return &files[i].own;
}

/* A device is written once, at the end. */
haul_status standin_write(const char *path, text *content) {
    haul_status status = HAUL_OK;
    int descriptor;
    const bool is_device = strncmp(path, "/dev/", 5) == 0;
    text *own = own_name(path);
    if (own->length && !is_device)
        status = replace(text_string(own), content);
    else if (!is_device || !collected)
        if ((status = standin_make_output(path, own, &descriptor)) == HAUL_OK) {
            if (!write_all(descriptor, text_string(content), content->length))
                status = haul_fail(HAUL_ERROR_FILE, "%s: cannot be written: %s", text_string(own), strerror(errno));
            close(descriptor);
        }
    text_clear(content);
    return status;
}
