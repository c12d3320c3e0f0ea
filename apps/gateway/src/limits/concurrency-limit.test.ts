import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { concurrencyLimit } from './concurrency-limit.ts';

describe('the limit of calls that are under way', () => {
  it('lets one organisation have half of it alone, and refuses what comes beyond', () => {
    const limit = concurrencyLimit({ maxCalls: 100, maxLagMs: 100 });
    const entered = Array.from({ length: 200 }, () => limit.enter('flood')).filter(Boolean);
    expect(entered).toHaveLength(50);
    limit.leave('flood');
    expect(limit.enter('flood')).toBe(true);
  });

  it('lets others in beside a flood, each up to the same share', () => {
    const limit = concurrencyLimit({ maxCalls: 100, maxLagMs: 100 });
    for (let call = 0; call < 200; call += 1) limit.enter('flood');
    const calm = Array.from({ length: 200 }, () => limit.enter('calm')).filter(Boolean);
    expect(calm).toHaveLength(25);
    limit.leave('flood');
    expect(limit.enter('flood')).toBe(false);
  });

  it('halves what is let in while the loop is late, to a few at least, and raises it again when it is not', () => {
    const limit = concurrencyLimit({ maxCalls: 1_000, maxLagMs: 100 });
    for (let call = 0; call < 400; call += 1) limit.enter('flood');
    limit.observeLag(101);
    expect(limit.limit).toBe(200);
    expect(limit.enter('flood')).toBe(false);
    for (let sample = 0; sample < 20; sample += 1) limit.observeLag(1_000);
    expect(limit.limit).toBe(16);
    for (let sample = 0; sample < 60; sample += 1) limit.observeLag(0);
    expect(limit.limit).toBe(1_000);
  });

  it('never has more under way than its reserve allows, counts exactly, and always lets in whoever has nothing there', () => {
    const step = fc.record({ organisation: fc.integer({ min: 0, max: 9 }), leaves: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.array(step, { maxLength: 400 }), (maxCalls, steps) => {
        const limit = concurrencyLimit({ maxCalls, maxLagMs: 1 });
        const own = new Map<string, number>();
        for (const { organisation, leaves } of steps) {
          const name = `org_${String(organisation)}`;
          const count = own.get(name) ?? 0;
          if (leaves && count > 0) {
            limit.leave(name);
            own.set(name, count - 1);
          } else if (limit.enter(name)) own.set(name, count + 1);
          else if (count === 0) expect(limit.inFlight).toBeGreaterThanOrEqual(maxCalls);
          const sum = [...own.values()].reduce((total, calls) => total + calls, 0);
          expect(limit.inFlight).toBe(sum);
          expect(sum).toBeLessThanOrEqual(Math.ceil(maxCalls * 1.25));
        }
      }),
    );
  });
});
