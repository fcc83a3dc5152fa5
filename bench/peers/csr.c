/* Times the same sparse product as a loop in C. Obeys one request per line, so that rounds can alternate with Node's.
 *
 * csr FOLDER ROWS WIDTH TRANSPOSED reads raw little-endian arrays: starts, columns, values, x. Then "answer FILE" writes the
 * result of one call there as float32, "time MILLISECONDS" repeats the call and prints median, minimum (in milliseconds)
 * and a checksum. One thread. With -DSSE the loops are written in 128-bit intrinsics, otherwise the compiler vectorizes them;
 * both know the width when they are compiled and keep the sums of a row in registers.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef SSE
#include <smmintrin.h>
#endif

#define OPERANDS                                                                                               \
  int rows, const int32_t *restrict starts, const int32_t *restrict columns, const float *restrict values,     \
      const float *restrict x, float *restrict out

typedef void Product(OPERANDS);

#define EACH_ROW                         \
  for (int i = 0; i < rows; i++) {       \
    const int begin = starts[i], end = starts[i + 1];

#ifdef SSE

static inline __m128 pair(const float *from) { return _mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)from); }
static inline void store_pair(float *to, __m128 value) { _mm_storel_pi((__m64 *)to, value); }
static inline __m128 scaled(__m128 factor, __m128 row) { return _mm_mul_ps(factor, row); }

/* Two entries side by side in one register, and two such registers. */
static inline __m128 two_entries(const int32_t *columns, const float *values, const float *x) {
  const __m128 rows = _mm_loadh_pi(pair(x + 2 * columns[0]), (const __m64 *)(x + 2 * columns[1]));
  const __m128 factors = pair(values);
  return _mm_mul_ps(_mm_unpacklo_ps(factors, factors), rows);
}

static void product2(OPERANDS) {
  EACH_ROW
    __m128 a = _mm_setzero_ps(), b = a;
    int e = begin;
    for (; e + 4 <= end; e += 4) {
      a = _mm_add_ps(a, two_entries(columns + e, values + e, x));
      b = _mm_add_ps(b, two_entries(columns + e + 2, values + e + 2, x));
    }
    a = _mm_add_ps(a, b);
    a = _mm_add_ps(a, _mm_movehl_ps(a, a));
    for (; e < end; e++) a = _mm_add_ps(a, scaled(_mm_set1_ps(values[e]), pair(x + 2 * columns[e])));
    store_pair(out + 2 * i, a);
  }
}

/* Four columns, and `second` more. Two entries at a time, so that the sums do not depend on each other. */
#define WIDE(WIDTH, load_second, store_second)                                                                 \
  static void product##WIDTH(OPERANDS) {                                                                       \
    EACH_ROW                                                                                                   \
      __m128 a = _mm_setzero_ps(), b = a, c = a, d = a;                                                        \
      int e = begin;                                                                                           \
      for (; e + 2 <= end; e += 2) {                                                                           \
        const float *one = x + (size_t)WIDTH * columns[e], *two = x + (size_t)WIDTH * columns[e + 1];          \
        const __m128 first = _mm_set1_ps(values[e]), second = _mm_set1_ps(values[e + 1]);                      \
        a = _mm_add_ps(a, scaled(first, _mm_loadu_ps(one)));                                                   \
        b = _mm_add_ps(b, scaled(first, load_second(one + 4)));                                                \
        c = _mm_add_ps(c, scaled(second, _mm_loadu_ps(two)));                                                  \
        d = _mm_add_ps(d, scaled(second, load_second(two + 4)));                                               \
      }                                                                                                        \
      if (e < end) {                                                                                           \
        const float *one = x + (size_t)WIDTH * columns[e];                                                     \
        const __m128 first = _mm_set1_ps(values[e]);                                                           \
        a = _mm_add_ps(a, scaled(first, _mm_loadu_ps(one)));                                                   \
        b = _mm_add_ps(b, scaled(first, load_second(one + 4)));                                                \
      }                                                                                                        \
      _mm_storeu_ps(out + (size_t)WIDTH * i, _mm_add_ps(a, c));                                                \
      store_second(out + (size_t)WIDTH * i + 4, _mm_add_ps(b, d));                                             \
    }                                                                                                          \
  }                                                                                                            \
  static void transposed##WIDTH(OPERANDS) {                                                                    \
    memset(out, 0, sizeof(float) * WIDTH * rows);                                                              \
    EACH_ROW                                                                                                   \
      const __m128 first = _mm_loadu_ps(x + (size_t)WIDTH * i), second = load_second(x + (size_t)WIDTH * i + 4); \
      for (int e = begin; e < end; e++) {                                                                      \
        float *to = out + (size_t)WIDTH * columns[e];                                                          \
        const __m128 factor = _mm_set1_ps(values[e]);                                                          \
        _mm_storeu_ps(to, _mm_add_ps(_mm_loadu_ps(to), scaled(factor, first)));                                \
        store_second(to + 4, _mm_add_ps(load_second(to + 4), scaled(factor, second)));                         \
      }                                                                                                        \
    }                                                                                                          \
  }

WIDE(6, pair, store_pair)
WIDE(8, _mm_loadu_ps, _mm_storeu_ps)

static void transposed2(OPERANDS) {
  memset(out, 0, sizeof(float) * 2 * rows);
  EACH_ROW
    const __m128 row = pair(x + 2 * i);
    for (int e = begin; e < end; e++) {
      float *to = out + 2 * columns[e];
      store_pair(to, _mm_add_ps(pair(to), scaled(_mm_set1_ps(values[e]), row)));
    }
  }
}

#else

#define WIDE(WIDTH)                                                                                            \
  static void product##WIDTH(OPERANDS) {                                                                       \
    EACH_ROW                                                                                                   \
      float sums[WIDTH] = {0};                                                                                 \
      for (int e = begin; e < end; e++)                                                                        \
        for (int c = 0; c < WIDTH; c++) sums[c] += values[e] * x[(size_t)WIDTH * columns[e] + c];              \
      for (int c = 0; c < WIDTH; c++) out[(size_t)WIDTH * i + c] = sums[c];                                    \
    }                                                                                                          \
  }                                                                                                            \
  static void transposed##WIDTH(OPERANDS) {                                                                    \
    memset(out, 0, sizeof(float) * WIDTH * rows);                                                              \
    EACH_ROW                                                                                                   \
      for (int e = begin; e < end; e++)                                                                        \
        for (int c = 0; c < WIDTH; c++)                                                                        \
          out[(size_t)WIDTH * columns[e] + c] += values[e] * x[(size_t)WIDTH * i + c];                         \
    }                                                                                                          \
  }

WIDE(2)
WIDE(6)
WIDE(8)

#endif

static void *read_array(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  const size_t bytes = (size_t)ftell(file);
  rewind(file);
  void *array = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!array || fread(array, 1, bytes, file) != bytes) return NULL;
  fclose(file);
  return array;
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  const double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

enum { most_samples = 1 << 20 };

int main(int count, char **words) {
  if (count != 5) return 2;
  const char *folder = words[1];
  const int rows = atoi(words[2]), width = atoi(words[3]), transposed = atoi(words[4]);
  Product *product = NULL;
  if (width == 2) product = transposed ? transposed2 : product2;
  if (width == 6) product = transposed ? transposed6 : product6;
  if (width == 8) product = transposed ? transposed8 : product8;
  const int32_t *starts = read_array(folder, "starts"), *columns = read_array(folder, "columns");
  const float *values = read_array(folder, "values"), *x = read_array(folder, "x");
  const size_t length = (size_t)rows * width;
  float *out = aligned_alloc(64, (sizeof(float) * length + 63) / 64 * 64);
  double *samples = malloc(sizeof(double) * most_samples);
  if (!product || !starts || !columns || !values || !x || !out || !samples) return 3;
  puts("ready");
  fflush(stdout);
  char line[4200], word[4096];
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "answer %4095s", word) == 1) {
      product(rows, starts, columns, values, x, out);
      FILE *file = fopen(word, "wb");
      if (!file || fwrite(out, sizeof(float), length, file) != length) return 4;
      fclose(file);
      puts("written");
    } else if (sscanf(line, "time %4095s", word) == 1) {
      const double end = milliseconds() + atof(word);
      int made = 0;
      do {
        const double start = milliseconds();
        product(rows, starts, columns, values, x, out);
        samples[made++] = milliseconds() - start;
      } while (milliseconds() < end && made < most_samples);
      double checksum = 0;
      for (size_t p = 0; p < length; p++) checksum += out[p];
      qsort(samples, made, sizeof *samples, by_size);
      printf("%.9g %.9g %.9g\n", samples[made / 2], samples[0], checksum);
    } else return 5;
    fflush(stdout);
  }
  return 0;
}
