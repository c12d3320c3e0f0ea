import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { itWhere, leaveOut, type Lack } from '@platform-backend/testing/where';
import { randomUUID } from 'node:crypto';
import { uploadDataset } from '../src/datasets.ts';
import { bodyChecks, type DescribedAnswers } from '../src/documented-answers.ts';
import { send, type Answer, type RequestParts } from '../src/http.ts';
import { kernelsForOneLack } from '../src/kernels-here.ts';
import { expectOk, newCustomer, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import { silence } from '../src/recording.ts';

const platform = sharedPlatform();
const kernelLack = await kernelsForOneLack();

type Made = { readonly id: string };
type Link = { readonly operationId: string; readonly parameters: Readonly<Record<string, string>> };

/** An operation with links, from the answer that leads on. */
interface Leading {
  readonly path: string;
  readonly status: number;
  readonly links: readonly Link[];
}

let ada: Person;
let document: DescribedAnswers & { paths: Record<string, Record<string, { operationId?: string }>> };
let misfitOf: ReturnType<typeof bodyChecks>;
beforeAll(async () => {
  ada = await newCustomer(platform, 'Ada');
  document = expectOk(await send<typeof document>(platform.url, 'GET', '/openapi.json'));
  misfitOf = bodyChecks(document);
});

const leading = (): Leading[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item['post']?.responses ?? {}).flatMap(([status, answer]) => {
      const { links } = answer as { links?: Record<string, Link> };
      return links ? [{ path, status: Number(status), links: Object.values(links) }] : [];
    }),
  );

/** Programs of pipelines are checked in a kernel, and the first one of a platform may still be starting. */
const made = (path: string, body: object): Promise<string> =>
  waitFor(
    async () => {
      const answer = await ada.call<Made>('POST', path, { body });
      return answer.status === 503 ? undefined : expectOk(answer).id;
    },
    { what: `POST ${path}` },
  );
const steps = [
  { name: 'all', config: { query: 'SELECT * FROM leads', input_datasets: ['leads'], output_datasets: ['all'] } },
];
const parameters = [{ name: 'day', type: 'DATE', default_value: '2026-07-01' }];
let ofSteps: Promise<string> | undefined;
/** One for all that has its place below a pipeline. */
const pipeline = (): Promise<string> => (ofSteps ??= newPipeline());
const newPipeline = async (): Promise<string> => {
  await uploadDataset(ada, 'leads', 'region,amount\nnorth,1\n');
  return made('/pipelines/', { name: 'Sales', steps, parameters });
};
const connection = { name: 'API', settings: { kind: 'HTTP', base_url: 'https://api.example.com/' } };
const form =
  '--b\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nassistants\r\n' +
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nThirty days.\r\n--b--\r\n';

type Request = RequestParts & { readonly in?: Readonly<Record<string, string>> };

/** A request of each operation that leads on, with what its path names. */
const requests: Readonly<Record<string, () => Request | Promise<Request>>> = {
  '/credits/purchases/': () => ({ body: { credits: 100 } }),
  '/meters/': () => ({ body: { slug: 'calls', event_type: 'calls.made', aggregation: 'COUNT' } }),
  '/api-keys/': () => ({ body: { name: 'CI' } }),
  '/client-groups/': () => ({ body: { name: 'Legal' } }),
  '/organisations/members/': () => ({ body: { email: 'grace@example.com', permission_level: 'VIEWER' } }),
  '/assistants/': () => ({ body: { name: 'Advisor' } }),
  '/conventions/': () => ({ body: { title: 'Money', content: 'Sums are in euros.' } }),
  '/document-imports/': () => ({ body: { items: [{ url: 'https://files.example.com/holidays.pdf' }] } }),
  '/v1/files': () => ({
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: Buffer.from(form),
  }),
  '/tool-servers/': () => ({ body: { name: 'crm', url: 'https://mcp.example.com/mcp' } }),
  '/reports/': () => ({ body: { title: 'Quarter', markdown: 'Good.' } }),
  '/notebooks/': () => ({ body: { name: 'Sales' } }),
  '/connections/': () => ({ body: connection }),
  '/datasets/': async () => {
    const source = { kind: 'HTTP', path: 'orders', format: 'CSV' };
    const connection_id = await made('/connections/', { ...connection, name: 'Orders' });
    return { body: { id: randomUUID(), name: 'orders', source: { ...source, connection_id } } };
  },
  '/task-templates/': () => ({ body: { name: 'Task', instruction: 'Say how it is.' } }),
  '/pipelines/': () => ({ body: { name: 'Empty' } }),
  '/pipelines/{pipeline_id}/versions/': async () => ({
    in: { pipeline_id: await pipeline() },
    body: { steps, parameters },
  }),
  '/pipelines/{pipeline_id}/runs/': async () => ({ in: { pipeline_id: await pipeline() }, body: {} }),
  '/pipelines/{pipeline_id}/backfills/': async () => ({
    in: { pipeline_id: await pipeline() },
    body: { parameter: 'day', values: ['2026-07-01'] },
  }),
  '/webhooks/': () => ({ body: { url: 'https://hooks.example.com/' } }),
};
const ofKernels: typeof requests = {
  '/notebooks/services/session/api/kernels': () => ({ body: {} }),
  '/notebooks/services/session/api/sessions': () => ({
    body: { path: 'Sales.ipynb', name: 'Sales.ipynb', type: 'notebook', kernel: { name: 'python3' } },
  }),
  '/notebooks/{notebook_id}/runs/': async () => ({
    in: { notebook_id: await made('/notebooks/', { name: 'Run' }) },
    body: {},
  }),
};
/** Recordings are heard by programs that are optional. */
const ofRecognisers: typeof requests = {
  '/transcription-jobs/': async () => {
    const body = { id: randomUUID(), name: 'meeting.txt' };
    const { document_id, signed_url, content_type } = expectOk(
      await ada.call<{ document_id: string; signed_url: string; content_type: string }>('POST', '/documents/upload/', {
        body,
      }),
    );
    const headers = { 'content-type': content_type };
    expect((await fetch(signed_url, { method: 'PUT', headers, body: new Uint8Array(silence()) })).status).toBe(200);
    return { body: { document_id } };
  },
};

const filled = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));

/** What a runtime expression of OpenAPI is: a part of the request's path, or of the answer's body. */
function valueOf(expression: string, path: Readonly<Record<string, string>>, { body }: Answer): string {
  const [, ofPath, ofBody] = /^(?:\$request\.path\.(\w+)|\$response\.body#\/(\w+))$/.exec(expression) ?? [];
  if (ofPath !== undefined) return path[ofPath] ?? '';
  if (ofBody === undefined) throw new Error(`${expression} is no expression that is known here`);
  return (body as Readonly<Record<string, string>>)[ofBody] ?? '';
}

describe('links of the document', () => {
  it('are followed here from every operation that has some', () => {
    const known = [...Object.keys(requests), ...Object.keys(ofKernels), ...Object.keys(ofRecognisers)];
    expect(
      leading()
        .map(({ path }) => path)
        .sort(),
    ).toEqual(known.sort());
  });

  const leadsOn = (path: string, request: (typeof requests)[string], lack: Lack): void =>
    itWhere(lack, `POST ${path} leads to what it has made`, async () => {
      const { in: given = {}, ...parts } = await request();
      const { status, links } = leading().find((one) => one.path === path) as Leading;
      const answer = await ada.call<Made>('POST', filled(path, given), parts);
      if (answer.status === 503 && answer.text.includes('transcription_not_installed')) {
        leaveOut('no recogniser of speech is installed: the link of a transcription job is not followed');
        return;
      }
      expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
      expect(misfitOf({ verb: 'POST', path }, answer)).toBeUndefined();
      expect(links.length).toBeGreaterThan(0);
      for (const { operationId, parameters } of links) {
        const targets = Object.entries(document.paths).filter(([, item]) => item['get']?.operationId === operationId);
        expect(targets).toHaveLength(1);
        const [target = ''] = targets[0] ?? [];
        const values = Object.entries(parameters).map(([name, expression]) => [
          name,
          valueOf(expression, given, answer),
        ]);
        const found = await ada.call<Made>('GET', filled(target, Object.fromEntries(values) as Record<string, string>));
        expect([found.status, found.body]).toEqual([200, expect.objectContaining({ id: answer.body.id })]);
        expect(misfitOf({ verb: 'GET', path: target }, found)).toBeUndefined();
      }
    });
  for (const [path, request] of Object.entries(requests)) leadsOn(path, request, undefined);
  for (const [path, request] of Object.entries(ofKernels)) leadsOn(path, request, kernelLack);
  for (const [path, request] of Object.entries(ofRecognisers)) leadsOn(path, request, undefined);
});
