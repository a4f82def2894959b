// The baseline: reads, parses and learns in one thread, without checks and copies.
//
// LIBSVM lines `+1 index:value …` with one space before each entry; a plain perceptron in the order of the file, no bias,
// float weights. With more than one pass the rows are kept as (u32, float).
//
// cc -O3 -march=native stream.c -o stream && ./stream train.svm [passes]
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHUNK (256 << 10)
#define FEATURES (1 << 16)

static char buffer[2 * CHUNK + 64];
static float weights[FEATURES], values[1 << 16];
static uint32_t indices[1 << 16];
static const float POWER[] = {1, 1e-1f, 1e-2f, 1e-3f, 1e-4f, 1e-5f, 1e-6f, 1e-7f, 1e-8f};

static double now(int clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static long learn(const uint32_t *i, const float *v, uint32_t n, float y) {
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    uint32_t k = 0;
    for (; k + 4 <= n; k += 4) {
        d0 += weights[i[k]] * v[k];
        d1 += weights[i[k + 1]] * v[k + 1];
        d2 += weights[i[k + 2]] * v[k + 2];
        d3 += weights[i[k + 3]] * v[k + 3];
    }
    for (; k < n; k++) d0 += weights[i[k]] * v[k];
    if (y * (d0 + d1 + d2 + d3) > 0) return 0;
    for (k = 0; k < n; k++) weights[i[k]] += y * v[k];
    return 1;
}

int main(int argc, char **argv) {
    int passes = argc > 2 ? atoi(argv[2]) : 1, keep = passes > 1;
    double cpu = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
    int file = open(argv[1], O_RDONLY);
    size_t have = 0, room = 0, stored = 0, rows = 0, row_room = 0;
    uint32_t *all_i = 0;
    float *all_v = 0;
    size_t *start = 0;
    int8_t *label = 0;
    long mistakes = 0;
    for (;;) {
        long got = read(file, buffer + have, CHUNK);
        if (got <= 0) break;
        have += got;
        size_t last = have;
        while (last && buffer[last - 1] != '\n') last--;
        char *p = buffer, *end = buffer + last;
        while (p < end) {
            float y = *p == '-' ? -1 : 1;
            uint32_t n = 0;
            while (*p != ' ' && *p != '\n') p++;
            while (*p == ' ') {
                p++;
                uint32_t index = 0, mantissa = 0, places = 0;
                while (*p != ':') index = index * 10 + (*p++ - '0');
                p++;
                while ((unsigned)(*p - '0') < 10) mantissa = mantissa * 10 + (*p++ - '0');
                if (*p == '.') {
                    char *s = ++p;
                    while ((unsigned)(*p - '0') < 10) mantissa = mantissa * 10 + (*p++ - '0');
                    places = p - s;
                }
                indices[n] = index;
                values[n++] = mantissa * POWER[places];
            }
            p++;
            mistakes += learn(indices, values, n, y);
            if (keep) {
                if (stored + n > room) {
                    room = (stored + n) * 2;
                    all_i = realloc(all_i, room * sizeof *all_i);
                    all_v = realloc(all_v, room * sizeof *all_v);
                }
                if (rows + 2 > row_room) {
                    row_room = (rows + 2) * 2;
                    start = realloc(start, row_room * sizeof *start);
                    label = realloc(label, row_room);
                }
                memcpy(all_i + stored, indices, n * sizeof *all_i);
                memcpy(all_v + stored, values, n * sizeof *all_v);
                start[rows] = stored;
                label[rows] = y;
                start[rows + 1] = stored + n;
            }
            stored += n;
            rows++;
        }
        memmove(buffer, buffer + last, have - last);
        have -= last;
    }
    for (int pass = 1; pass < passes; pass++)
        for (size_t r = 0; r < rows; r++)
            learn(all_i + start[r], all_v + start[r], start[r + 1] - start[r], label[r]);
    printf("{\"rows\": %zu, \"stored\": %zu, \"mistakes\": %ld, \"cpu\": %.3f, \"wall\": %.3f}\n", rows, stored, mistakes,
           now(CLOCK_PROCESS_CPUTIME_ID) - cpu, now(CLOCK_MONOTONIC) - wall);
}
