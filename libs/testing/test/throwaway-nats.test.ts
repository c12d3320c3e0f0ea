import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { throwawayNats, type ThrowawayNats } from '../src/index.ts';

describe('a throwaway NATS', () => {
  let nats: ThrowawayNats;

  beforeAll(async () => {
    nats = await throwawayNats();
  });

  afterAll(() => nats.drop());

  it('has JetStream', async () => {
    await expect(greeting(nats.port)).resolves.toContain('"jetstream":true');
  });

  it.each(['stop', 'kill'] as const)('comes back on the same address after %s', async (end) => {
    await nats[end]();
    await expect(greeting(nats.port)).rejects.toThrow('ECONNREFUSED');
    await nats.start();
    await expect(greeting(nats.port)).resolves.toContain('"jetstream":true');
  });

  it('is shared with nobody', async () => {
    const other = await throwawayNats();
    expect(other.url).not.toBe(nats.url);
    await other.drop();
  });
});

async function greeting(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return data.toString();
}
