/** A sign that a start that takes long goes on. */
export interface StartSign {
  /** What the child is busy with, as it stands behind its name: `is restoring its streams`. */
  readonly doing: string;
  /** How many times the usual the child may go on without another sign; once unless given. */
  readonly timeoutFactor?: number;
}

export interface LongStartOptions {
  readonly name: string;
  /** How long the child may take until it is ready or gives a sign. */
  readonly readyTimeoutMs?: number | undefined;
  /** Reads one line of the child's output. */
  readonly sign?: ((line: string) => StartSign | undefined) | undefined;
  /** Told what a long start is busy with. */
  readonly say?: ((text: string) => void) | undefined;
}

const defaultReadyTimeoutMs = 30_000;
/** A start that takes no longer than this part of its time is nothing to talk about. */
const quietPart = 0.1;

/** How long a start may go on: no work is taken away from a child that shows that it gets on with it. */
export function longStart({ name, readyTimeoutMs = defaultReadyTimeoutMs, sign, say }: LongStartOptions) {
  const beganAt = Date.now();
  let deadline = beganAt + readyTimeoutMs;
  let doing: string | undefined;
  let said: string | undefined;
  return {
    hear(line: string): void {
      const heard = sign?.(line);
      if (heard === undefined) return;
      deadline = Date.now() + readyTimeoutMs * (heard.timeoutFactor ?? 1);
      ({ doing } = heard);
    },
    /** To be asked again and again; says what is going on. */
    isOverdue(): boolean {
      if (doing !== said && Date.now() - beganAt > readyTimeoutMs * quietPart) {
        said = doing;
        say?.(`${name} ${String(doing)}`);
      }
      return Date.now() > deadline;
    },
  };
}
