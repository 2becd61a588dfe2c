/* haul compare: replays recorded launches and compares counters and outputs with the recording.
 *
 * A pair is a counter of a launch: the recorded value, or range if readings varied, and the value here.
 * lib/launch/compare.h decides whether a pair agrees: counters of grade exact must lie in the range, those of grade
 * close near it, those of grade info are shown only. This file runs the launches, prints the pairs and decides the exit
 * status. By default only outputs decide, of which all must be identical; --at-least says how many counters must agree.
 * Each launch is printed as soon as it has run. Ranks of an MPI program share the launches (cli/shared.h); rank 0
 * compares and prints. */
#include "base/number.h"
#include "base/status.h"
#include "cli/compare_summary.h"
#include "cli/publish.h"
#include "cli/ranks.h"
#include "cli/shared.h"
#include "lib/launch/compare.h"
#include "report/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The counts: pairs of either grade, and launches by their outputs. */
enum { EXACT, CLOSE, OUTPUTS, KINDS };
static const char *const kinds[KINDS] = {"exact", "close", "outputs"};

/* The least number or share that must agree. */
typedef struct threshold {
    double least; /* percent, or a number of pairs or launches */
    bool is_percent;
} threshold;

typedef struct comparison {
    const cli_values *values;
    threshold thresholds[KINDS]; /* of --at-least; default 0, for outputs all */
    compare_sums sums;
    size_t outputs, identical; /* launches with recorded hashes, and those in which all agree */
    compare_summary summary;   /* --summary */
    cli_shared shared;
    text out;
} comparison;

/* Nothing to compare counts as all of it, so that a threshold in percent holds. */
static double percent(size_t part, size_t whole) {
    return whole ? 100 * (double)part / (double)whole : 100;
}

/* Whether the recording has a hash of any of the launch's buffers. */
static bool has_outputs(const launch_description *d) {
    for (size_t i = 0; i < launch_value_count(d); i++) {
        if (d->arguments[i].recorded) return true;
    }
    return false;
}

/* Whether the lines of a launch have the pair: those that differ or depend on the order of blocks, or, with
 * --all, all that are compared. */
static bool is_listed(const comparison *c, const compare_pair *p) {
    const bool is_compared = haul_counters[p->counter].grade != HAUL_COUNTER_INFO;
    return is_compared && (c->values->all || p->is_ordered || !p->agrees);
}

/* ---- thresholds ---- */

/* `99.5%`, or a whole number of pairs. */
static bool read_threshold(const char *s, threshold *out) {
    char number[32];
    const size_t length = strcspn(s, "%");
    if (length >= sizeof number || (s[length] && s[length + 1])) return false;
    memcpy(number, s, length);
    number[length] = 0;
    out->is_percent = s[length] == '%';
    if (!number_f64(number, &out->least) || !(out->least >= 0)) return false;
    return out->is_percent ? out->least <= 100 : out->least == floor(out->least) && isfinite(out->least);
}

/* Reads --at-least: KIND=N or KIND=N%. If a kind has several, the last one counts. */
static haul_status read_thresholds(comparison *c) {
    const text_list *given = &c->values->at_least;
    c->thresholds[OUTPUTS] = (threshold){100, true};
    for (size_t i = 0; i < given->count; i++) {
        const char *item = given->items[i];
        const size_t length = strcspn(item, "=");
        int kind = 0;
        while (kind < KINDS && (strncmp(item, kinds[kind], length) != 0 || kinds[kind][length])) kind++;
        if (kind == KINDS || !item[length] || !read_threshold(item + length + 1, &c->thresholds[kind]))
            return haul_fail(
                HAUL_ERROR_ARGUMENT,
                "--at-least: `%s` is not understood: write exact=99.5%%, close=98%% or outputs=100%%, or a "
                "number for the share",
                item);
    }
    return HAUL_OK;
}

/* Pairs are tallied by grade; outputs have their own counts. */
static const compare_tally *tally_of(const comparison *c, int grade) {
    return grade == EXACT ? &c->sums.exact : &c->sums.close;
}

static size_t total_of(const comparison *c, int kind) {
    return kind == OUTPUTS ? c->outputs : tally_of(c, kind)->pairs;
}

static size_t agreeing_of(const comparison *c, int kind) {
    return kind == OUTPUTS ? c->identical : tally_of(c, kind)->agreeing;
}

/* Compares products, not quotients: 100 % of nothing holds without a special case. */
static bool is_below(const comparison *c, int kind) {
    const threshold *t = &c->thresholds[kind];
    const double total = (double)total_of(c, kind), agreeing = (double)agreeing_of(c, kind);
    return t->is_percent ? 100 * agreeing < t->least * total : agreeing < t->least;
}

/* ---- text ---- */

/* Meaning of a pair's bounds: on a virtual GPU what hardware may count, on hardware what it did count. */
static const char *bounds_are(haul_stamp stamp) {
    return stamp == HAUL_MEASURED ? "readings lie" : "timing may put it";
}

/* A line for a pair, with the model's own bounds if the value is not certain. */
static void put_pair(text *out, haul_stamp stamp, const launch_description *d, const compare_pair *p) {
    const char *verdict = p->is_ordered ? p->agrees ? "inside " : "outside" : p->agrees ? "agrees " : "differs";
    text_printf(out, "%s %" PRId64 " %s: %s: ", verdict, d->id, d->kernel, haul_counters[p->counter].key);
    text_printf(out, p->low == p->high ? "%.0f recorded" : "%.0f to %.0f recorded", p->low, p->high);
    text_printf(out, ", %.0f here (%s", p->ours, compare_grade_name(p->counter));
    if (p->is_ordered)
        text_printf(out, "; %.0f to %.0f by the order of blocks", p->orders.low, p->orders.high);
    else if (p->bounds.low < p->bounds.high)
        text_printf(out, "; %s between %.0f and %.0f", bounds_are(stamp), p->bounds.low, p->bounds.high);
    text_put(out, ")\n");
}

/* A line for each buffer or variable whose hash differs from the recorded one. */
static void put_outputs(text *out, const launch_description *d) {
    for (size_t i = 0; i < launch_value_count(d); i++) {
        const launch_argument *a = &d->arguments[i];
        if (!a->recorded || a->hash == a->after) continue;
        if (a->variable)
            text_printf(out, "differs %" PRId64 " %s: globals.%s: after is %016" PRIx64 ", recorded %016" PRIx64 "\n",
                        d->id, d->kernel, a->variable, a->hash, a->after);
        else
            text_printf(out, "differs %" PRId64 " %s: args[%zu]: after is %016" PRIx64 ", recorded %016" PRIx64 "\n",
                        d->id, d->kernel, i, a->hash, a->after);
    }
}

static void put_text(comparison *c, haul_stamp stamp, const launch_description *d, const compare_pair *pairs,
                     size_t count) {
    put_outputs(&c->out, d);
    for (size_t i = 0; i < count; i++) {
        if (is_listed(c, &pairs[i])) put_pair(&c->out, stamp, d, &pairs[i]);
    }
}

/* Says which threshold failed and by how much. */
static void put_below(comparison *c, int kind) {
    const threshold *t = &c->thresholds[kind];
    const size_t agreeing = agreeing_of(c, kind), total = total_of(c, kind);
    text_printf(&c->out, "below: %s: %zu of %zu agree (%.2f%%), at least %.10g%s should\n", kinds[kind], agreeing,
                total, percent(agreeing, total), t->least, t->is_percent ? "%" : "");
}

static void put_share(text *out, const char *before, size_t agreeing, size_t pairs) {
    text_printf(out, "%s%zu of %zu pairs (%.2f%%)", before, agreeing, pairs, percent(agreeing, pairs));
}

/* The sums, and before them the thresholds that failed. The help promises the sums as the last line. */
static void put_summary(comparison *c) {
    const compare_tally *exact = &c->sums.exact, *close = &c->sums.close;
    for (int k = 0; k < KINDS; k++)
        if (is_below(c, k)) put_below(c, k);
    put_share(&c->out, "not zero: exact ", exact->nonzero_agreeing, exact->nonzero_pairs);
    put_share(&c->out, ", close ", close->nonzero_agreeing, close->nonzero_pairs);
    if (c->sums.ordered.pairs)
        text_printf(&c->out, "\nby the order of blocks: %zu pairs, %zu of them recorded within the range over orders",
                    c->sums.ordered.pairs, c->sums.ordered.agreeing);
    put_share(&c->out, "\nclose: ", close->agreeing, close->pairs);
    put_share(&c->out, "\nexact: ", exact->agreeing, exact->pairs);
    text_printf(&c->out, ", outputs: %zu of %zu launches bit-identical\n", c->identical, c->outputs);
}

/* ---- JSON: one line for each launch, and one with the sums ---- */

static json_t *pair_json(const compare_pair *p) {
    json_t *pair = json_pack("{s:s, s:s, s:o, s:o, s:o, s:b}", "counter", haul_counters[p->counter].key, "grade",
                             compare_grade_name(p->counter), "low", report_json_number(p->low), "high",
                             report_json_number(p->high), "ours", report_json_number(p->ours), "agrees", p->agrees);
    if (p->is_ordered) json_object_set_new(pair, "orders", compare_orders_json(p));
    return pair;
}

static haul_status put_json(comparison *c, const launch_description *d, const compare_pair *pairs, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        if (is_listed(c, &pairs[i])) json_array_append_new(array, pair_json(&pairs[i]));
    }
    json_t *line = json_pack("{s:I, s:o, s:b, s:o}", "id", (json_int_t)d->id, "kernel", report_json_string(d->kernel),
                             "outputs_identical", launch_outputs_match(d), "pairs", array);
    return report_json_put(line, JSON_COMPACT, &c->out);
}

static json_t *tally_json(const compare_tally *t) {
    return json_pack("{s:I, s:I, s:I, s:I}", "agreeing", (json_int_t)t->agreeing, "pairs", (json_int_t)t->pairs,
                     "nonzero_agreeing", (json_int_t)t->nonzero_agreeing, "nonzero_pairs",
                     (json_int_t)t->nonzero_pairs);
}

/* The last line of --json: sums, the thresholds that failed, and with --summary the tables. */
static haul_status put_json_summary(comparison *c) {
    json_t *line = json_object(), *below = json_array();
    json_object_set_new(line, kinds[EXACT], tally_json(&c->sums.exact));
    json_object_set_new(line, kinds[CLOSE], tally_json(&c->sums.close));
    if (c->values->schedules > 1) json_object_set_new(line, "ordered", tally_json(&c->sums.ordered));
    json_object_set_new(
        line, kinds[OUTPUTS],
        json_pack("{s:I, s:I}", "identical", (json_int_t)c->identical, "launches", (json_int_t)c->outputs));
    for (int k = 0; k < KINDS; k++)
        if (is_below(c, k)) json_array_append_new(below, json_string(kinds[k]));
    json_object_set_new(line, "below", below);
    if (c->values->summary) compare_summary_put_json(&c->summary, line);
    return report_json_put(line, JSON_COMPACT, &c->out);
}

/* ---- running ---- */

/* Runs and compares one launch. With --summary only the sums and tables are printed, at the end. */
static haul_status compare(comparison *c, cli_session *s, launch_description *d) {
    const haul_launch_record *record;
    launch_orders orders = {0};
    compare_pair pairs[HAUL_COUNTER_COUNT];
    /* without recorded counters there is nothing to repeat the launch for */
    if (c->values->schedules > 1 && d->counter_count)
        HAUL_TRY(cli_session_run_orders(s, c->values, d, &orders, &record));
    else
        HAUL_TRY(cli_shared_run(&c->shared, d, &record));
    size_t count = compare_launch(d, record, &orders, pairs, &c->sums);
    if (has_outputs(d)) c->outputs++, c->identical += launch_outputs_match(d);
    if (c->values->quiet) return HAUL_OK;
    if (c->values->summary) return compare_summary_add(&c->summary, d, record, pairs, count);
    if (c->values->json)
        HAUL_TRY(put_json(c, d, pairs, count));
    else
        put_text(c, s->run ? s->run->stamp : HAUL_SIMULATED, d, pairs, count);
    return cli_print(&c->out);
}

static bool all_is_well(const comparison *c) {
    return !is_below(c, EXACT) && !is_below(c, CLOSE) && !is_below(c, OUTPUTS);
}

/* Launches are repeated by one process on a virtual GPU: hardware chooses its order itself. */
static haul_status check_schedules(const comparison *c, const haul_ranks *ranks) {
    if (c->values->schedules < 2) return HAUL_OK;
    if (haul_ranks_count(ranks) > 1)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--schedules repeats launches in one process: start haul without mpirun");
    return HAUL_OK;
}

static haul_status open_launches(comparison *c, cli_session *s, haul_ranks *ranks) {
    char device[256];
    const haul_device_options options = cli_shared_options(ranks, c->values);
    HAUL_TRY(read_thresholds(c));
    HAUL_TRY(check_schedules(c, ranks));
    HAUL_TRY(cli_shared_device(ranks, c->values->device, device));
    return cli_session_open_on(s, c->values, device, &options);
}

/* On a GPU the counters of all launches are read first, in one run of ncu. */
static haul_status compare_all(comparison *c, cli_session *s, haul_ranks *ranks) {
    HAUL_TRY(cli_shared_open(&c->shared, ranks, s, cli_shared_pack_run, s, open_launches(c, s, ranks)));
    if (!cli_ranks_speaks(ranks)) return cli_shared_serve(&c->shared);
    HAUL_TRY(cli_session_read_counters(s, c->values, 1));
    for (size_t i = 0; i < s->launches.count; i++) HAUL_TRY(compare(c, s, &s->launches.items[i]));
    if (c->values->quiet) return HAUL_OK;
    if (c->values->json) {
        HAUL_TRY(put_json_summary(c));
    } else {
        if (c->values->summary) HAUL_TRY(compare_summary_put_text(&c->summary, &c->out));
        put_summary(c);
    }
    return cli_print(&c->out);
}

static int end(const comparison *c, const haul_ranks *ranks, haul_status status) {
    if (status != HAUL_OK) return cli_ranks_speaks(ranks) ? cli_fail("compare") : CLI_ERROR;
    return all_is_well(c) || !cli_ranks_speaks(ranks) ? CLI_FINE : CLI_FINDINGS;
}

int cli_run_compare(const cli_values *v) {
    comparison c = {.values = v};
    cli_session s = {0};
    haul_ranks *ranks = NULL;
    haul_status status = cli_ranks_open(&ranks);
    if (status == HAUL_OK) status = compare_all(&c, &s, ranks);
    const int code = end(&c, ranks, status);
    cli_shared_close(&c.shared);
    cli_session_close(&s);
    compare_summary_free(&c.summary);
    text_free(&c.out);
    haul_ranks_close(ranks);
    return code;
}
