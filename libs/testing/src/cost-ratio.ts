const ROUNDS = 5;
/** Some systems tell a thread's CPU time by the tick of a few milliseconds: what is quicker is done again and again for so long. */
const ROUND_MS = 20;

/**
 * How many times as much of its thread's CPU time some work takes as other work: the best of several rounds of each. A busy machine
 * adds nothing to it. For synchronous work that differs by orders of magnitude when it goes wrong.
 */
export function costRatio(work: () => unknown, yardstick: () => unknown): number {
  const rounds = Array.from({ length: ROUNDS }, () => [cpuMsOf(work), cpuMsOf(yardstick)] as const);
  return Math.min(...rounds.map(([cost]) => cost)) / Math.min(...rounds.map(([, cost]) => cost));
}

/** Milliseconds of this thread's CPU time that work takes, on average over a round. */
export function cpuMsOf(work: () => unknown): number {
  const begun = process.threadCpuUsage();
  for (let times = 1; ; times += 1) {
    work();
    const { user, system } = process.threadCpuUsage(begun);
    const took = (user + system) / 1_000;
    if (took >= ROUND_MS) return took / times;
  }
}
