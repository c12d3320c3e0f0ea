const NOTHING = Buffer.alloc(0);

/**
 * Bytes that come in pieces, kept in one buffer that grows with them. A list of the pieces would be simpler, but each
 * piece may be a single byte, and as a buffer of its own it takes hundreds.
 */
export class GrowingBytes {
  /** How many there will be at most; room for more is never made. */
  readonly #maxBytes: number;
  #room: Buffer = NOTHING;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes so far; not copied. */
  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  /** How much memory more a piece of this length would take. */
  growthFor(length: number): number {
    return this.#sizeFor(this.#length + length) - this.#room.length;
  }

  append(piece: Buffer): void {
    const length = this.#length + piece.length;
    // Most bodies come in one piece.
    if (this.#length === 0) this.#room = piece;
    else {
      if (length > this.#room.length) this.#grow(length);
      piece.copy(this.#room, this.#length);
    }
    this.#length = length;
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(this.#sizeFor(length));
    this.#room.copy(larger, 0, 0, this.#length);
    this.#room = larger;
  }

  /** Doubling keeps the copying in proportion to the length. */
  #sizeFor(length: number): number {
    const { length: room } = this.#room;
    return length <= room ? room : Math.max(length, Math.min(2 * room, this.#maxBytes));
  }
}
