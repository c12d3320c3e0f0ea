import { afterEach, describe, expect, it } from '@jest/globals';
import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolveName } from '../src/resolve-name.ts';

const IPV4 = 1;

let open: Socket[] = [];
afterEach(() => {
  for (const socket of open) socket.close();
  open = [];
});

/** A name server that answers each question by these bytes of an address; undefined: never. */
async function nameServer(addressOf: (type: number) => readonly number[] | undefined) {
  const socket = createSocket('udp4');
  open.push(socket);
  socket.on('message', (query, { port, address }) => {
    const endOfName = query.indexOf(0, 12);
    const type = query.readUInt16BE(endOfName + 1);
    const found = addressOf(type);
    if (!found) return;
    const question = query.subarray(12, endOfName + 5);
    // One question, as many answers as there are addresses: the name is where the question has it, for a minute.
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, found.length === 0 ? 0 : 1, 0, 0, 0, 0]);
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, found.length, ...found]);
    socket.send(Buffer.concat([header, question, ...(found.length === 0 ? [] : [record])]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${String(socket.address().port)}`]);
  return resolver;
}

describe('the addresses of a name', () => {
  it('are all that name servers give, of both kinds', async () => {
    const ipv6 = [0x26, 0x06, 0x47, 0, ...Array.from({ length: 11 }, () => 0), 0x11];
    const resolver = await nameServer((type) => (type === IPV4 ? [192, 0, 2, 7] : ipv6));
    expect(await resolveName('tools.example.com', resolver)).toEqual([
      { address: '192.0.2.7', family: 4 },
      { address: '2606:4700::11', family: 6 },
    ]);
  });

  it('are those of one kind where there are no others, and a failure where there are none', async () => {
    const resolver = await nameServer((type) => (type === IPV4 ? [192, 0, 2, 7] : []));
    expect(await resolveName('tools.example.com', resolver)).toEqual([{ address: '192.0.2.7', family: 4 }]);
    const none = await nameServer(() => []);
    await expect(resolveName('nobody.example.com', none)).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('are those of one kind where name servers never tell of the other', async () => {
    const resolver = await nameServer((type) => (type === IPV4 ? [192, 0, 2, 7] : undefined));
    expect(await resolveName('tools.example.com', resolver)).toEqual([{ address: '192.0.2.7', family: 4 }]);
    resolver.cancel();
  });

  it('hold up nothing that reads files meanwhile, however many name servers are silent', async () => {
    const silent = await nameServer(() => undefined);
    let ended = 0;
    const lookUps = Array.from({ length: 50 }, () =>
      resolveName('slow.example.com', silent).finally(() => (ended += 1)),
    );
    await readFile(import.meta.filename);
    expect(ended).toBe(0);
    silent.cancel();
    for (const { status } of await Promise.allSettled(lookUps)) expect(status).toBe('rejected');
  });
});
