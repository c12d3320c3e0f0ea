const ROUNDS = 5;

/**
 * How many times as long some work takes as other work, both done in turns in this run: the best of several rounds of
 * each, so that a busy machine slows both or neither. For work that differs by orders of magnitude when it goes wrong.
 */
export function costRatio(work: () => unknown, yardstick: () => unknown): number {
  const rounds = Array.from({ length: ROUNDS }, () => [timeOf(work), timeOf(yardstick)] as const);
  return Math.min(...rounds.map(([time]) => time)) / Math.min(...rounds.map(([, time]) => time));
}

function timeOf(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
