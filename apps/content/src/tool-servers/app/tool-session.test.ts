import { describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import type { ToolConnection } from '../domain/server-tool.ts';
import type { ToolServer } from '../domain/tool-server.ts';
import { toolSessions } from './tool-session.ts';

describe('the tool servers of a turn', () => {
  it('are all asked at once, so that those that say nothing are waited for together', async () => {
    const asked: string[] = [];
    const silent = (name: string): ToolConnection => ({
      list: (signal) => {
        asked.push(name);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      },
      call: () => Promise.reject(new Error('nobody calls it')),
      close: () => Promise.resolve(),
    });
    const session = toolSessions({
      servers: {
        find: (_, id) =>
          Promise.resolve({ id, name: id, tools: [{ name: 't' }], updatedAt: new Date(0) } as unknown as ToolServer),
      },
      open: (_, { name }) => silent(name),
      clock: { now: () => new Date(0) },
      logger: { warn: () => undefined },
    })('org_1');
    const ids = Array.from({ length: 20 }, (_, index) => `server-${String(index)}`);
    const stopping = new AbortController();
    const usable = session.usable(ids, stopping.signal);
    for (let turns = 0; turns < 10; turns += 1) await setImmediate();
    stopping.abort(new Error('stopped'));
    await expect(usable).rejects.toThrow('stopped');
    expect(asked).toEqual(ids);
  });
});
