import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { isAlive, natsBinary, startNats, type Nats } from '../src/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

describe('an embedded NATS', () => {
  const folder = temporaryFolder();
  const options = { directory: join(folder.path, 'nats'), logFile: join(folder.path, 'nats.log') };
  let binary: string;
  let server: Nats;

  beforeAll(async () => {
    binary = await natsBinary(join(folder.path, 'programs'));
    server = await startNats({ ...options, binary });
  });

  afterAll(async () => {
    await server.stop();
    folder.remove();
  });

  it('speaks NATS with JetStream on a port that it chose itself', async () => {
    await expect(greeting(server.port)).resolves.toMatchObject({ jetstream: true, port: server.port });
  });

  it('comes back on the same port after a stop', async () => {
    const { port } = server;
    await server.stop();
    server = await startNats({ ...options, binary, port });
    expect(server.url).toBe(`nats://127.0.0.1:${port}`);
  });

  it('ends a server that an earlier run left on the same data', async () => {
    const left = server;
    server = await startNats({ ...options, binary });
    expect(isAlive(left.pid)).toBe(false);
  });

  it('says at once that a fixed port is taken', async () => {
    const other = { binary, directory: join(folder.path, 'other'), logFile: join(folder.path, 'other.log') };
    await expect(startNats({ ...other, port: server.port })).rejects.toThrow('address already in use');
  });
});

/** The first thing a NATS server says to whoever connects. */
async function greeting(port: number): Promise<Record<string, unknown>> {
  const socket = connect(port, '127.0.0.1');
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return JSON.parse(/^INFO (.*)/.exec(data.toString())?.[1] ?? '{}') as Record<string, unknown>;
}
