"""Reads files by NumPy and SciPy, independently of specnet. Questions and answers are lines of JSON with bytes after them."""

import csv
import io
import json
import struct
import sys

import numpy


def numeric(array):
    if array.dtype.kind not in "biuf":
        raise ValueError("no numbers")
    return array.shape, numpy.ascontiguousarray(array, dtype="<f8"), None


def read_npy(data, _):
    return numeric(numpy.load(io.BytesIO(data), allow_pickle=False))


IDX_TYPES = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


def read_idx(data, _):
    zero, code, axes = struct.unpack(">HBB", data[:4])
    shape = struct.unpack(">%dI" % axes, data[4 : 4 + 4 * axes])
    if zero != 0 or axes == 0:
        raise ValueError("no IDX")
    return numeric(numpy.frombuffer(data[4 + 4 * axes :], IDX_TYPES[code]).reshape(shape))


def canonical(matrix):
    """Rows, columns and values of the nonzeros, sorted, as one array."""
    import scipy.sparse

    csr = scipy.sparse.csr_array(matrix, dtype="f8")
    csr.sum_duplicates()
    csr.eliminate_zeros()
    coo = csr.tocoo()
    parts = [coo.row.astype("<f8"), coo.col.astype("<f8"), coo.data.astype("<f8")]
    return csr.shape, numpy.concatenate(parts), None


def read_npz(data, _):
    import scipy.sparse

    return canonical(scipy.sparse.load_npz(io.BytesIO(data)))


def read_mtx(data, _):
    import scipy.io

    return canonical(scipy.io.mmread(io.BytesIO(data)))


def read_csv(data, options):
    text = data.decode("utf-8-sig", errors="replace")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=options["separator"], strict=True)
    records = [row for row in rows if row != [] and row != [""]]
    names = [field.strip() for field in records.pop(0)] if options["header"] else None
    width = len(records[0])
    if any(len(row) != width for row in records) or (names is not None and len(names) != width):
        raise ValueError("rows of different lengths")
    label = options["label"]
    labels = None
    if label:
        labels = [row.pop().strip() for row in records]
        names = names and names[:-1]
    numbers = numpy.array([[float(field) for field in row] for row in records], dtype="<f8")
    return numbers.shape, numbers, {"labels": labels, "names": names}


def number_in(field):
    try:
        value = float(field)
    except ValueError:
        return None
    return value if abs(value) < float("inf") and "_" not in field else None


def read_table(data, options):
    """The cells of delimited text, with the number that each of them is."""
    text = data.decode("utf-8-sig")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=options["delimiter"], strict=True)
    records = [row for row in rows if any(field.strip() for field in row) or len(row) > 1]
    cells = [[{"text": field, "number": number_in(field)} for field in row] for row in records]
    return [], numpy.zeros(0), cells


def read_tensors(data, options):
    """Model and training files: a header in JSON, then tensors that are padded to multiples of eight bytes."""
    if data[:8] != b"specnet\n":
        raise ValueError("no tensor file")
    (length,) = struct.unpack("<I", data[8:12])
    header = json.loads(data[12 : 12 + length])
    if header["content"] != options["content"]:
        raise ValueError("other content")
    at, tensors = 12 + length, []
    for entry in header["tensors"]:
        kind = {"single": "<f4", "double": "<f8"}[entry["precision"]]
        count = int(numpy.prod(entry["shape"], dtype="i8"))
        tensors.append(numpy.frombuffer(data, kind, count, at).astype("<f8"))
        at += -(-count * int(kind[2]) // 8) * 8
    if at != len(data) - 4:
        raise ValueError("another length")
    return [], numpy.concatenate(tensors), {"facts": header["facts"], "tensors": header["tensors"]}


def read_json(data, _):
    return [], numpy.zeros(0), json.loads(data.decode("utf-8"))


def read_spectrum(data, options):
    """The eigenvalues of D^(-1/2) W D^(-1/2), descending, of a dense W in double precision."""
    size = options["size"]
    weights = numpy.frombuffer(data, "<f8").reshape(size, size)
    weights = weights / weights.max()
    root = 1 / numpy.sqrt(weights.sum(axis=1))
    return numeric(numpy.linalg.eigvalsh(root[:, None] * weights * root[None, :])[::-1])


READERS = {
    "npy": read_npy,
    "npz": read_npz,
    "idx": read_idx,
    "mtx": read_mtx,
    "csv": read_csv,
    "table": read_table,
    "tensors": read_tensors,
    "json": read_json,
    "spectrum": read_spectrum,
}


def main():
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    for line in source:
        question = json.loads(line)
        data = source.read(question["length"])
        try:
            shape, numbers, facts = READERS[question["kind"]](data, question["options"])
            content = numbers.tobytes()
            answer = {"shape": list(shape), "count": numbers.size, "facts": facts}
            text = json.dumps(answer, allow_nan=False)  # other numbers are no JSON
        except Exception as error:  # every failure of the reader is a refusal
            text, content = json.dumps({"refused": repr(error)[:200]}), b""
        sink.write(text.encode() + b"\n" + content)
        sink.flush()


main()
