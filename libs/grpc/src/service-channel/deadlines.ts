/** Something that ends by itself when its time has come. */
export interface Expiring {
  /** Milliseconds since 1970. */
  readonly deadline: number;
  expire(): void;
}

/** The longest that a timer of Node can wait, in milliseconds. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/**
 * Ends what is late, by one timer for all. A timer of its own for each of thousands of calls a second costs more than this,
 * and next to none of them is ever late.
 */
export class Deadlines {
  readonly #waiting = new Set<Expiring>();
  #timer: NodeJS.Timeout | undefined;
  /** When the timer rings. */
  #ringsAt = Infinity;

  add(expiring: Expiring): void {
    this.#waiting.add(expiring);
    if (expiring.deadline < this.#ringsAt) this.#ringAt(expiring.deadline);
  }

  delete(expiring: Expiring): void {
    this.#waiting.delete(expiring);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#ringsAt = Infinity;
    this.#waiting.clear();
  }

  #ringAt(time: number): void {
    clearTimeout(this.#timer);
    this.#ringsAt = time;
    const wait = Math.min(Math.max(time - Date.now(), 0), MAX_WAIT_MS);
    this.#timer = setTimeout(() => this.#ring(), wait).unref();
  }

  #ring(): void {
    this.#ringsAt = Infinity;
    const now = Date.now();
    let next = Infinity;
    for (const expiring of [...this.#waiting]) {
      if (expiring.deadline <= now) {
        this.#waiting.delete(expiring);
        expiring.expire();
      } else if (expiring.deadline < next) next = expiring.deadline;
    }
    // What expired may have added something earlier.
    if (next < this.#ringsAt) this.#ringAt(next);
  }
}
