/* Times A·X as a loop in C, in one process for each product: csr-set FOLDER ROWS WIDTH MILLISECONDS.
 *
 * Reads raw little-endian arrays starts, columns, values and x from the folder, writes the file "result" there, and prints the median of the times
 * of a call in milliseconds; MILLISECONDS below 0 is a number of calls. One thread. REAL is float or double, WIDTH 1 or 8. With -DVECTORS the loops are written in vectors of 128 bits,
 * with two sums that do not wait for each other; otherwise the compiler vectorizes them.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef REAL Vector __attribute__((vector_size(16), aligned(sizeof(REAL))));
enum { lanes = 16 / sizeof(REAL), most_samples = 1 << 20 };

#define OPERANDS int rows, const int32_t *restrict starts, const int32_t *restrict columns, const REAL *restrict values, const REAL *restrict x, REAL *restrict out

#ifdef VECTORS

static Vector gather(const int32_t *columns, const REAL *x) {
  Vector found;
  for (int k = 0; k < lanes; k++) found[k] = x[columns[k]];
  return found;
}

static void product1(OPERANDS) {
  for (int i = 0; i < rows; i++) {
    Vector a = {0}, b = {0};
    int e = starts[i];
    const int end = starts[i + 1];
    for (; e + 2 * lanes <= end; e += 2 * lanes) {
      a += *(const Vector *)(values + e) * gather(columns + e, x);
      b += *(const Vector *)(values + e + lanes) * gather(columns + e + lanes, x);
    }
    a += b;
    REAL sum = 0;
    for (int k = 0; k < lanes; k++) sum += a[k];
    for (; e < end; e++) sum += values[e] * x[columns[e]];
    out[i] = sum;
  }
}

static void product8(OPERANDS) {
  enum { pieces = 8 / lanes };
  for (int i = 0; i < rows; i++) {
    Vector a[pieces] = {0}, b[pieces] = {0};
    int e = starts[i];
    const int end = starts[i + 1];
    for (; e + 2 <= end; e += 2) {
      const Vector *one = (const Vector *)(x + (size_t)8 * columns[e]), *two = (const Vector *)(x + (size_t)8 * columns[e + 1]);
      for (int k = 0; k < pieces; k++) {
        a[k] += values[e] * one[k];
        b[k] += values[e + 1] * two[k];
      }
    }
    if (e < end) for (int k = 0; k < pieces; k++) a[k] += values[e] * ((const Vector *)(x + (size_t)8 * columns[e]))[k];
    for (int k = 0; k < pieces; k++) ((Vector *)(out + (size_t)8 * i))[k] = a[k] + b[k];
  }
}

#else

static void product1(OPERANDS) {
  for (int i = 0; i < rows; i++) {
    REAL sum = 0;
    for (int e = starts[i]; e < starts[i + 1]; e++) sum += values[e] * x[columns[e]];
    out[i] = sum;
  }
}

static void product8(OPERANDS) {
  for (int i = 0; i < rows; i++) {
    REAL sums[8] = {0};
    for (int e = starts[i]; e < starts[i + 1]; e++)
      for (int c = 0; c < 8; c++) sums[c] += values[e] * x[(size_t)8 * columns[e] + c];
    memcpy(out + (size_t)8 * i, sums, sizeof sums);
  }
}

#endif

static void *read_array(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) exit(3);
  fseek(file, 0, SEEK_END);
  const size_t bytes = (size_t)ftell(file);
  rewind(file);
  void *array = aligned_alloc(64, (bytes + 64) / 64 * 64);
  if (!array || fread(array, 1, bytes, file) != bytes) exit(3);
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

int main(int count, char **words) {
  if (count != 5) return 2;
  const int rows = atoi(words[2]), width = atoi(words[3]);
  void (*product)(OPERANDS) = width == 1 ? product1 : product8;
  const int32_t *starts = read_array(words[1], "starts"), *columns = read_array(words[1], "columns");
  const REAL *values = read_array(words[1], "values"), *x = read_array(words[1], "x");
  const size_t length = (size_t)rows * width;
  REAL *out = aligned_alloc(64, (sizeof(REAL) * length + 64) / 64 * 64);
  double *samples = malloc(sizeof(double) * most_samples);
  product(rows, starts, columns, values, x, out);
  int made = 0;
  const double budget = atof(words[4]), end = milliseconds() + budget;
  do {
    const double start = milliseconds();
    product(rows, starts, columns, values, x, out);
    samples[made++] = milliseconds() - start;
  } while ((budget < 0 ? made < -budget : milliseconds() < end) && made < most_samples);
  qsort(samples, made, sizeof *samples, by_size);
  char path[4096];
  snprintf(path, sizeof path, "%s/result", words[1]);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(out, sizeof(REAL), length, file) != length) return 4;
  fclose(file);
  printf("%.9g\n", samples[made / 2]);
  return 0;
}
