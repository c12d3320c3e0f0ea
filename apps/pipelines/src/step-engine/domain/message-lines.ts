const END_OF_LINE = 10;

/**
 * Messages between a process and whoever started it: each a line of JSON. What is answered takes their bytes as they come,
 * in whatever pieces, and throws at a line that is longer than may be.
 */
export function messageLines(maxBytes: number, hear: (message: unknown) => void): (bytes: Buffer) => void {
  let pieces: Buffer[] = [];
  let held = 0;
  return (bytes) => {
    for (let from = 0; from < bytes.length;) {
      const end = bytes.indexOf(END_OF_LINE, from);
      const piece = bytes.subarray(from, end === -1 ? bytes.length : end);
      held += piece.length;
      if (held > maxBytes) throw new Error(`a message is longer than ${maxBytes} bytes`);
      pieces.push(piece);
      if (end === -1) return;
      const line = Buffer.concat(pieces).toString();
      [pieces, held, from] = [[], 0, end + 1];
      hear(JSON.parse(line));
    }
  };
}

export const lineOf = (message: unknown): string => `${JSON.stringify(message)}\n`;
