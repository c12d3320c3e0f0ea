/** Bytes before each message of gRPC: whether it is compressed, and its length. */
const PREFIX = 5;
const NOTHING = Buffer.alloc(0);

/** A message as it goes over the wire, not compressed; the beginning of one where so many bytes of it are sent behind it. */
export function framed(message: Buffer, lengthBehind = 0): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length + lengthBehind, 1);
  message.copy(frame, PREFIX);
  return frame;
}

/** Why bytes are no messages; `details` is what the call's status says of it. */
export class UnreadableFrame extends Error {
  readonly reason: 'too_large' | 'compressed';
  constructor(reason: UnreadableFrame['reason'], details: string) {
    super(details);
    this.reason = reason;
  }
}

/** Takes messages out of the bytes of a stream, however these are cut. A message that came in one piece is not copied. */
export class MessageReader {
  readonly #maxBytes: number;
  /** What has come of a message that is not whole. */
  #pieces: Buffer[] = [];
  #length = 0;
  /** How many bytes are to be there before it is looked at them again. */
  #wanted = PREFIX;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether the bytes so far end with a whole message. */
  get isBetweenMessages(): boolean {
    return this.#length === 0;
  }

  /** @throws UnreadableFrame */
  read(chunk: Buffer, found: (message: Buffer) => void): void {
    let bytes = chunk;
    if (this.#length > 0) {
      this.#pieces.push(chunk);
      this.#length += chunk.length;
      if (this.#length < this.#wanted) return;
      bytes = Buffer.concat(this.#pieces, this.#length);
      this.#pieces = [];
      this.#length = 0;
    }
    let at = 0;
    while (bytes.length - at >= PREFIX) {
      const length = this.#lengthAt(bytes, at);
      if (bytes.length - at < PREFIX + length) break;
      const start = at + PREFIX;
      at = start + length;
      found(length === 0 ? NOTHING : bytes.subarray(start, at));
    }
    if (at < bytes.length) this.#keep(at === 0 ? bytes : bytes.subarray(at));
  }

  #keep(rest: Buffer): void {
    this.#pieces = [rest];
    this.#length = rest.length;
    this.#wanted = rest.length < PREFIX ? PREFIX : PREFIX + this.#lengthAt(rest, 0);
  }

  #lengthAt(bytes: Buffer, at: number): number {
    const length = bytes.readUInt32BE(at + 1);
    if (length > this.#maxBytes) {
      throw new UnreadableFrame('too_large', `Received message larger than max (${length} vs ${this.#maxBytes})`);
    }
    // Nobody was told that it would be understood.
    if (bytes[at] !== 0) throw new UnreadableFrame('compressed', 'Received a compressed message');
    return length;
  }
}
