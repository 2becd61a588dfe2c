/* Expectations and suppressions from hostile input: as a file of rules, as one rule, as source with comments. */
#include "report/check/annotations.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void hold_all(const report_rules *rules) {
    const haul_launch_record record = {.kernel = "fuzz"};
    double value;
    for (size_t i = 0; i < rules->count; i++) {
        const report_rule *rule = &rules->items[i];
        if (rule->kind == REPORT_RULE_EXPECT && !rule->no_findings)
            report_read_metric(&rule->metric, &rule->scope, NULL, &record, &value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    report_rules rules = {0};
    const report_rule where = {.file = "fuzz", .line = 1};
    char *text = calloc(size + 1, 1);
    if (!text) return 0;
    memcpy(text, data, size);
    report_read_rules_text(&rules, "fuzz", text, size, size & 1 ? REPORT_RULE_EXPECT : REPORT_RULE_IGNORE);
    report_read_annotations(&rules, "fuzz.cu", "fuzz.cu", text);
    report_parse_rule(&rules, text, &where);
    hold_all(&rules);
    report_rules_free(&rules);
    free(text);
    return 0;
}
