// Sparse data like a collection of news articles, as LIBSVM and Vowpal Wabbit text: about 75 of 47,236 features a row with
// Zipf frequencies, tf-idf-like values of unit length with six decimals, labels by a sparse linear function, 3% of
// them wrong. Every tenth row is for testing. The same bytes on every machine whose libm agrees to six decimals.
//
// cc -O3 sparse.c -o sparse -lm && ./sparse ROWS FOLDER
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FEATURES 47236
#define LONGEST 600

static uint64_t state[4];

static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static uint64_t next(void) {  // xoshiro256**
    uint64_t result = rotate(state[1] * 5, 7) * 9, t = state[1] << 17;
    state[2] ^= state[0], state[3] ^= state[1], state[1] ^= state[2], state[0] ^= state[3];
    state[2] ^= t, state[3] = rotate(state[3], 45);
    return result;
}

static void seed(uint64_t x) {
    for (int i = 0; i < 4; i++) {
        uint64_t z = x += 0x9e3779b97f4a7c15ull;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        state[i] = z ^ (z >> 31);
    }
}

static double unit(void) { return (next() >> 11) * 0x1p-53; }

static double gauss(void) {
    double a = unit(), b = unit();
    return sqrt(-2 * log(a < 1e-300 ? 1e-300 : a)) * cos(6.283185307179586 * b);
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static double share[FEATURES], idf[FEATURES], teacher[FEATURES];
static int feature_of[FEATURES], rank_of[FEATURES];

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: sparse ROWS FOLDER\n"), 2;
    long rows = atol(argv[1]);
    seed(20240501);
    double total = 0;
    for (int i = 0; i < FEATURES; i++) share[i] = total += 1 / pow(i + 10, 1.05);
    for (int i = 0; i < FEATURES; i++) share[i] /= total, feature_of[i] = i;
    for (int i = FEATURES - 1; i > 0; i--) {
        int j = next() % (i + 1), t = feature_of[i];
        feature_of[i] = feature_of[j], feature_of[j] = t;
    }
    for (int i = 0; i < FEATURES; i++) {
        double p = i ? share[i] - share[i - 1] : share[0];
        idf[i] = log(1 / (1 - pow(1 - p, 90) + 1e-7));
        rank_of[feature_of[i]] = i;
    }
    for (int i = 0; i < FEATURES; i++) teacher[i] = unit() < 0.10 ? gauss() : 0;

    const char *names[] = {"sparse.train.svm", "sparse.test.svm", "sparse.train.vw", "sparse.test.vw"};
    FILE *files[4];
    for (int i = 0; i < 4; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[2], names[i]);
        if (!(files[i] = fopen(path, "w"))) return perror(path), 2;
        setvbuf(files[i], 0, _IOFBF, 1 << 20);
    }
    for (long row = 0; row < rows; row++) {
        int length = exp(4.305 + 0.45 * gauss()), words[LONGEST], ids[LONGEST], distinct = 0;
        length = length < 5 ? 5 : length > LONGEST ? LONGEST : length;
        double values[LONGEST], squares = 0, score = 0;
        for (int k = 0; k < length; k++) {
            double x = unit();
            int low = 0, high = FEATURES - 1;
            while (low < high) {
                int middle = (low + high) / 2;
                if (share[middle] < x) low = middle + 1;
                else high = middle;
            }
            words[k] = feature_of[low];
        }
        qsort(words, length, sizeof *words, by_value);
        for (int k = 0, j; k < length; k = j, distinct++) {
            for (j = k; j < length && words[j] == words[k]; j++) {}
            ids[distinct] = words[k];
            values[distinct] = (1 + log(j - k)) * idf[rank_of[words[k]]];
            squares += values[distinct] * values[distinct];
        }
        for (int k = 0; k < distinct; k++) score += teacher[ids[k]] * (values[k] /= sqrt(squares));
        int positive = (score > 0) != (unit() < 0.03), test = row % 10 == 9;
        fputs(positive ? "+1" : "-1", files[test]);
        fputs(positive ? "1 |" : "-1 |", files[2 + test]);
        for (int k = 0; k < distinct; k++) {
            char entry[64];
            int size = snprintf(entry, sizeof entry, " %d:%.6f", ids[k] + 1, values[k]);
            fwrite(entry, 1, size, files[test]);
            fwrite(entry, 1, size, files[2 + test]);
        }
        fputc('\n', files[test]);
        fputc('\n', files[2 + test]);
    }
    for (int i = 0; i < 4; i++)
        if (fclose(files[i])) return perror(argv[2]), 2;
}
