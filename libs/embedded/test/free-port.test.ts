import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from '../src/index.ts';

it('a free port can be listened on, and is none that the system gives to an outgoing connection', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  for (const port of ports) {
    expect(port).toBeLessThan(32_768);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  }
});

it('a port that was given is not given to another server, which would find it taken when both start', async () => {
  const ports = new Set<number>();
  for (let count = 0; count < 500; count += 1) ports.add(await freePort());
  expect(ports.size).toBe(500);
});
