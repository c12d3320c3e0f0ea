/** One request that was answered or not. */
export interface Outcome {
  readonly path: string;
  /** What was going on when it was sent. */
  readonly during: string;
  /** Its status, or the code of the error, such as `ECONNRESET`. */
  readonly result: number | string;
  /** It went over a connection that an earlier one had used. */
  readonly reused: boolean;
}

/** What became of all requests: each with a success unless it was refused for being too quick or no gateway was there. */
export interface Verdict {
  readonly requests: number;
  /** One sentence for each kind of failure that nothing excuses. */
  readonly failures: readonly string[];
}

/**
 * While the only gateway is replaced nobody can be answered, but no request is lost that went over a connection which was kept alive:
 * the gateway has closed it before with an answer.
 */
export function judge(outcomes: readonly Outcome[], gatewayGone: string): Verdict {
  const failed = outcomes.filter(({ result, during, reused }) => {
    if (typeof result === 'number' && result < 300) return false;
    return during !== gatewayGone || reused || typeof result === 'number';
  });
  const kinds = new Map<string, number>();
  for (const { path, during, result, reused } of failed) {
    const kind = `during ${during}: GET ${path} ${reused ? 'over a kept connection ' : ''}ended with ${String(result)}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return { requests: outcomes.length, failures: [...kinds].map(([kind, count]) => `${String(count)} times ${kind}`) };
}
