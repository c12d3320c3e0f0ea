/** What one load run of one server showed. */
export type Measurement = {
  /** Good answers, events, round trips or megabytes. */
  perSecond: number;
  /** Milliseconds; of requests alone. */
  p99?: number;
  /** CPU time of the server process, user and system, for each of them, in microseconds. */
  cpu: number;
};

/** The platform's numbers divided by the baseline's: CPU and p99 are better below 1, what is done per second above. */
export type Ratios = { cpu: number; perSecond: number; p99: number };

export type Round = { platform: Measurement; baseline: Measurement };

export type Side = keyof Round;

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

/** Of a round; p99 is NaN where none was measured. */
export const ratiosOf = ({ platform, baseline }: Round): Ratios => ({
  cpu: platform.cpu / baseline.cpu,
  perSecond: platform.perSecond / baseline.perSecond,
  p99: (platform.p99 ?? NaN) / (baseline.p99 ?? NaN),
});

/** The median of the rounds' ratios: each round compares two runs made within seconds of each other. */
export const medianRatios = (rounds: readonly Round[]): Ratios => {
  const ratios = rounds.map(ratiosOf);
  const of = (name: keyof Ratios): number => median(ratios.map((each) => each[name]));
  return { cpu: of('cpu'), perSecond: of('perSecond'), p99: of('p99') };
};
