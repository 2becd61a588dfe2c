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

static int report = -1; /* descriptor; -1: nothing printed yet */

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

/* Ends early if the file cannot be written: a report must not make the program fail. */
static void write_all(int to, const char *bytes, size_t length) {
    while (length) {
        const ssize_t written = write(to, bytes, length);
        if (written < 0 && errno != EINTR) return;
        if (written < 0) continue;
        bytes += written;
        length -= (size_t)written;
    }
}

/* Opens the report's file when first needed. If that fails, the report goes to standard error. */
int standin_report_descriptor(void) {
    text own = {0};
    if (report >= 0) return report;
    report = STDERR_FILENO;
    if (standin_asked.report && standin_make_output(standin_asked.report, &own, &report) != HAUL_OK) {
        fprintf(stderr, "haul: %s\n", haul_message());
        report = STDERR_FILENO;
    }
    text_free(&own);
    return report;
}

void standin_print(text *out) {
    if (out->length) write_all(standin_report_descriptor(), out->bytes, out->length);
    text_clear(out);
}

haul_status standin_write(const char *path, text *content) {
    text own = {0};
    int descriptor;
    const haul_status status = standin_make_output(path, &own, &descriptor);
    if (status == HAUL_OK) {
        write_all(descriptor, text_string(content), content->length);
        close(descriptor);
    }
    text_free(&own);
    text_clear(content);
    return status;
}
