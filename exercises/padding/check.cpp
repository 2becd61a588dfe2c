#include "../harness.h"

enum { LINE = 32 };

int lead_of(int n0);
int pitch_of(int n0);
void copy_rows(float *out, const float *in, int n0, int n1, int lead, int pitch);

const exercise_case exercise_cases[] = {
    {"rows of 32, 2 rows", "rows", 32, 2},
    {"rows of 32, 5 rows", "rows", 32, 5},
    {"rows of 30: halo and row are a line", "rows", 30, 3},
    {"rows of 1", "rows", 1, 4},
    {"rows of 100", "rows", 100, 7},
    {"rows of 1000", "rows", 1000, 3},
    {"rows of 96, 8192 rows, measured", "measured", 96, 8192},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

/* Whether the array can be allocated. */
static bool is_layout(int n0, int lead, int pitch) {
    if (lead < 0 || lead >= LINE)
        exercise_fault("lead-range", "lead_of(%d) is %d: it has to be 0 to %d", n0, lead, LINE - 1);
    else if (pitch < n0 + 2)
        exercise_fault("rows-overlap", "pitch_of(%d) is %d, but a row with its halo is %d", n0, pitch, n0 + 2);
    else if (pitch > n0 + 2 + LINE - 1)
        exercise_fault("wasteful", "pitch_of(%d) is %d: at most %d are needed", n0, pitch, n0 + 2 + LINE - 1);
    else
        return true;
    return false;
}

static void check_alignment(int n0, int lead, int pitch) {
    const int first = (lead + 1) % LINE * 4, step = pitch % LINE * 4;
    if (first) exercise_fault("first-row", "row 0 begins %d bytes behind a line", first);
    if (step) exercise_fault("other-rows", "row 1 begins %d bytes further behind a line than row 0", step);
}

void exercise_try(const exercise_case *c) {
    const int n0 = c->n, n1 = c->m, lead = lead_of(n0), pitch = pitch_of(n0);
    if (!is_layout(n0, lead, pitch)) return;
    check_alignment(n0, lead, pitch);
    const size_t count = (size_t)lead + (size_t)n1 * (size_t)pitch;
    const float *in = exercise_numbers(count, 1 << 24), *from = (float *)exercise_on_device(in, count * 4);
    float *out = exercise_output(count), *want = (float *)exercise_host((size_t)n0 * (size_t)n1 * 4);
    for (int y = 0; y < n1; y++)
        for (int x = 0; x < n0; x++) want[y * n0 + x] = in[lead + y * pitch + 1 + x];
    while (exercise_again()) copy_rows(out, from, n0, n1, lead, pitch);
    exercise_moves(8.0 * n0 * n1);
    exercise_hold(out + lead + 1, want, (size_t)n0, (size_t)n1, (size_t)pitch);
}
