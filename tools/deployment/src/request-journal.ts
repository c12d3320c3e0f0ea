import type { Write } from './acknowledged-writes.ts';

/** One request that was answered or not. */
export interface Outcome {
  readonly method: string;
  readonly path: string;
  /** What was going on when it was sent. */
  readonly during: string;
  /** Its status, or the code of the error, such as `ECONNRESET`. */
  readonly result: number | string;
  /** It went over a connection that an earlier one had used. */
  readonly reused: boolean;
  /** When it was answered or lost. */
  readonly at?: string;
  /** By which services log it; none where the gateway has not answered. */
  readonly requestId?: string | undefined;
  /** What the answer to one that failed says. */
  readonly said?: string;
  /** What it was to make. */
  readonly write?: Write;
}

/** What was going on that may cost requests. */
interface Disturbances {
  /** The only gateway is replaced. */
  readonly gatewayGone: string;
  /** By the kill of a process: where it is written to. */
  readonly killed: Readonly<Record<string, string | undefined>>;
}

/** What became of all requests: each with a success unless it was refused for being too quick or no gateway was there. */
export interface Verdict {
  readonly requests: number;
  /** One sentence for each kind of failure that nothing excuses. */
  readonly failures: readonly string[];
  /** Each of them. */
  readonly failed: readonly Outcome[];
  /** How many of how many failed while what was going on, excused or not. */
  readonly figures: Readonly<Record<string, { readonly requests: number; readonly failed: number }>>;
}

/**
 * While the only gateway is replaced nobody can be answered, but no request is lost that went over a connection which was kept alive:
 * the gateway has closed it before with an answer. Whoever writes to a process that is killed is told that the outcome is not known.
 */
export function judge(outcomes: readonly Outcome[], { gatewayGone, killed }: Disturbances): Verdict {
  const hasFailed = ({ result }: Outcome) => typeof result === 'string' || result >= 300;
  const isExcused = ({ method, path, during, result, reused }: Outcome) =>
    during === gatewayGone
      ? !reused && typeof result === 'string'
      : killed[during] === path && method === 'POST' && result === 503;
  const kinds = new Map<string, number>();
  const failed: Outcome[] = [];
  const figures: Record<string, { requests: number; failed: number }> = {};
  for (const outcome of outcomes) {
    const { method, path, during, result, reused } = outcome;
    const figure = (figures[during] ??= { requests: 0, failed: 0 });
    figure.requests += 1;
    if (!hasFailed(outcome)) continue;
    figure.failed += 1;
    if (isExcused(outcome)) continue;
    failed.push(outcome);
    const kind = `during ${during}: ${method} ${path} ${reused ? 'over a kept connection ' : ''}ended with ${String(result)}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return {
    requests: outcomes.length,
    failures: [...kinds].map(([kind, count]) => `${String(count)} times ${kind}`),
    failed,
    figures,
  };
}
