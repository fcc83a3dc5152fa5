/* The same with SuiteSparse:GraphBLAS: graphblas_set FOLDER ROWS COLS WIDTH MILLISECONDS. REAL is float or double. One thread.
 *
 * With --version alone it prints the version of the library. X is a full matrix, or a full vector for one column. Entries of the
 * result that GraphBLAS does not store are 0.
 */

#include <GraphBLAS.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define IS_FLOAT (sizeof(REAL) == 4)
#define CHECK(call) do { GrB_Info info = (call); if (info != GrB_SUCCESS && info != GrB_NO_VALUE) { fprintf(stderr, "%s: %d\n", #call, info); return 1; } } while (0)

enum { most_samples = 1 << 20 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void *read_array(const char *folder, const char *name, size_t *bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) exit(2);
  fseek(file, 0, SEEK_END);
  *bytes = ftell(file);
  rewind(file);
  void *array = malloc(*bytes + 8);
  if (fread(array, 1, *bytes, file) != *bytes) exit(2);
  fclose(file);
  return array;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int count, char **words) {
  if (count == 2 && !strcmp(words[1], "--version")) {
    printf("SuiteSparse:GraphBLAS %d.%d.%d\n", GxB_IMPLEMENTATION_MAJOR, GxB_IMPLEMENTATION_MINOR, GxB_IMPLEMENTATION_SUB);
    return 0;
  }
  if (count != 6) return 2;
  const char *folder = words[1];
  const GrB_Index rows = atoll(words[2]), cols = atoll(words[3]), width = atoll(words[4]);
  size_t bytes;
  const int32_t *starts = read_array(folder, "starts", &bytes);
  const int32_t *columns = read_array(folder, "columns", &bytes);
  const GrB_Index entries = bytes / 4;
  REAL *values = read_array(folder, "values", &bytes), *numbers = read_array(folder, "x", &bytes);
  CHECK(GrB_init(GrB_BLOCKING));
  CHECK(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, 1));
  const GrB_Type type = IS_FLOAT ? GrB_FP32 : GrB_FP64;
  const GrB_Semiring ring = IS_FLOAT ? GrB_PLUS_TIMES_SEMIRING_FP32 : GrB_PLUS_TIMES_SEMIRING_FP64;
  GrB_Matrix a, x = NULL, c = NULL;
  GrB_Vector v = NULL, w = NULL;
  const GrB_Index most = entries > cols * width ? entries : cols * width;
  GrB_Index *first = malloc((most + rows * width + 1) * sizeof *first), *second = malloc((most + rows * width + 1) * sizeof *second);
  for (GrB_Index i = 0; i < rows; i++) for (int32_t e = starts[i]; e < starts[i + 1]; e++) { first[e] = i; second[e] = columns[e]; }
  CHECK(GrB_Matrix_new(&a, type, rows, cols));
  if (IS_FLOAT) CHECK(GrB_Matrix_build_FP32(a, first, second, (float *)values, entries, GrB_SECOND_FP32));
  else CHECK(GrB_Matrix_build_FP64(a, first, second, (double *)values, entries, GrB_SECOND_FP64));
  for (GrB_Index k = 0; k < cols * width; k++) { first[k] = k / width; second[k] = k % width; }
  if (width == 1) {
    CHECK(GrB_Vector_new(&v, type, cols));
    CHECK(GrB_Vector_new(&w, type, rows));
    if (IS_FLOAT) CHECK(GrB_Vector_build_FP32(v, first, (float *)numbers, cols, GrB_SECOND_FP32));
    else CHECK(GrB_Vector_build_FP64(v, first, (double *)numbers, cols, GrB_SECOND_FP64));
  } else {
    CHECK(GrB_Matrix_new(&x, type, cols, width));
    CHECK(GrB_Matrix_new(&c, type, rows, width));
    if (IS_FLOAT) CHECK(GrB_Matrix_build_FP32(x, first, second, (float *)numbers, cols * width, GrB_SECOND_FP32));
    else CHECK(GrB_Matrix_build_FP64(x, first, second, (double *)numbers, cols * width, GrB_SECOND_FP64));
    CHECK(GxB_Matrix_Option_set(x, GxB_SPARSITY_CONTROL, GxB_FULL));
  }
  double *samples = malloc(most_samples * sizeof *samples);
  int taken = 0;
  const double begin = now(), budget = atof(words[5]);
  do {
    const double start = now();
    if (width == 1) CHECK(GrB_mxv(w, NULL, NULL, ring, a, v, NULL));
    else CHECK(GrB_mxm(c, NULL, NULL, ring, a, x, NULL));
    samples[taken++] = now() - start;
  } while ((now() - begin < budget || taken < 3) && taken < most_samples);
  REAL *out = calloc(rows * width + 1, sizeof *out), *stored = malloc((rows * width + 1) * sizeof *stored);
  GrB_Index found = rows * width;
  memset(second, 0, (rows * width) * sizeof *second);
  if (width == 1) {
    if (IS_FLOAT) CHECK(GrB_Vector_extractTuples_FP32(first, (float *)stored, &found, w));
    else CHECK(GrB_Vector_extractTuples_FP64(first, (double *)stored, &found, w));
  } else {
    if (IS_FLOAT) CHECK(GrB_Matrix_extractTuples_FP32(first, second, (float *)stored, &found, c));
    else CHECK(GrB_Matrix_extractTuples_FP64(first, second, (double *)stored, &found, c));
  }
  for (GrB_Index k = 0; k < found; k++) out[first[k] * width + second[k]] = stored[k];
  char path[4096];
  snprintf(path, sizeof path, "%s/result", folder);
  FILE *file = fopen(path, "wb");
  fwrite(out, sizeof *out, rows * width, file);
  fclose(file);
  qsort(samples, taken, sizeof *samples, compare);
  printf("%.9g\n", samples[taken / 2]);
  return 0;
}
