import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import type { Kernel } from '../domain/kernel.ts';
import { aKernel } from '../test/a-kernel.ts';
import { kernelReaper, type KernelReaperPorts } from './kernel-reaper.ts';

let time = new Date('2026-01-01T12:00:00Z');
const clock = { now: () => time };

let kept = aKernel(time, { paidMinutes: 1 });

describe('the payment of minutes', () => {
  it('looks a kernel up once a minute, and pays for each minute once', async () => {
    let looks = 0;
    const paid: number[] = [];
    const running = { ...kept };
    const tending = kernelReaper({
      kernels: {
        get: () => {
          looks += 1;
          return Promise.resolve(kept);
        },
        update: (_by: unknown, _id: string, decide: (kernel: Kernel) => { state: Kernel }) => {
          kept = decide(kept).state;
          return Promise.resolve(kept);
        },
      },
      running: { all: () => [{ organisationId: 'org_1', kernel: running, state: 'idle' }] },
      credits: {
        reserveMinute: (_payer: unknown, _id: string, minute: number) => {
          paid.push(minute);
          return Promise.resolve({ settle: () => Promise.resolve() });
        },
      },
      clock,
      logger: createLogger({ service: 'notebooks', level: 'silent' }),
    } as unknown as KernelReaperPorts);
    for (let round = 0; round < 3; round += 1) await tending.payForMinutes();
    expect([looks, paid]).toEqual([1, []]);
    time = new Date(time.getTime() + 60_000);
    for (let round = 0; round < 3; round += 1) await tending.payForMinutes();
    expect([looks, paid]).toEqual([2, [1]]);
  });
});
