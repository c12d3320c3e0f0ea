import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { GrpcServer } from '@platform-backend/grpc';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { ada, assertionHeader, thingServer } from './thing-server.ts';

const BUF = createRequire(import.meta.url).resolve('@bufbuild/buf/bin/buf');

/** A client that is not JavaScript and links the descriptors it is given, as grpcurl does. */
async function bufCurl(...args: string[]): Promise<string> {
  const options = { cwd: tmpdir() };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [BUF, 'curl', '--protocol', 'grpc', '--http2-prior-knowledge', ...args],
    options,
  );
  return stdout;
}

describe('reflection', () => {
  let server: GrpcServer;
  beforeAll(async () => {
    server = await thingServer(
      { getThing: ({ id }) => Promise.resolve({ id, shape: { name: 'square', corners: 4 } }) },
      { reflection: true },
    );
  });
  afterAll(() => server.drain());

  it('lists the services to a client that has no .proto file', async () => {
    const listed = await bufCurl('--list-services', `http://${server.address}`);
    expect(listed.trim().split('\n')).toEqual(['kit.things.v1.ThingService']);
  });

  it.each(['grpc-v1', 'grpc-v1alpha'])(
    'lets such a client call an operation whose types lie in several packages (%s)',
    async (protocol) => {
      const [header] = Object.entries(await assertionHeader(ada));
      const answer = await bufCurl(
        '--reflect-protocol',
        protocol,
        '-H',
        header?.join(': ') ?? '',
        '-d',
        '{"id":"t1"}',
        `http://${server.address}/kit.things.v1.ThingService/GetThing`,
      );
      expect(JSON.parse(answer)).toMatchObject({ id: 't1', shape: { name: 'square', corners: 4 } });
    },
  );

  it('tells nobody anything unless it is switched on', async () => {
    const silent = await thingServer();
    await expect(bufCurl('--list-services', `http://${silent.address}`)).rejects.toThrow(/unimplemented/i);
    await silent.drain();
  });
});
