import { beforeEach, describe, expect, it } from '@jest/globals';
import { paymentRequired, unavailable } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import type { NotebooksEvent } from '../../events.ts';
import type { Credits, DebitCreated, KernelMinute, Payer } from '../domain/credits.ts';
import type { Kernel } from '../domain/kernel.ts';
import { aKernel } from '../test/a-kernel.ts';
import { kernelReaper, type KernelReaperPorts } from './kernel-reaper.ts';

const begun = new Date('2026-01-01T12:00:00Z');
const after = (seconds: number) => new Date(begun.getTime() + seconds * 1000);

/** The reaper with one kernel, and what was written of it. */
function reaping(before: Partial<Kernel> = {}) {
  const state = {
    overdue: undefined as readonly { organisationId: string; id: string; leaseUntil: Date }[] | undefined,
    now: begun,
    kept: aKernel(begun, { state: 'idle', billedMinutes: 1, leaseUntil: after(1_000) }),
    looks: 0,
    events: [] as NotebooksEvent[],
    released: 0,
    reserve: (() => Promise.resolve({ debit: owed('reserved'), release })) as Credits['reserveMinute'],
    storing: () => {},
    /** What runs here of it by now, if that is another one. */
    here: undefined as Kernel | undefined,
    missed: 0,
    ended: 0,
  };
  const release = () => Promise.resolve(void (state.released += 1));
  const owed = (how: string) => (minute: KernelMinute) =>
    ({ name: 'debit.created', at: minute.at, data: { work_id: `${how} ${minute.minute}` } }) as DebitCreated;
  const reaper = kernelReaper({
    kernels: {
      update: (_by: unknown, _id: string, decide: (kernel: Kernel) => { state: Kernel; events: NotebooksEvent[] }) => {
        state.looks += 1;
        const decision = decide(state.kept);
        state.storing();
        state.kept = decision.state;
        state.events.push(...decision.events);
        return Promise.resolve(state.kept);
      },
      overdue: () =>
        Promise.resolve(
          state.overdue ?? [{ organisationId: 'org_1', id: state.kept.id, leaseUntil: state.kept.leaseUntil }],
        ),
      renew: () => Promise.resolve(new Set([state.kept.id])),
      forget: () => Promise.resolve(),
    },
    running: {
      all: () => [{ organisationId: 'org_1', kernel: running, state: 'idle', lastActivity: state.now, begunAt: begun }],
      find: () => ({ kernel: state.here ?? running }),
      shutdown: () => Promise.resolve(void (state.ended += 1)),
    },
    credits: {
      reserveMinute: (payer: Payer) => state.reserve(payer),
      debitMinute: (_payer: Payer, minute: KernelMinute) => owed('not reserved')(minute),
    },
    clock: { now: () => state.now },
    logger: createLogger({ service: 'notebooks', level: 'silent' }),
    leaseMissed: () => void (state.missed += 1),
    leaseMs: 18_000,
    unreservedMs: 180_000,
    culling: { idleMs: 600_000, connectedIdleMs: 600_000, lifetimeMs: 3_600_000 },
  } as unknown as KernelReaperPorts);
  const running = { ...state.kept, billedMinutes: 0, ...before };
  return Object.assign(state, { reaper });
}

let at: ReturnType<typeof reaping>;
beforeEach(() => {
  at = reaping();
});
const owed = () => at.events.flatMap((event) => (event.name === 'debit.created' ? [event.data.work_id] : []));
const ends = () => at.events.flatMap((event) => (event.name.startsWith('kernel.') ? [event] : []));

describe('the counting of minutes', () => {
  it('looks at a kernel once a minute, and each minute is owed once', async () => {
    for (let round = 0; round < 3; round += 1) await at.reaper.countMinutes();
    expect([at.looks, owed()]).toEqual([0, []]);
    at.now = after(60);
    for (let round = 0; round < 3; round += 1) await at.reaper.countMinutes();
    expect([at.looks, owed()]).toEqual([1, ['reserved 1']]);
  });

  it('goes on with the next minute after one whose reservation had no answer, and both are owed', async () => {
    const { reserve } = at;
    at.reserve = () => Promise.reject(unavailable(new Error('late')));
    at.now = after(60);
    await at.reaper.countMinutes();
    at.reserve = reserve;
    at.now = after(120);
    await at.reaper.countMinutes();
    expect(owed()).toEqual(['not reserved 1', 'reserved 2']);
    expect(at.kept).toMatchObject({ state: 'idle', billedMinutes: 3 });
  });

  it('counts what could not be written down when it can, and gives back what was set aside meanwhile', async () => {
    at.storing = () => {
      throw unavailable(new Error('no database'));
    };
    at.now = after(60);
    await at.reaper.countMinutes();
    expect([owed(), at.released]).toEqual([[], 1]);
    at.storing = () => {};
    at.now = after(125);
    await at.reaper.countMinutes();
    expect(owed()).toEqual(['not reserved 1', 'reserved 2']);
  });

  it('ends a kernel without credits, which owes the minutes before', async () => {
    at.reserve = () => Promise.reject(paymentRequired());
    at.now = after(130);
    await at.reaper.countMinutes();
    expect(owed()).toEqual(['not reserved 1']);
    expect(ends()).toMatchObject([{ name: 'kernel.culled', data: { reason: 'credits' } }]);
  });

  it('ends a kernel for whose minutes nothing could be set aside for too long, and says why', async () => {
    at.reserve = () => Promise.reject(unavailable(new Error('away')));
    for (let minute = 1; minute <= 5; minute += 1) {
      at.now = after(60 * minute);
      if (at.kept.endedAt === null) await at.reaper.countMinutes();
    }
    expect(ends()).toMatchObject([{ name: 'kernel.culled', data: { reason: 'unreserved' }, at: after(240) }]);
    expect(owed()).toEqual([1, 2, 3, 4].map((minute) => `not reserved ${minute}`));
  });

  it('is made up for when a replica is lost: until it was heard of for the last time', async () => {
    at.kept = { ...at.kept, leaseUntil: after(120 + 18) };
    for (let seconds = 900; seconds <= 925; seconds += 5) {
      at.now = after(seconds);
      await at.reaper.renewLeases();
    }
    await at.reaper.reapOrphans();
    expect(owed()).toEqual(['not reserved 1', 'not reserved 2']);
    expect(ends()).toMatchObject([{ name: 'kernel.died', data: { reason: 'replica_lost' } }]);
  });
});

describe('a kernel that was begun again', () => {
  const minutes = 90;
  const startedAt = after(-60 * minutes);
  beforeEach(() => {
    at = reaping({ startedAt, billedMinutes: minutes });
    at.kept = { ...at.kept, startedAt, billedMinutes: minutes + 1 };
  });

  it('has paid its minute, and ends only when there is nothing for the next one', async () => {
    at.reserve = () => Promise.reject(paymentRequired());
    at.now = after(30);
    await at.reaper.countMinutes();
    expect([at.kept.state, owed()]).toEqual(['idle', []]);
    at.now = after(60);
    await at.reaper.countMinutes();
    expect([at.kept.state, owed()]).toEqual(['dead', []]);
  });

  it('is as old as it is since then', async () => {
    at.now = after(30);
    await at.reaper.cullKernels();
    expect(at.kept.state).toBe('idle');
    at.now = after(3_600);
    await at.reaper.cullKernels();
    expect(at.kept.state).toBe('dead');
  });

  it('does not end with the one before, whose end comes late', async () => {
    at.here = aKernel(begun);
    at.now = after(3_600);
    await at.reaper.cullKernels();
    expect(at.ended).toBe(0);
  });
});

describe('the search for lost kernels', () => {
  it('goes by the clock that the leases are written by, and not by its own', async () => {
    at.now = after(3_600);
    await renewUntil(3_600, 3_625);
    // Its own clock is an hour ahead, and the kernel was renewed between the look and the change.
    at.overdue = [{ organisationId: 'org_1', id: at.kept.id, leaseUntil: after(10) }];
    at.kept = { ...at.kept, leaseUntil: after(20) };
    await at.reaper.reapOrphans();
    expect(at.kept.state).toBe('idle');
    expect(at.missed).toBe(0);
    at.overdue = [{ organisationId: 'org_1', id: at.kept.id, leaseUntil: after(20) }];
    await at.reaper.reapOrphans();
    await at.reaper.reapOrphans();
    expect([at.kept.state, at.missed]).toEqual(['dead', 1]);
  });

  const renewUntil = async (from: number, to: number): Promise<void> => {
    for (let seconds = from; seconds <= to; seconds += 5) {
      at.now = after(seconds);
      await at.reaper.renewLeases();
    }
  };

  it('takes no kernel for lost after a time in which no replica could renew its leases', async () => {
    await renewUntil(0, 60);
    at.kept = { ...at.kept, leaseUntil: after(78) };
    // The database was away.
    at.now = after(160);
    await at.reaper.reapOrphans();
    await renewUntil(160, 170);
    await at.reaper.reapOrphans();
    expect(at.kept.state).toBe('idle');
    await renewUntil(175, 180);
    await at.reaper.reapOrphans();
    expect(at.kept.state).toBe('dead');
  });
});
