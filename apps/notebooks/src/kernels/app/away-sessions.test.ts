import { describe, expect, it } from '@jest/globals';
import type { KernelMessage } from '../domain/kernel-provider.ts';
import { sizeOf } from '../domain/message-size.ts';
import { awaySessions } from './away-sessions.ts';

const MIB = 2 ** 20;
const message = (bytes: number): KernelMessage => ({
  ...{ channel: 'iopub', header: Buffer.from('{}'), parentHeader: Buffer.from('{}'), metadata: Buffer.from('{}') },
  ...{ content: Buffer.alloc(bytes), buffers: [] },
});

describe('what is kept for a session that is away', () => {
  it('has a bound, also of what its client waits for', () => {
    const away = awaySessions(
      () => message(0),
      () => false,
    );
    away.leave('s', []);
    for (let count = 0; count < 1_000; count += 1) away.hearAll(message(60 * 1024));
    const kept = away.comeBack('s').reduce((sum, each) => sum + sizeOf(each), 0);
    expect(kept).toBeGreaterThan(8 * MIB);
    expect(kept).toBeLessThan(17 * MIB);
  });
});
