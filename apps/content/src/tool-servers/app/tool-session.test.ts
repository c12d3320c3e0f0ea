import { describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { serverTool, type ServerTool } from '../domain/server-tool.ts';
import type { ToolServer } from '../domain/tool-server.ts';
import { toolSessions } from './tool-session.ts';

/** The session of one turn with servers that offer a tool, each by this way to list it. */
const sessionsWith = (list: (server: string, signal: AbortSignal) => Promise<readonly ServerTool[]>) =>
  toolSessions({
    servers: {
      find: (_, id) =>
        Promise.resolve({ id, name: id, tools: [{ name: 't' }], updatedAt: new Date(0) } as unknown as ToolServer),
    },
    open: (_, { name }) => ({
      list: (signal) => list(name, signal),
      call: () => Promise.reject(new Error('nobody calls it')),
      close: () => Promise.resolve(),
    }),
    clock: { now: () => new Date(0) },
    logger: { warn: () => undefined },
  });

describe('the tool servers of a turn', () => {
  it('are all asked at once, so that those that say nothing are waited for together', async () => {
    const asked: string[] = [];
    const silent = (server: string, signal: AbortSignal): Promise<never> => {
      asked.push(server);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    };
    const ids = Array.from({ length: 20 }, (_, index) => `server-${String(index)}`);
    const stopping = new AbortController();
    const usable = sessionsWith(silent)('org_1').usable(ids, stopping.signal);
    for (let turns = 0; turns < 10; turns += 1) await setImmediate();
    stopping.abort(new Error('stopped'));
    await expect(usable).rejects.toThrow('stopped');
    expect(asked).toEqual(ids);
  });

  it('are believed for a while, of what is allowed and not too much to remember', async () => {
    const asked: string[] = [];
    const tool = (name: string, letters: number) =>
      serverTool(name, '', { type: 'object', title: 'x'.repeat(letters) });
    const sessions = sessionsWith((server) => {
      asked.push(server);
      const others = Array.from({ length: 99 }, (_, index) => tool(`other_${String(index)}`, 10_000));
      return Promise.resolve([
        { ...tool('t', 10), description: 'x'.repeat(server === 'long' ? 200_000 : 10) },
        ...others,
      ]);
    });
    for (let turn = 0; turn < 2; turn += 1) {
      const { tools } = await sessions('org_1').usable(['short', 'long'], new AbortController().signal);
      expect(tools.map(({ modelName }) => modelName)).toEqual(['short__t', 'long__t']);
    }
    expect(asked).toEqual(['short', 'long', 'long']);
  });
});
