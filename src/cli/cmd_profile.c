/* haul profile: where a kernel's memory traffic comes from. */
#include "base/file.h"
#include "base/status.h"
#include "cli/session.h"
#include "cli/sources.h"
#include "report/json.h"
#include "report/profile.h"

#include <unistd.h>

enum { LINES = 10, MIX = 12 };
static const double ADVICE_SHARE = 1; /* percent of the traffic */

typedef struct profiler {
    const cli_values *values;
    report_document *document; /* the whole run's, for --html */
    report_profile_options options;
    cli_sources sources;
    text out;
} profiler;

static haul_status no_memory(void) {
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
}

/* ---- one launch ---- */

static haul_status print_json(profiler *p, const launch_description *d, haul_stamp stamp,
                              const haul_launch_record *record) {
    json_t *profile = NULL, *line = launch_to_json(d, stamp, record);
    haul_status status = line ? report_profile_json(record, &p->options, &profile) : no_memory();
    if (status == HAUL_OK && json_object_update(line, profile) != 0) status = no_memory();
    json_decref(profile);
    if (status != HAUL_OK) {
        json_decref(line);
        return status;
    }
    HAUL_TRY(report_json_put(line, JSON_COMPACT, &p->out));
    return cli_print(&p->out);
}

/* Each launch is printed when it has run; a document of its own carries it. */
static haul_status print_text(profiler *p, const char *name, const haul_launch_record *record) {
    report_document *d = report_document_new(name, NULL);
    haul_status status = report_add_profile(d, name, record, &p->options);
    if (status == HAUL_OK) status = report_write_text(d, report_terminal_of(STDOUT_FILENO), &p->out);
    report_document_free(d);
    return status == HAUL_OK ? cli_print(&p->out) : status;
}

static haul_status profile(profiler *p, cli_session *s, size_t index) {
    const haul_launch_record *record;
    launch_description *d = &s->launches.items[index];
    HAUL_TRY(cli_session_run(s, d, &record));
    char name[32];
    snprintf(name, sizeof name, "launch-%zu", index);
    if (!p->document->facts) report_add_run_facts(p->document, s->run);
    if (p->values->html) HAUL_TRY(report_add_profile(p->document, name, record, &p->options));
    if (p->values->quiet) return HAUL_OK;
    return p->values->json ? print_json(p, d, s->run->stamp, record) : print_text(p, name, record);
}

static haul_status profile_all(profiler *p, cli_session *s) {
    HAUL_TRY(cli_session_open(s, p->values));
    HAUL_TRY(cli_sources_open(&p->sources, p->values, s));
    p->document = report_document_new("profile", "Memory profile");
    if (!p->document) return no_memory();
    p->options = (report_profile_options){p->values->lines ? (size_t)p->values->lines : LINES, MIX, ADVICE_SHARE,
                                          &p->sources.files};
    for (size_t i = 0; i < s->launches.count; i++) HAUL_TRY(profile(p, s, i));
    if (!p->values->html) return HAUL_OK;
    HAUL_TRY(report_write_html(p->document, &p->out));
    return file_write(p->values->html, &p->out);
}

int cli_run_profile(const cli_values *v) {
    profiler p = {.values = v};
    cli_session s;
    haul_status status = profile_all(&p, &s);
    cli_session_close(&s);
    report_document_free(p.document);
    cli_sources_close(&p.sources);
    text_free(&p.out);
    return status == HAUL_OK ? CLI_FINE : cli_fail("profile");
}
