import { expect, it } from '@jest/globals';
import { repetitions, waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { fork } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commandLineOf } from './processes.ts';

const owner = join(import.meta.dirname, 'kernel-owner.ts');

const notLinux = process.platform === 'linux' ? undefined : 'it is seen on Linux alone which processes there are';

describeWhere(notLinux, 'a service that is killed', () => {
  it('leaves no kernel behind, whenever it is killed', async () => {
    const marker = `orphan-of-${randomUUID()}`;
    const killOne = async (): Promise<void> => {
      const service = fork(owner, [marker], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] });
      await once(service, 'message');
      // From before bubblewrap has done anything to when Python loads.
      await delay(randomInt(300));
      const ended = once(service, 'exit');
      service.kill('SIGKILL');
      await ended;
    };
    for (let round = 0; round < repetitions({ usual: 1, long: 25 }); round += 1)
      await Promise.all(Array.from({ length: repetitions({ usual: 2, long: 4 }) }, killOne));
    await waitFor(() => processesWith(marker).length === 0, { what: 'the end of all kernels' });
    expect(processesWith(marker)).toEqual([]);
  }, 600_000);
});

const processesWith = (word: string): string[] =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandLineOf(name).includes(word));
