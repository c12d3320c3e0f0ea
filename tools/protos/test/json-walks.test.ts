import { describe, expect, it } from '@jest/globals';
import { arbitraryMessage, typesIn, waysToJson } from '@platform-backend/contract/testing/arbitrary-answers';
import { loadSample, loadStreams } from '@platform-backend/contract/testing/sample-contract';
import { loadPlatformContract } from '@platform-backend/contracts';
import { repetitions } from '@platform-backend/testing';
import fc from 'fast-check';

const contracts = [loadPlatformContract(), loadSample(), loadStreams()];
const answers = contracts.flatMap(({ operations }) =>
  operations.filter(({ http }) => http !== undefined).map(({ responseType }) => responseType),
);
const types = [...typesIn(answers)];
const { walked, byObjects } = waysToJson();

/** Of a type, of which there are hundreds. */
const settings = { numRuns: repetitions({ usual: 2, long: 40 }), endOnFailure: true };

const outcome = (way: () => string): string => {
  try {
    return way();
  } catch {
    return 'refused';
  }
};

describe('the walk of an answer', () => {
  it('gives what decoding and showing objects gives, for every type of every answer', () => {
    expect(types.length).toBeGreaterThan(150);
    for (const type of types) {
      const check = (g: fc.GeneratorValue): void => {
        const bytes = arbitraryMessage(g, type);
        expect([type.fullName, outcome(() => walked(type, bytes))]).toEqual([
          type.fullName,
          outcome(() => byObjects(type, bytes)),
        ]);
      };
      fc.assert(fc.property(fc.gen(), check), settings);
    }
  });

  it('refuses what is cut off, or reads it alike', () => {
    for (const type of types) {
      const check = (g: fc.GeneratorValue): void => {
        const bytes = arbitraryMessage(g, type);
        const cut = bytes.subarray(0, g(fc.nat, { max: bytes.length }));
        const json = outcome(() => walked(type, cut));
        if (json !== 'refused') expect(json).toBe(outcome(() => byObjects(type, cut)));
      };
      fc.assert(fc.property(fc.gen(), check), settings);
    }
  });
});
