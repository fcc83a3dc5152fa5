/** CRC-32, the checksum of zip and gzip: polynomial 0xEDB88320, two bytes at a time. */

/** The CRC-32 of bytes; with that of the bytes before them, of all together. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  let at = 0;
  for (; at + 1 < bytes.length; at += 2) {
    crc ^= bytes[at] | (bytes[at + 1] << 8);
    crc = twoBytes[crc & 255] ^ oneByte[(crc >>> 8) & 255] ^ (crc >>> 16);
  }
  if (at < bytes.length) crc = oneByte[(crc ^ bytes[at]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** The CRC of each byte alone, and of each byte followed by a zero byte. */
const [oneByte, twoBytes] = [8, 16].map((bits) =>
  Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < bits; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    return crc;
  }),
);
