import { describe, expect, it } from '@jest/globals';
import type { PipelineOverlap } from '../../pipelines/domain/pipeline.ts';
import { overlapDecision, type OverlapDecision } from './overlap.ts';

const nothing = { isRequested: false, isWaiting: false, isGoingOn: false };

describe('a time of a schedule', () => {
  it.each<[PipelineOverlap, OverlapDecision, OverlapDecision, OverlapDecision, OverlapDecision]>([
    ['SKIP', 'START', 'SKIP', 'SKIP', 'SKIP'],
    ['BUFFER_ONE', 'START', 'START', 'SKIP', 'SKIP'],
    ['ALLOW', 'START', 'START', 'START', 'START'],
    [
      'CANCEL_OTHER',
      ...(['START_AND_CANCEL_OTHERS', 'START_AND_CANCEL_OTHERS', 'START_AND_CANCEL_OTHERS', 'SKIP'] as const),
    ],
  ])(
    'by the policy %s, alone, beside what goes on, waits, or is only asked for',
    (policy, alone, going, waiting, asked) => {
      expect(overlapDecision(policy, nothing)).toBe(alone);
      expect(overlapDecision(policy, { ...nothing, isGoingOn: true })).toBe(going);
      expect(overlapDecision(policy, { ...nothing, isGoingOn: true, isWaiting: true })).toBe(waiting);
      expect(overlapDecision(policy, { ...nothing, isRequested: true })).toBe(asked);
    },
  );
});
