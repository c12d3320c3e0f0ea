import { afterEach, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@platform-backend/core/metrics';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../deploy/healthcheck.sh', import.meta.url));

/** The exit code of the health check of an app with this environment, and what it says. */
async function check(environment: Record<string, string>): Promise<{ code: number | null; said: string }> {
  const child = execFile('bash', [program], { env: { APP: 'identity', ...environment } });
  let said = '';
  child.stderr?.on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

const closing: (() => unknown)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return String((server.address() as AddressInfo).port);
}

describe('the health check of an image', () => {
  it('asks a service beside its metrics, whatever address these are served at', async () => {
    let isReady = true;
    const page = await createMetrics().serve('127.0.0.1:0', () => ({ isReady }));
    closing.push(() => page.close());
    const port = page.address.split(':').at(-1) ?? '';
    for (const listen of [page.address, `0.0.0.0:${port}`])
      expect(await check({ METRICS_LISTEN: listen })).toEqual({ code: 0, said: '' });
    isReady = false;
    expect(await check({ METRICS_LISTEN: page.address })).toEqual({
      code: 1,
      said: 'HTTP/1.1 503 Service Unavailable\n',
    });
  });

  it('asks the gateway where clients are', async () => {
    const asked: string[] = [];
    const gateway = createHttpServer((request, response) => {
      asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
      response.end('{"status":"ready"}');
    });
    const port = await listening(gateway);
    expect(await check({ APP: 'gateway', GATEWAY_HOST: '0.0.0.0', PLATFORM_PORT: port })).toEqual({
      code: 0,
      said: '',
    });
    expect(asked).toEqual(['GET /readyz']);
  });

  it('reports as unhealthy who does not answer in time, or is not there, and says why', async () => {
    const port = await listening(createServer((socket) => socket.unref()));
    expect(await check({ METRICS_LISTEN: `127.0.0.1:${port}` })).toEqual({ code: 1, said: 'no answer within 9 s\n' });
    const gone = createServer();
    const nobody = await listening(gone);
    gone.close();
    expect(await check({ METRICS_LISTEN: `127.0.0.1:${nobody}` })).toMatchObject({ code: 1 });
    expect(await check({})).toEqual({ code: 1, said: 'METRICS_LISTEN is not set\n' });
  });
});
