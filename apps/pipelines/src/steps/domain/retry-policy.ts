/** When a step that has failed is begun again, in the words of Temporal. */
export interface RetryPolicy {
  /** So often it is begun at most by failures, the first time included. */
  readonly maximumAttempts: number;
  readonly initialIntervalSeconds: number;
  readonly backoffCoefficient: number;
  readonly maximumIntervalSeconds: number;
  /** Codes of failures that are final. */
  readonly nonRetryableErrorTypes: readonly string[];
}

/** How often a step may fail until that is its run's failure. */
export const maximumAttempts = (policy: RetryPolicy | null): number => policy?.maximumAttempts ?? 1;

/** The pause after this many failures, in seconds; undefined: it is not begun again. */
export function retryPauseSeconds(policy: RetryPolicy | null, failures: number, code: string): number | undefined {
  if (!policy || failures >= policy.maximumAttempts || policy.nonRetryableErrorTypes.includes(code)) return undefined;
  return pauseSeconds(policy, failures);
}

/** All pauses of a step that fails as often as it may. */
export const allPausesSeconds = (policy: RetryPolicy | null): number =>
  Array.from({ length: maximumAttempts(policy) - 1 }, (_, index) =>
    policy ? pauseSeconds(policy, index + 1) : 0,
  ).reduce((sum, pause) => sum + pause, 0);

const pauseSeconds = (
  { initialIntervalSeconds, backoffCoefficient, maximumIntervalSeconds }: RetryPolicy,
  failures: number,
): number => Math.min(initialIntervalSeconds * backoffCoefficient ** (failures - 1), maximumIntervalSeconds);
