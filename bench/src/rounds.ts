/** What one load run of one server showed. */
export type Measurement = {
  /** Answers with a 2xx status in the round. */
  requests: number;
  requestsPerSecond: number;
  /** Milliseconds. */
  p99: number;
  /** CPU time of the server process, user and system, per request, in microseconds. */
  cpuPerRequest: number;
};

/** The platform's numbers divided by the baseline's: CPU and p99 are better below 1, requests/s above. */
export type Ratios = { cpu: number; rps: number; p99: number };

export type Round = { platform: Measurement; baseline: Measurement };

type Side = keyof Round;

/** Who runs first changes from round to round, so that drift of the machine cancels out. */
export const orderOfRound = (round: number): readonly [Side, Side] =>
  round % 2 === 0 ? ['baseline', 'platform'] : ['platform', 'baseline'];

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) throw new Error('the median of nothing');
  const lower = sorted[middle - 1];
  return sorted.length % 2 === 1 || lower === undefined ? upper : (lower + upper) / 2;
};

/** The median of the rounds' ratios: each round compares two runs made within seconds of each other. */
export const medianRatios = (rounds: readonly Round[]): Ratios => {
  const ratio = (value: (measurement: Measurement) => number) =>
    median(rounds.map(({ platform, baseline }) => value(platform) / value(baseline)));
  return {
    cpu: ratio(({ cpuPerRequest }) => cpuPerRequest),
    rps: ratio(({ requestsPerSecond }) => requestsPerSecond),
    p99: ratio(({ p99 }) => p99),
  };
};
