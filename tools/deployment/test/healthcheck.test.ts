import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateServiceKeys, assertionVerifier } from '@platform-backend/auth';
import { loadPlatformContract } from '@platform-backend/contracts';
import { createLogger } from '@platform-backend/core/logger';
import { startGrpcServer, type GrpcServer, type TlsFiles } from '@platform-backend/grpc';
import { certificates } from '@platform-backend/testing';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../deploy/healthcheck.ts', import.meta.url));
const keys = await generateServiceKeys(['identity']);

const serve = (tls?: TlsFiles): Promise<GrpcServer> =>
  startGrpcServer({
    contract: loadPlatformContract(),
    logger: createLogger({ service: 'identity', level: 'silent' }),
    listen: '127.0.0.1:0',
    verifier: assertionVerifier({ keys: keys.publicKeys }),
    services: [],
    tls,
  });

/** The exit code of the health check of a service with this environment, and what it says. */
async function check(environment: Record<string, string>): Promise<{ code: number | null; said: string }> {
  const child = execFile(process.execPath, [program], { env: { APP: 'identity', ...environment } });
  let said = '';
  child.stderr?.on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

describe('the health check of an image', () => {
  let authority: Awaited<ReturnType<typeof certificates>>;
  beforeAll(async () => {
    authority = await certificates();
  });
  afterAll(() => authority.remove());

  const tlsEnvironment = ({ certificate, key, authority: signer }: TlsFiles): Record<string, string> => ({
    GRPC_TLS_CERTIFICATE: certificate,
    GRPC_TLS_KEY: key,
    ...(signer !== undefined && { GRPC_TLS_AUTHORITY: signer }),
  });

  it.each(['plain', 'encrypted', 'encrypted, for callers with a certificate'])(
    'finds a service healthy that is %s',
    async (how) => {
      const { authority: signer, ...files } = await authority.issue('identity');
      const tls = how === 'plain' ? undefined : how === 'encrypted' ? files : { ...files, authority: signer };
      const server = await serve(tls);
      const outcome = await check({ IDENTITY_LISTEN: server.address, ...(tls && tlsEnvironment(tls)) });
      await server.drain();
      expect(outcome).toEqual({ code: 0, said: '' });
    },
  );

  it('finds a service ill that does not answer, and says why', async () => {
    const silent = createServer((socket) => socket.unref()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const outcome = await check({ IDENTITY_LISTEN: `0.0.0.0:${String(port)}` });
    silent.close();
    expect(outcome).toEqual({ code: 1, said: expect.stringContaining('Deadline exceeded') as unknown });
    expect(await check({})).toEqual({ code: 1, said: 'IDENTITY_LISTEN is not set\n' });
  });
});
