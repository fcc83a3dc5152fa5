/** Parquet and Arrow are read through optional packages, which are named where they are missing. */

import { spawnSync } from 'node:child_process';
import {
  Bool,
  DateDay,
  Decimal,
  Dictionary,
  FixedSizeBinary,
  Int32,
  makeData,
  Table,
  tableFromArrays,
  tableToIPC,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTable } from '../../lib/index.ts';
import { rejects } from '../rejects.ts';

const test = suite('Parquet and Arrow');

/** Three rows of a double, a long integer, a text and a time, as hyparquet-writer writes them. */
const parquet =
  'UEFSMRUGFTQVMFwVBhUAFQYVABUEFQAAAAMHGAAABQEE+D8FBygADEAAAAAAAAAeQBUGFTQVLFwVBhUAFQYVABUEFQAAAAMHGAQCAAkBAAQJByAACQAAAAAA' +
  'AAAVBhUiFSZcFQYVABUGFQAVBBUAAAADBw84AQAAAHUBAAAAdgEAAAB1FQYVNBUuXBUGFQAVBhUAFQQVAAAAAwcYAAARAThcJgUAAAAAALhMCgAAAAAVBBlc' +
  'SARyb290FQgAFQolAhgBYQAVBCUCGAFuABUMJQIYBGtpbmQlAAAVBCUCGANkYXklEgAWBhkcGUwmCBwVChkVABkYAWEVAhYGFl4WWiYIPDYAKAgAAAAAAAAe' +
  'QBgIAAAAAAAA+D82AAAZHBUGFQAVAgAAACZiHBUEGRUAGRgBbhUCFgYWXhZWJmI8NgAoCAkAAAAAAAAAGAgCAAAAAAAAAAAZHBUGFQAVAgAAACa4ARwVDBkV' +
  'ABkYBGtpbmQVAhYGFkwWUCa4ATw2ACgBdhgBdQAZHBUGFQAVAgAAACaIAhwVBBkVABkYA2RheRUCFgYWXhZYJogCPDYAKAgAuEwKAAAAABgIAAAAAAAAAAAA' +
  'GRwVBhUAFQIAAAAW5gIWBjbYAgAoCWh5cGFycXVldBlMHAAAHAAAHAAAHAAAAEABAABQQVIx';

const arrow = tableToIPC(
  tableFromArrays({
    a: Float64Array.of(1.5, 3.5, 7.5),
    n: BigInt64Array.of(2n, 4n, 9n),
    kind: ['u', 'v', 'u'],
    day: [new Date(0), new Date(864e5), new Date(2 * 864e5)],
  }),
  'file',
);

for (const [name, bytes] of [
  ['Parquet', new Uint8Array(Buffer.from(parquet, 'base64'))],
  ['Arrow', arrow],
] as const) {
  // oxfmt-ignore
  test(`${name}: numbers of every width, text and times`, async () => {
    const table = await readTable(bytes, { label: 'kind' });
    assert.equal(table.columnNames, ['a', 'n']);
    assert.equal(table.points.toArray(), [
      [1.5, 2],
      [3.5, 4],
      [7.5, 9],
    ]);
    assert.equal([...(table.labels ?? [])], [0, 1, 0]);
    assert.equal(table.leftOut, [{ name: 'day', reason: 'dates' }]);
    assert.match(String(table.columns[3].values[1]), /^1970-01-02[T ]00:00:00/);
  });
}

/** Five whole numbers in groups of two, as hyparquet-writer writes them. */
const groups =
  'UEFSMRUGFRQVFFwVBBUAFQQVABUEFQAAAAMDAQAAAAIAAAAVBhUUFRRcFQQVABUEFQAVBBUAAAADAwMAAAAEAAAAFQYVDBUMXBUCFQAVAhUAFQQVAAAAAwEF' +
  'AAAAFQQZLEgEcm9vdBUCABUCJQIYAWEAFgoZPBkcJggcFQIZFQAZGAFhFQAWBBY+Fj4mCAAAFj4WBDY+ABkcJkYcFQIZFQAZGAFhFQAWBBY+Fj4mRgAAFj4W' +
  'BDY+ABkcJoQBHBUCGRUAGRgBYRUAFgIWNhY2JoQBAAAWNhYCNjYAKAloeXBhcnF1ZXQZHBwAAACPAAAAUEFSMQ==';

test('Parquet: rows of all groups', async () => {
  const { points } = await readTable(new Uint8Array(Buffer.from(groups, 'base64')));
  assert.equal([...points.data], [1, 2, 3, 4, 5]);
});

test('Parquet: a compression that needs another package is named', async () => {
  const bytes = Buffer.from(groups, 'base64').toString('latin1');
  // The path of the column, and its compression: 0 becomes 6, which is ZSTD.
  const compressed = Buffer.from(bytes.replaceAll('\x19\x18\x01a\x15\x00', '\x19\x18\x01a\x15\x0c'), 'latin1');
  await rejects(
    () => readTable(new Uint8Array(compressed)),
    /^readTable: expected the package hyparquet-compressors for this compression, got .*ZSTD.*\. Install it: npm install hyparquet-compressors\.$/,
  );
});

test('Arrow: decimals are numbers, categories are text, bytes are left out, nulls are missing', async () => {
  // −1.25, 2.5 and none, with a scale of 2, as integers of 128 bits.
  const price = makeData({
    type: new Decimal(2, 10, 128),
    length: 3,
    nullCount: 1,
    nullBitmap: Uint8Array.of(0b011),
    data: Uint32Array.of(2 ** 32 - 125, 2 ** 32 - 1, 2 ** 32 - 1, 2 ** 32 - 1, 250, 0, 0, 0, 0, 0, 0, 0),
  });
  const source = new Table({
    price: new Vector([price]),
    kind: vectorFromArray(['u', 'v', 'u'], new Dictionary(new Utf8(), new Int32())),
    isNew: vectorFromArray([true, null, false], new Bool()),
    day: vectorFromArray([new Date(0), new Date(864e5), new Date(2 * 864e5)], new DateDay()),
    key: vectorFromArray([Uint8Array.of(0, 255), Uint8Array.of(1, 2), Uint8Array.of(3, 4)], new FixedSizeBinary(2)),
  });
  const table = await readTable(tableToIPC(source, 'stream'), { missing: 'mean', label: 'kind' });
  assert.equal(table.columnNames, ['price', 'isNew']);
  assert.equal(table.points.toArray(), [
    [-1.25, 1],
    [2.5, 0.5],
    [0.625, 0],
  ]);
  assert.equal([...(table.labels ?? [])], [0, 1, 0]);
  assert.equal(table.ids, ['00ff', '0102', '0304']);
  assert.equal(table.leftOut, [{ name: 'day', reason: 'dates' }]);
});

test('a package that is missing is named', () => {
  const hooks = `export const resolve = (name, context, next) => {
    if (name === 'hyparquet' || name === 'apache-arrow') throw new Error('not installed');
    return next(name, context);
  };`;
  const program = `
    import { register } from 'node:module';
    register('data:text/javascript,${encodeURIComponent(hooks).replaceAll("'", '%27')}');
    const { readTable } = await import('./dist/lib/index.js');
    for (const text of ['PAR1', 'ARROW1']) {
      await readTable(new TextEncoder().encode(text + 'x'.repeat(20))).catch(({ message }) => console.log(message));
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { ...process.env, NODE_V8_COVERAGE: '' },
  });
  assert.is(
    stdout,
    'readTable: expected the package hyparquet, which reads a Parquet file, got none. Install it: npm install hyparquet.\n' +
      'readTable: expected the package apache-arrow, which reads an Arrow file, got none. Install it: npm install apache-arrow.\n',
    stderr,
  );
});

test.run();
