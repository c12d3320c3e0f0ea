import { describe, expect, it } from '@jest/globals';
import type { KnownOperations } from './service-under-test.ts';
import { isInFlight, type TriedWrites } from './tried-writes.ts';

/** What an `Idempotency-Key` promises (D23), of every operation that takes one. */
export function keyedCallsSuite(known: KnownOperations<never>, writes: TriedWrites): void {
  describe('a call with an Idempotency-Key', () => {
    const keyed = known.filter(({ operation }) => operation.repetition !== undefined).map(({ name }) => name);
    for (const name of keyed)
      it(`is carried out once, and its repetition answered with the same: ${name}`, async () => {
        const { outcomes: twins, repeated, leftByRepeated, reused, fields } = await writes.of(name);
        const [first] = twins;
        if (first.kind !== 'answered')
          throw new Error(`${name} was refused (${first.text}): give it a request that is carried out`);
        expect(twins).toHaveLength(2);
        for (const twin of twins) if (!isInFlight(twin)) expect(twin).toEqual(first);

        expect(repeated).toEqual(first);
        expect(leftByRepeated).toEqual([]);

        if (reused) expect(reused).toMatchObject({ kind: 'invalid' });
        // Of a request without fields there is no other one.
        else expect(fields).toEqual([]);
      });
  });
}
