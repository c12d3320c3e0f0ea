import { describe, expect, it } from '@jest/globals';
import { dayFigures, memoryGrowth, restingFigures, type Snapshot } from './soak-figures.ts';

const snapshot = (at: number, cpuSeconds: number, pssMiB: number, rows = 0, bytes = 0, objects = 0): Snapshot => ({
  at,
  uses: new Map([['identity', { cpuSeconds, pssMiB }]]),
  sizes: { rows: new Map([['identity.members', rows]]), bytes: new Map([['objects', bytes]]), objects },
});

describe('the figures of a soak', () => {
  it('say what each part takes at rest, and all together', () => {
    const part = { part: 'identity', cpuPercent: 2.5, pssMiB: 81 };
    const resting = restingFigures(snapshot(10, 1, 80), snapshot(30, 1.5, 81));
    expect(resting).toEqual({ parts: [part], cpuPercent: 2.5, pssMiB: 81 });
  });

  it('say what a day of one organisation costs and leaves behind', () => {
    const [morning, evening] = [snapshot(0, 1, 80, 10, 0, 2), snapshot(60, 5, 90, 30, 40_960, 12)];
    expect(dayFigures(morning, evening, 10)).toEqual({
      cpuSeconds: { identity: 0.4 },
      rows: { 'identity.members': 2 },
      kib: { objects: 4 },
      objects: 1,
    });
  });

  it('take memory for growing only where it grows day after day', () => {
    const once = [80, 120, 120, 121, 119].map((pss) => snapshot(0, 0, pss));
    const always = [80, 90, 101, 111, 120].map((pss) => snapshot(0, 0, pss));
    expect(memoryGrowth(once)).toEqual({ identity: 1 });
    expect(memoryGrowth(always)).toEqual({ identity: 10 });
  });
});
