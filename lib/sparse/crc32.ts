/** Have these bytes changed? The checksum of zip and gzip: polynomial 0xEDB88320, four bytes at a time. */

export function crc32(bytes: Uint8Array): number {
  let crc = -1;
  let at = 0;
  for (const end = bytes.length - 3; at < end; at += 4) {
    crc ^= bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    crc =
      tables[768 + (crc & 255)] ^
      tables[512 + ((crc >>> 8) & 255)] ^
      tables[256 + ((crc >>> 16) & 255)] ^
      tables[crc >>> 24];
  }
  for (; at < bytes.length; at++) crc = tables[(crc ^ bytes[at]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Table k tells what a byte does after k further zero bytes. */
const tables = new Int32Array(4 * 256);
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  tables[byte] = crc;
}
for (let at = 256; at < tables.length; at++) tables[at] = tables[tables[at - 256] & 255] ^ (tables[at - 256] >>> 8);
