import type { PipelineOverlap } from '../../pipelines/domain/pipeline.ts';

/** What a schedule has started before, or asked for, that is not over. */
export interface ScheduledBefore {
  /** It was asked for, and is not started yet. */
  readonly isRequested: boolean;
  /** It waits for its place. */
  readonly isWaiting: boolean;
  readonly isGoingOn: boolean;
}

/** What becomes of a time of a schedule. */
export type OverlapDecision = 'START' | 'SKIP' | 'START_AND_CANCEL_OTHERS';

/** Whatever the policy, a time that comes while the one before is not even started yet adds nothing to that, unless all are wanted. */
export function overlapDecision(policy: PipelineOverlap, before: ScheduledBefore): OverlapDecision {
  if (policy === 'ALLOW') return 'START';
  if (before.isRequested) return 'SKIP';
  if (policy === 'CANCEL_OTHER') return 'START_AND_CANCEL_OTHERS';
  const isTooMany = before.isWaiting || (policy === 'SKIP' && before.isGoingOn);
  return isTooMany ? 'SKIP' : 'START';
}
