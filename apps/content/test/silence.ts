/** Half a second in which nothing is heard, as a WAV file. */
export function silence(): Buffer {
  const header = Buffer.from(
    '524946460000000057415645666d74201000000001000100803e0000007d0000020010006461746100000000',
    'hex',
  );
  header.writeUInt32LE(36 + 16_000, 4);
  header.writeUInt32LE(16_000, 40);
  return Buffer.concat([header, Buffer.alloc(16_000)]);
}
