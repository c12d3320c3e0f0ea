/** A TIFF with all of these pictures, each a PGM: rows of bytes, from black to white. */
export function tiff(pictures: readonly Buffer[]): Buffer {
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  const parts: Buffer[] = [header];
  let length = header.length;
  // Where it is said at which byte the next directory begins.
  let link = { of: header, at: 4 };
  for (const picture of pictures) {
    const start = /^P5\s(\d+)\s(\d+)\s255\s/.exec(picture.toString('latin1', 0, 50));
    const [head, width, height] = [start?.[0] ?? '', Number(start?.[1]), Number(start?.[2])];
    const rows = picture.subarray(head.length);
    // Width, height, bits of a dot, no compression, 0 is black, where the rows are, one colour, how many, their bytes.
    const fields = {
      256: width,
      257: height,
      258: 8,
      259: 1,
      262: 1,
      273: length,
      277: 1,
      278: height,
      279: rows.length,
    };
    const entries = Object.entries(fields);
    const directory = Buffer.alloc(2 + 12 * entries.length + 4);
    directory.writeUInt16LE(entries.length, 0);
    for (const [index, [tag, value]] of entries.entries()) {
      directory.writeUInt16LE(Number(tag), 2 + 12 * index);
      // One number of 32 bits.
      directory.writeUInt16LE(4, 4 + 12 * index);
      directory.writeUInt32LE(1, 6 + 12 * index);
      directory.writeUInt32LE(value, 10 + 12 * index);
    }
    link.of.writeUInt32LE(length + rows.length, link.at);
    parts.push(rows, directory);
    length += rows.length + directory.length;
    link = { of: directory, at: directory.length - 4 };
  }
  return Buffer.concat(parts);
}
