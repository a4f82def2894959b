// Dense data as CSV: a label and 100 numbers with five decimals a row, drawn from a normal distribution; labels by a
// hyperplane, with a margin of 0.02 of a row's length.
//
// cc -O3 dense.c -o dense -lm && ./dense ROWS > dense.csv
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FEATURES 100

static uint64_t state = 88172645463325252ull;

static double unit(void) {  // xorshift64*
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return ((state * 0x2545F4914F6CDD1Dull) >> 11) * 0x1p-53;
}

static double gauss(void) {
    double a = unit(), b = unit();
    return sqrt(-2 * log(a < 1e-300 ? 1e-300 : a)) * cos(6.283185307179586 * b);
}

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: dense ROWS > dense.csv\n"), 2;
    double teacher[FEATURES], squares = 0;
    for (int i = 0; i < FEATURES; i++) teacher[i] = gauss(), squares += teacher[i] * teacher[i];
    setvbuf(stdout, 0, _IOFBF, 1 << 20);
    for (long row = 0, rows = atol(argv[1]); row < rows;) {
        char line[FEATURES * 16];
        int length = 0;
        double score = 0;
        for (int i = 0; i < FEATURES; i++) {
            double value = round(gauss() * 1e5) / 1e5;
            score += teacher[i] * value;
            length += sprintf(line + length, ",%.5f", value);
        }
        if (fabs(score) < 0.02 * sqrt(squares)) continue;
        printf("%d%s\n", score > 0 ? 1 : -1, line);
        row++;
    }
    return ferror(stdout) ? 2 : 0;
}
