/** Lists of edges in Parquet files, read one row group after another through the optional package hyparquet. */

import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openStoredGraph, storeGraph } from '../../lib/doors/storage.ts';
import { columnsInOrder, readParquetGroups } from '../../lib/formats/table/records/peers.ts';
import { inFolder, put, run } from '../cli/run.ts';
import { rejects } from '../rejects.ts';

const test = suite('edges in Parquet');

/** Five edges in groups of two: long integers, integers and doubles, as hyparquet-writer writes them. */
const edges = bytesOf(
  'UEFSMRUGFSQVIFwVBBUAFQQVABUEFQAAAAMDEAAADQEcAQAAAAAAAAAVBhUUFRhcFQQVABUEFQAVBBUAAAADAwgcAQAAAAIAAAAVBhUkFSRcFQ' +
    'QVABUEFQAVBBUAAAADAxAAAAUBJPA/AAAAAAAA4D8VBhUkFShcFQQVABUEFQAVBBUAAAADAxA8AgAAAAAAAAADAAAAAAAAABUGFRQVGFwVBBUA' +
    'FQQVABUEFQAAAAMDCBwDAAAABAAAABUGFSQVIlwVBBUAFQQVABUEFQAAAAMDEAAACQEgQAAAAAAAANA/FQYVFBUYXBUCFQAVAhUAFQQVAAAAAw' +
    'EIHAAAAAAAAAAAFQYVDBUQXBUCFQAVAhUAFQQVAAAAAwEEDAQAAAAVBhUUFRhcFQIVABUCFQAVBBUAAAADAQgcAAAAAAAA8D8VBBlMSARyb290' +
    'FQYAFQQlAhgGc291cmNlABUCJQIYBnRhcmdldAAVCiUCGAZ3ZWlnaHQAFgoZPBk8JggcFQQZFQAZGAZzb3VyY2UVAhYEFk4WSiYIPDYAKAgBAA' +
    'AAAAAAABgIAAAAAAAAAAAAGRwVBhUAFQIAAAAmUhwVAhkVABkYBnRhcmdldBUCFgQWPhZCJlI8NgAoBAIAAAAYBAEAAAAAGRwVBhUAFQIAAAAm' +
    'lAEcFQoZFQAZGAZ3ZWlnaHQVAhYEFk4WTiaUATw2ACgIAAAAAAAA8D8YCAAAAAAAAOA/NgAAGRwVBhUAFQIAAAAW2gEWBDbaAQAZPCbiARwVBB' +
    'kVABkYBnNvdXJjZRUCFgQWThZSJuIBPDYAKAgDAAAAAAAAABgIAgAAAAAAAAAAGRwVBhUAFQIAAAAmtAIcFQIZFQAZGAZ0YXJnZXQVAhYEFj4W' +
    'Qia0Ajw2ACgEBAAAABgEAwAAAAAZHBUGFQAVAgAAACb2AhwVChkVABkYBndlaWdodBUCFgQWThZMJvYCPDYAKAgAAAAAAAAAQBgIAAAAAAAA0D' +
    '82AAAZHBUGFQAVAgAAABbaARYENuABABk8JsIDHBUEGRUAGRgGc291cmNlFQIWAhY+FkImwgM8NgAoCAAAAAAAAAAAGAgAAAAAAAAAAAAZHBUG' +
    'FQAVAgAAACaEBBwVAhkVABkYBnRhcmdldBUCFgIWNhY6JoQEPDYAKAQEAAAAGAQEAAAAABkcFQYVABUCAAAAJr4EHBUKGRUAGRgGd2VpZ2h0FQ' +
    'IWAhY+FkImvgQ8NgAoCAAAAAAAAPA/GAgAAAAAAADwPzYAABkcFQYVABUCAAAAFrIBFgI2vgEAKAloeXBhcnF1ZXQZPBwAABwAABwAAACaAgAA' +
    'UEFSMQ==',
);

/** Two edges without weights in groups of one. A node of the second one is −2. */
const negative = bytesOf(
  'UEFSMRUGFQwVEFwVAhUAFQIVABUEFQAAAAMBBAwAAAAAFQYVDBUQXBUCFQAVAhUAFQQVAAAAAwEEDAEAAAAVBhUMFRBcFQIVABUCFQAVBBUAAA' +
    'ADAQQMAQAAABUGFQwVEFwVAhUAFQIVABUEFQAAAAMBBAz+////FQQZPEgEcm9vdBUEABUCJQIYAWEAFQIlAhgBYgAWBBksGSwmCBwVAhkVABkY' +
    'AWEVAhYCFjYWOiYIPDYAKAQAAAAAGAQAAAAAABkcFQYVABUCAAAAJkIcFQIZFQAZGAFiFQIWAhY2FjomQjw2ACgEAQAAABgEAQAAAAAZHBUGFQ' +
    'AVAgAAABZsFgI2dAAZLCZ8HBUCGRUAGRgBYRUCFgIWNhY6Jnw8NgAoBAEAAAAYBAEAAAAAGRwVBhUAFQIAAAAmtgEcFQIZFQAZGAFiFQIWAhY2' +
    'FjomtgE8NgAoBP7///8YBP7///8AGRwVBhUAFQIAAAAWbBYCNnQAKAloeXBhcnF1ZXQZLBwAABwAAAANAQAAUEFSMQ==',
);

/** One column. */
const single = bytesOf(
  'UEFSMRUGFQwVEFwVAhUAFQIVABUEFQAAAAMBBAwAAAAAFQQZLEgEcm9vdBUCABUCJQIYAWEAFgIZHBkcJggcFQIZFQAZGAFhFQIWAhY2FjomCD' +
    'w2ACgEAAAAABgEAAAAAAAZHBUGFQAVAgAAABY2FgI2OgAoCWh5cGFycXVldBkcHAAAAGQAAABQQVIx',
);

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text, 'base64'));
}

test('columns have the order of the file, not that in which they were decoded', () => {
  const decoded = new Map([['weight', 3], ['to', 2], ['from', 1]]); // oxfmt-ignore
  assert.equal(columnsInOrder(decoded, ['from', 'to', 'weight']), [1, 2, 3]);
  assert.equal(columnsInOrder(decoded, ['to', 'weight', 'from']), [2, 3, 1]);
});

test('groups are read one after another, each from its own part of the file', async () => {
  const ends: number[] = [];
  const file = {
    byteLength: edges.length,
    slice(start: number, end = edges.length) {
      ends.push(end);
      return edges.buffer.slice(start, end);
    },
  };
  const groups: unknown[] = [];
  const reached: number[] = [];
  for await (const { columns, rows } of readParquetGroups({ caller: 'spec' }, file)) {
    groups.push([rows, ...columns.map((column) => column.map(Number))]);
    reached.push(Math.max(...ends.splice(0).filter((end) => end < edges.length), 0));
  }
  assert.equal(groups, [
    [2, [0, 1], [1, 2], [1, 0.5]],
    [2, [2, 3], [3, 4], [2, 0.25]],
    [1, [0], [4], [1]],
  ]);
  assert.ok(0 < reached[0] && reached[0] < reached[1] && reached[1] < reached[2], String(reached));
});

test('the graph is that of the same edges in a text file', () =>
  inFolder(async (folder) => {
    const text = put(folder, 'edges.csv', '0,1,1\n1,2,0.5\n2,3,2\n3,4,0.25\n0,4,1\n');
    const expected = await storeGraph(text, join(folder, 'text'));
    const { code, err } = await run(['store', put(folder, 'edges.parquet', edges), '--edges', '--out', join(folder, 'graph')]); // oxfmt-ignore
    assert.is(code, 0, err);
    const stored = openStoredGraph(join(folder, 'graph'));
    assert.is(stored.checksum, expected.checksums);
    stored.close();
  }));

test('what is no edge is refused with its row, and damage in words', () =>
  inFolder(async (folder) => {
    const refuse = (bytes: Uint8Array, message: RegExp): Promise<void> =>
      rejects(() => storeGraph(put(folder, 'bad.parquet', bytes), join(folder, 'graph')), message);
    await refuse(negative, /two nodes from 0 to 2147483645 and a finite weight in .*, got 1, -2, 1 in row 1/);
    await refuse(single, /edges with 2 or 3 columns in .*bad\.parquet, got 1/);
    await refuse(edges.subarray(0, 300), /storeGraph: expected an undamaged Parquet file, got/);
  }));

test('a row group without rows has no edges', () =>
  inFolder(async (folder) => {
    // The footer: a schema of two integer columns, and one row group of no rows.
    const column = (name: string): number[] => [0x15, 4, 0x25, 0, 0x18, 1, name.charCodeAt(0), 0];
    const schema = [0x15, 2, 0x19, 0x3c, 0x48, 4, ...Buffer.from('root'), 0x15, 4, 0, ...column('a'), ...column('b')];
    const footer = [...schema, 0x16, 0, 0x19, 0x1c, 0x19, 0x0c, 0x16, 0, 0x16, 0, 0, 0];
    const length = new Uint8Array(Uint32Array.of(footer.length).buffer);
    const parts = [Buffer.from('PAR1'), Buffer.from(footer), length, Buffer.from('PAR1')];
    const file = put(folder, 'empty.parquet', Buffer.concat(parts));
    const { size, nonzeros } = await storeGraph(file, join(folder, 'graph'), { size: 5 });
    assert.equal([size, nonzeros], [5, 0]);
  }));

test.run();
