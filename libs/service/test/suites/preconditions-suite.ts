import { describe, expect, it } from '@jest/globals';
import type { KnownOperations } from './service-under-test.ts';
import { STALE, type TriedWrites } from './tried-writes.ts';

/** What `If-Match` and `If-None-Match` promise, of every operation that changes what is read by GET on the same path. */
export function preconditionsSuite(known: KnownOperations<never>, writes: TriedWrites): void {
  describe('a change with If-Match or If-None-Match', () => {
    for (const { name } of known.filter(({ operation }) => operation.changes))
      it(`is not made of what is another by now, and is of what is there: ${name}`, async () => {
        const { refused, aroundRefused, outcomes } = await writes.of(name);
        expect(refused.map(({ kind }) => kind)).toEqual(STALE.map(() => 'precondition_failed'));
        expect(aroundRefused.after).toEqual(aroundRefused.before);
        expect(outcomes[0]).toMatchObject({ kind: 'answered' });
      });
  });
}
