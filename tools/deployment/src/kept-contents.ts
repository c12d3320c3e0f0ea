import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sendOne, type ApiEndpoint } from './container-load.ts';

/** Something that each store keeps: what is made, and where it is listed. */
const madeOf = (name: string) => [
  { path: '/client-groups/', body: { name } },
  { path: '/credits/purchases/', body: { credits: 42 } },
  { path: '/conventions/', body: { title: name, content: 'Everybody has thirty days.' } },
  { path: '/task-templates/', body: { name, instruction: 'Sum it up' } },
  { path: '/notebooks/', body: { name } },
];
const CSV = 'name,count\nÅsa,1\n';
const READY_WITHIN_MS = 120_000;

/** What the platform has of them, as it answers. */
export interface KeptContents {
  /** By path. */
  readonly lists: Readonly<Record<string, string>>;
  readonly balance: string;
  /** The bytes of a file. */
  readonly file: string;
}

/** Makes something of each kind, of this name. Answers the id of a dataset, whose file is there then. */
export async function makeContents(endpoint: ApiEndpoint, name: string): Promise<string> {
  for (const { path, body } of madeOf(name)) await ok(endpoint, 'POST', path, body);
  const body = { id: randomUUID(), name, format: 'CSV' };
  const upload = JSON.parse(await ok(endpoint, 'POST', '/datasets/upload/', body)) as {
    signed_url: string;
    dataset_id: string;
  };
  const put = await fetch(upload.signed_url, { method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: CSV });
  if (!put.ok) throw new Error(`the upload was answered with ${String(put.status)}`);
  await until(async () => (await ok(endpoint, 'GET', `/datasets/${upload.dataset_id}/`)).includes('"READY"'));
  await until(async () => !(await ok(endpoint, 'GET', '/credits/purchases/')).includes('"PENDING"'));
  return upload.dataset_id;
}

export async function readContents(endpoint: ApiEndpoint, datasetId: string): Promise<KeptContents> {
  const lists: Record<string, string> = {};
  for (const { path } of madeOf('')) lists[path] = withoutUsage(await ok(endpoint, 'GET', path));
  const { signed_url: url } = JSON.parse(await ok(endpoint, 'GET', `/datasets/${datasetId}/download/`)) as {
    signed_url: string;
  };
  const file = await fetch(url);
  if (!file.ok) throw new Error(`the download was answered with ${String(file.status)}`);
  return {
    lists,
    balance: await ok(endpoint, 'GET', '/credits/balance/'),
    file: Buffer.from(await file.arrayBuffer()).toString('base64'),
  };
}

/** Whoever asks is counted. */
const withoutUsage = (list: string): string =>
  JSON.stringify((JSON.parse(list) as { usage?: unknown }[]).map(({ usage: _usage, ...rest }) => rest));

/** Removes what is work and may be restored for one organisation, files included. */
export async function removeContents(endpoint: ApiEndpoint, datasetId: string): Promise<void> {
  for (const [path, slash] of [
    ['/conventions/', ''],
    ['/notebooks/', ''],
    ['/task-templates/', '/'],
  ] as const) {
    const made = JSON.parse(await ok(endpoint, 'GET', path)) as { id: string }[];
    for (const { id } of made) await ok(endpoint, 'DELETE', `${path}${id}${slash}`);
  }
  await ok(endpoint, 'DELETE', `/datasets/${datasetId}/`);
}

async function ok(endpoint: ApiEndpoint, method: string, path: string, body?: object): Promise<string> {
  const { result, text } = await sendOne({ ...endpoint, method, path, body });
  if (result !== 200) throw new Error(`${method} ${path} was answered with ${String(result)}: ${text}`);
  return text;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + READY_WITHIN_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('it was not ready in time');
    await delay(200);
  }
}
