"""The same with scipy: scipy_set.py FOLDER ROWS COLS WIDTH MILLISECONDS f4|f8. Prints the median in milliseconds. One thread."""

import sys
import time

import numpy
import scipy
from scipy.sparse import csr_matrix

if sys.argv[1] == "--version":
    print(f"scipy {scipy.__version__}, numpy {numpy.__version__}")
    sys.exit()

folder, rows, cols, width, milliseconds, kind = sys.argv[1], *map(int, sys.argv[2:5]), float(sys.argv[5]), sys.argv[6]
read = lambda name, dtype: numpy.fromfile(f"{folder}/{name}", dtype=dtype)
matrix = csr_matrix((read("values", kind), read("columns", "i4"), read("starts", "i4")), shape=(rows, cols))
x = read("x", kind) if width == 1 else read("x", kind).reshape(cols, width)
result = matrix @ x
samples = []
end = time.perf_counter() + milliseconds / 1e3
while not samples or time.perf_counter() < end:
    start = time.perf_counter_ns()
    result = matrix @ x
    samples.append((time.perf_counter_ns() - start) / 1e6)
numpy.ascontiguousarray(result, dtype=kind).tofile(f"{folder}/result")
print(float(numpy.median(samples)))
