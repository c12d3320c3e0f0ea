import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { itWhere } from '@platform-backend/testing/where';
import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { MetricsPage } from '../src/metrics-page.ts';
import { createMetrics, type Metrics } from '../src/metrics.ts';

const pages: MetricsPage[] = [];
afterEach(() => Promise.all(pages.splice(0).map((page) => page.close())));

async function served(metrics: Metrics): Promise<string> {
  const page = await metrics.serve('127.0.0.1:0');
  pages.push(page);
  return `http://${page.address}/metrics`;
}

const shown = async (metrics: Metrics): Promise<string[]> => {
  const answer = await fetch(await served(metrics));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  return (await answer.text()).split('\n');
};

const never = new Promise<number>(() => undefined);

const ipv6Lack = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
  ? undefined
  : 'this machine has no IPv6';

describe('the page of metrics', () => {
  it('shows Node, the log, and what is counted, measured and observed', async () => {
    const metrics = createMetrics();
    const count = metrics.counter('parcels_total', 'Parcels.', ['country', 'size']);
    const weigh = metrics.histogram({ name: 'weight_grams', help: 'Weight.', labels: ['country'], buckets: [10, 100] });
    metrics.observe('waiting', 'Parcels that wait.', () => 7);
    metrics.observe('longest_wait_seconds', 'Of those.', () => Promise.resolve(1.5));
    metrics.counter('returned_total', 'Returned parcels.');
    for (const size of ['small', 'large', 'small']) count('CH', size);
    weigh(50, 'CH');
    expect(await shown(metrics)).toEqual(
      expect.arrayContaining([
        'parcels_total{country="CH",size="small"} 2',
        'parcels_total{country="CH",size="large"} 1',
        'weight_grams_bucket{le="10",country="CH"} 0',
        'weight_grams_bucket{le="100",country="CH"} 1',
        'waiting 7',
        'longest_wait_seconds 1.5',
        'returned_total 0',
        'log_lines_lost_total 0',
        expect.stringMatching(/^process_cpu_seconds_total /),
      ]),
    );
  });

  it('names nothing a total that is no counter, and every counter one', async () => {
    const metrics = createMetrics();
    metrics.counter('parcels_total', 'Parcels.')();
    const types = (await shown(metrics)).flatMap((line) => {
      const [, name = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
      return name === '' ? [] : [[name, type] as const];
    });
    expect(types.length).toBeGreaterThan(20);
    expect(types.filter(([name, type]) => name.endsWith('_total') !== (type === 'counter'))).toEqual([]);
  });

  it('does not wake the process to measure its event loop more than once a second', async () => {
    const program = `
      import { createMetrics } from ${JSON.stringify(new URL('../src/metrics.ts', import.meta.url).href)};
      createMetrics();
      setTimeout(() => {
        const before = performance.nodeTiming.uvMetricsInfo.loopCount;
        setTimeout(() => { process.exitCode = performance.nodeTiming.uvMetricsInfo.loopCount - before; }, 1_500);
      }, 200);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
    const [turns] = (await once(child, 'close')) as [number];
    expect(turns).toBeGreaterThan(0);
    expect(turns).toBeLessThan(20);
  });

  it('leaves out what cannot be read now, and shows it again afterwards', async () => {
    const metrics = createMetrics();
    let read = (): number | Promise<number> => 1;
    metrics.observe('waiting', 'Parcels that wait.', () => read());
    metrics.observe('arrived', 'Those that do not.', () => 2);
    const broken = [
      () => Promise.reject(new Error('away')),
      () => never,
      () => {
        throw new Error('broken');
      },
    ];
    for (const failure of broken) {
      read = () => 1;
      expect(await shown(metrics)).toEqual(expect.arrayContaining(['waiting 1', 'arrived 2']));
      read = failure;
      const lines = await shown(metrics);
      expect(lines).toContain('arrived 2');
      expect(lines.filter((line) => line.startsWith('waiting'))).toEqual([]);
    }
  });

  it('reads once for all who ask at the same moment', async () => {
    const metrics = createMetrics();
    const answer = Promise.withResolvers<number>();
    let reads = 0;
    metrics.observe('waiting', 'Parcels that wait.', () => {
      reads += 1;
      return answer.promise;
    });
    const url = await served(metrics);
    let arrived = 0;
    const arrive = (): void => void (arrived += 1);
    subscribe('http.server.request.start', arrive);
    const asked = Promise.all(Array.from({ length: 10 }, async () => (await fetch(url)).text()));
    await waitFor(() => arrived === 10);
    unsubscribe('http.server.request.start', arrive);
    answer.resolve(3);
    for (const page of await asked) expect(page).toContain('waiting 3');
    expect(reads).toBe(1);
  });

  it('shows what is read as a gauge, and as a counter where its name says so', async () => {
    const metrics = createMetrics();
    let built = 2;
    metrics.observe('things_built_total', 'Things built.', () => built, { kind: 'a' });
    metrics.observe('things', 'Things.', () => undefined);
    const url = await served(metrics);
    const page = async () => (await fetch(url)).text();
    expect(await page()).toContain('# TYPE things_built_total counter\nthings_built_total{kind="a"} 2\n');
    built = 5;
    expect(await page()).toContain('things_built_total{kind="a"} 5\n');
    expect(await page()).toMatch(/# TYPE things gauge\n(?!things )/);
  });

  it('shows each that is there now, and none that was there before or cannot be read', async () => {
    const metrics = createMetrics();
    let read = (): Promise<ReadonlyMap<string, number>> => Promise.resolve(new Map(Object.entries({ ann: 1, bob: 2 })));
    metrics.observeEach('parcels_waiting', 'Parcels that wait.', 'owner', () => read());
    const parcels = async () => (await shown(metrics)).filter((line) => line.startsWith('parcels_waiting'));
    expect(await parcels()).toEqual(['parcels_waiting{owner="ann"} 1', 'parcels_waiting{owner="bob"} 2']);
    read = () => Promise.resolve(new Map([['bob', 3]]));
    expect(await parcels()).toEqual(['parcels_waiting{owner="bob"} 3']);
    read = () => Promise.reject(new Error('away'));
    expect(await parcels()).toEqual([]);
  });

  it('says beside it whether the process is ready, whenever it is asked', async () => {
    let isReady = false;
    const page = await createMetrics().serve('127.0.0.1:0', () => ({ isReady, dependencies: { nats: false } }));
    pages.push(page);
    const status = async () => (await fetch(`http://${page.address}/readyz`)).status;
    expect(await status()).toBe(503);
    isReady = true;
    expect(await status()).toBe(200);
  });

  it('is one page and nothing else', async () => {
    const url = await served(createMetrics());
    for (const [path, method] of [
      ['', 'GET'],
      ['/metrics/x', 'GET'],
      ['/metrics', 'POST'],
    ]) {
      expect((await fetch(url.replace('/metrics', path ?? ''), { method: method ?? '' })).status).toBe(404);
    }
  });

  it('says in one sentence where it could not be served', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const taken = `127.0.0.1:${(holder.address() as AddressInfo).port}`;
    await expect(createMetrics().serve(taken)).rejects.toThrow(`Cannot serve metrics on ${taken}: listen EADDRINUSE`);
    holder.close();
  });

  itWhere(ipv6Lack, 'is served on IPv6 as well, and closed although somebody holds a connection', async () => {
    const page = await createMetrics().serve('[::1]:0');
    expect(page.address).toMatch(/^\[::1\]:[1-9]\d*$/);
    expect((await fetch(`http://${page.address}/metrics`)).status).toBe(200);
    await page.close();
    await expect(fetch(`http://${page.address}/metrics`)).rejects.toThrow('fetch failed');
  });
});
