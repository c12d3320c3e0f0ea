import { describe, expect, it } from '@jest/globals';
import { changeToNote, notingChanges } from './idempotency-store.ts';
import { outsideOfCalls } from './outside-of-calls.ts';
import { pendingPrecondition, withPrecondition } from './precondition.ts';
import { inRequest, presentRequestId } from './present-request.ts';
import { callerSignal, remainingDeadlineMs, withCaller } from './waiting-caller.ts';

describe('work outside of calls', () => {
  it('has nothing of the call that has set it going', async () => {
    const call = { id: 'c1', scope: 's', key: Buffer.from('k') } as never;
    const inCall = <T>(work: () => Promise<T>): Promise<T> =>
      inRequest('r1', () =>
        withCaller({ signal: AbortSignal.abort(), deadline: new Date(0) }, () =>
          notingChanges(call, () => withPrecondition(() => Promise.resolve(), work)),
        ),
      );
    const seen = async () => {
      await Promise.resolve();
      return [
        presentRequestId(),
        callerSignal()?.aborted,
        remainingDeadlineMs(),
        changeToNote(),
        pendingPrecondition(),
      ];
    };
    expect(await inCall(seen)).toEqual(['r1', true, 0, expect.anything(), expect.anything()]);
    expect(await inCall(() => outsideOfCalls(seen))).toEqual([undefined, undefined, Infinity, undefined, undefined]);
  });
});
