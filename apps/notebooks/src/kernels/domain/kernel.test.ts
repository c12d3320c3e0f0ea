import { describe, expect, it } from '@jest/globals';
import type { NotebooksEvent } from '../../events.ts';
import { aKernel } from '../test/a-kernel.ts';
import {
  abandonKernel,
  countMinutes,
  cullKernel,
  kernelStarted,
  startKernel,
  stopKernel,
  type KernelUse,
  type MinuteDebits,
} from './kernel.ts';

const noon = new Date('2026-01-01T12:00:00Z');
const after = (seconds: number) => new Date(noon.getTime() + seconds * 1000);
const debits: MinuteDebits = ({ id }, minute, at) =>
  ({ name: 'debit.created', subject: `${id} ${minute}`, at, data: {} }) as unknown as NotebooksEvent;
const owed = ({ events }: { readonly events: readonly NotebooksEvent[] }) =>
  events.flatMap(({ name, subject, at }) => (name === 'debit.created' ? [[subject, at]] : []));

/** One that has run for so long, and of which as many minutes are counted. */
const running = (billedMinutes: number, heardUntil: number) =>
  aKernel(noon, { state: 'idle', billedMinutes, leaseUntil: after(heardUntil) });

describe('the start of a kernel', () => {
  const allowed = { kernels: 5, startsPerMinute: 10 };
  const start = (isCharged: boolean, use: Partial<KernelUse>) => () =>
    startKernel({ ...aKernel(noon), isCharged }, { alive: 0, startedInLastMinute: 0, ...use }, allowed, noon);

  it('is one of a few within a minute, unless a pipeline has its step wait for it', () => {
    expect(start(true, { startedInLastMinute: 10 })).toThrow('within a minute');
    expect(start(false, { startedInLastMinute: 10 })).not.toThrow();
  });

  it('is refused where there are as many as there may be, whoever asks', () => {
    for (const isCharged of [true, false]) expect(start(isCharged, { alive: 5 })).toThrow('5');
  });
});

describe('the minutes of a kernel', () => {
  it('are owed from the start on, each with its time, and no minute twice', () => {
    const { state, ...started } = kernelStarted(aKernel(noon), after(3), debits);
    expect([state.billedMinutes, owed(started)]).toEqual([1, [['k 0', noon]]]);
    expect(owed(countMinutes(state, 3, debits))).toEqual([
      ['k 1', after(60)],
      ['k 2', after(120)],
    ]);
    expect(owed(countMinutes(state, 1, debits))).toEqual([]);
  });

  it('are counted at its end, also those that nobody had counted yet', () => {
    const stopped = stopKernel(running(1, 140), after(125), debits);
    expect([stopped.state.billedMinutes, owed(stopped).length]).toEqual([3, 2]);
    expect(owed(stopKernel(stopped.state, after(400), debits))).toEqual([]);
    expect(owed(cullKernel(running(1, 80), 'idle', after(65), debits))).toHaveLength(1);
    // It ends since that minute cannot be paid.
    expect(owed(cullKernel(running(1, 80), 'credits', after(65), debits))).toEqual([]);
  });

  it('end with its lease, however late its end comes to be known', () => {
    expect(stopKernel(running(1, 78), after(900), debits).state.billedMinutes).toBe(2);
  });

  it('are none where it could not start, or where somebody else pays for them', () => {
    expect(owed(abandonKernel(aKernel(noon), after(400)))).toEqual([]);
    expect(owed(kernelStarted(aKernel(noon, { isCharged: false }), after(3), debits))).toEqual([]);
    expect(owed(stopKernel({ ...running(0, 200), isCharged: false }, after(130), debits))).toEqual([]);
  });
});
