/** `specnet/formats`: readers and writers: tables, CSV, IDX, NPY, NPZ and Matrix Market. */

export { readMatrixMarket, writeMatrixMarket } from '../formats/matrix-market/matrix-market.ts';
export type { MatrixMarketReadOptions, MatrixMarketWriteOptions } from '../formats/matrix-market/matrix-market.ts';
export { readNpz, writeNpz } from '../formats/numpy/npz.ts';
export type { NpzReadOptions } from '../formats/numpy/npz.ts';
export type { ByteSource } from '../formats/bytes/byte-source.ts';
export { formatFromName, readPoints } from '../formats/points.ts';
export type { PointsFormat, PointsOptions } from '../formats/points.ts';
export { readCsv } from '../formats/csv/csv.ts';
export type { CsvReadOptions } from '../formats/csv/csv.ts';
export type { Column, ColumnOptions, Separator } from '../formats/csv/layout.ts';
export { streamCsv, writeCsv } from '../formats/csv/write.ts';
export type { CsvWriteOptions } from '../formats/csv/write.ts';
export { readIdx, writeIdx } from '../formats/idx.ts';
export type { IdxArray, IdxNumbers } from '../formats/idx.ts';
export { readNpyTensor, writeNpyTensor } from '../formats/numpy/npy-tensor.ts';
export type { NpyReadOptions } from '../formats/numpy/npy-tensor.ts';
export { openPoints, openTable } from '../formats/disk.ts';
export { readTable, tableFormatFromName } from '../formats/table/read-table.ts';
export type { TableFormat, TableOptions } from '../formats/table/read-table.ts';
export type { RoleOptions, Table, TableSource } from '../formats/table/table.ts';
export type { ChoiceOptions } from '../formats/table/columns/choose.ts';
export type { ColumnName } from '../formats/table/columns/find-column.ts';
export type { LeftOut, NumberColumn, TableColumn, TextColumn } from '../formats/table/columns/column.ts';
export type { Decimal, MissingValue } from '../formats/table/columns/notation.ts';
export type { Delimiter } from '../formats/table/delimiter.ts';
export type { DialectOptions } from '../formats/table/text/dialect.ts';
export type {
  EncodedColumn,
  MissingRule,
  TableEncoding,
  TablePoints,
  Columns,
} from '../formats/table/columns/encoding.ts';
export type { OptionName, Wording } from '../formats/table/wording.ts';
