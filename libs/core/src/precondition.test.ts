import { describe, expect, it } from '@jest/globals';
import { asPreparation } from './idempotency-store.ts';
import { pendingPrecondition, withPrecondition } from './precondition.ts';

describe('the condition of a change', () => {
  it('is pending until something is changed, and not for what only prepares the change', async () => {
    const isPending = () => Promise.resolve(pendingPrecondition() !== undefined);
    const seen = await withPrecondition(
      () => Promise.resolve(),
      async () => {
        const [prepared, before] = [await asPreparation(isPending), await isPending()];
        pendingPrecondition()?.settle();
        return { prepared, before, after: await isPending() };
      },
    );
    expect(seen).toEqual({ prepared: false, before: true, after: false });
  });
});
