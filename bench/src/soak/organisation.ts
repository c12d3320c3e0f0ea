import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** One person's requests in one organisation. */
export interface Person {
  readonly call: <Body>(method: string, path: string, body?: unknown) => Promise<Body>;
}

export interface Organisation {
  readonly people: readonly Person[];
  readonly assistant: string;
  readonly pipelineId: string;
  /** Undefined: it has none. */
  readonly notebookId: string | undefined;
}

interface Identified {
  readonly id: string;
}

interface Signing {
  readonly url: string;
  readonly token: (email: string, name: string) => Promise<string>;
}

/** What became of what was asked. */
export interface Tally {
  requests: number;
  /** Those that were not answered with a success, by status, method and route. */
  readonly failures: Map<string, number>;
}

const LIMIT_MS = 180_000;
/** What a busy platform answers, and is asked again after. */
const PASSING: ReadonlySet<number> = new Set([429, 503, 504]);
const ATTEMPTS = 10;

const ORDERS = [
  'id,region,amount',
  ...Array.from({ length: 200 }, (_, at) => `${at},${['north', 'south', 'west'][at % 3] ?? ''},${at * 1.25}`),
].join('\n');

const STEPS = [
  {
    name: 'revenue',
    config: {
      query: 'SELECT region, sum(amount) AS revenue FROM orders GROUP BY region ORDER BY region',
      input_datasets: ['orders'],
      output_datasets: ['revenue'],
    },
  },
];

const NOTEBOOK = {
  cells: [{ cell_type: 'code', id: 'a', source: 'print(6 * 7)', metadata: {}, outputs: [], execution_count: null }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
};

/** Somebody who signs in, and is told where anything fails. */
export async function signIn({ url, token }: Signing, email: string, tally: Tally): Promise<Person> {
  const bearer = await token(email, email.split('@', 1)[0] ?? email);
  return {
    async call<Body>(method: string, path: string, body?: unknown) {
      // The same for all attempts, so that what was done is not done again.
      const key = randomUUID();
      for (let attempt = 1; ; attempt += 1) {
        tally.requests += 1;
        const response = await fetch(new URL(path, url), {
          method,
          headers: {
            authorization: `Bearer ${bearer}`,
            ...(method === 'POST' && { 'idempotency-key': key }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        if (response.ok) {
          const isJson = response.headers.get('content-type')?.includes('json') === true;
          return (isJson ? JSON.parse(text) : text) as Body;
        }
        const what = `${response.status} ${method} ${path.replaceAll(/[\da-f-]{36}/g, ':id').replace(/\?.*/, '')}`;
        tally.failures.set(what, (tally.failures.get(what) ?? 0) + 1);
        if (!PASSING.has(response.status) || attempt === ATTEMPTS) throw new Error(`${what}: ${text.slice(0, 300)}`);
        await delay(Number(response.headers.get('retry-after') ?? 1) * 1_000);
      }
    },
  };
}

interface FoundingOptions {
  readonly name: string;
  readonly size: number;
  readonly hasNotebooks: boolean;
  readonly tally: Tally;
}

/** A new organisation with its people, credits, data, a pipeline on a schedule and a notebook. */
export async function foundOrganisation(
  platform: Signing,
  { name, size, hasNotebooks, tally }: FoundingOptions,
): Promise<Organisation> {
  const emailOf = (at: number): string => `${name}-${at}-${randomUUID()}@example.com`;
  const email = emailOf(0);
  const owner = await signIn(platform, email, tally);
  const body = { email, name, image_url: 'https://example.com/logo.png' };
  await owner.call('POST', '/organisations/', body);
  const people = [owner];
  for (let at = 1; at < size; at += 1) {
    const invited = { email: emailOf(at), permission_level: 'EDITOR' };
    const { id } = await owner.call<Identified>('POST', '/organisations/members/', invited);
    const person = await signIn(platform, invited.email, tally);
    await person.call('POST', `/invitations/${id}/accept/`);
    people.push(person);
  }
  await owner.call('POST', '/credits/purchases/', { credits: 1_000 });
  await until('the credits', async () => {
    const balance = await owner.call<{ available_micros: number }>('GET', '/credits/balance/');
    return balance.available_micros > 0;
  });
  const available = await owner.call<{ default: { name: string }[] }>('GET', '/assistants/available/');
  await upload(owner, 'datasets', 'orders', ORDERS, 'text/csv');
  const pipeline = { name: 'Revenue', steps: STEPS, cron_schedule: '* * * * *' };
  const { id: pipelineId } = await owner.call<Identified>('POST', '/pipelines/', pipeline);
  const notebook = hasNotebooks
    ? await owner.call<Identified>('POST', '/notebooks/', { name: 'Answers', content: NOTEBOOK })
    : undefined;
  return { people, assistant: available.default[0]?.name ?? '', pipelineId, notebookId: notebook?.id };
}

/** What the people of an organisation do in a day, one after the other. */
export async function liveADay(
  { people, assistant, pipelineId, notebookId }: Organisation,
  day: number,
): Promise<void> {
  const [owner] = people;
  if (!owner) return;
  await owner.call('POST', '/client-groups/', { name: `Clients of day ${day}`, description: 'Made by a soak' });
  await owner.call('POST', '/credits/purchases/', { credits: 100 });
  for (const [at, person] of people.entries()) {
    await person.call('GET', '/organisations/current/');
    await person.call('GET', '/client-groups/?limit=20');
    const words = `Day ${day} of person ${at}. Journeys by train are booked in second class up to ${day + at} hours.`;
    await upload(person, 'documents', `rules-${day}-${at}.txt`, `${words}\n`.repeat(40), 'text/plain');
    for (const query of ['second class', 'journeys', 'hours of leave'])
      await person.call('POST', '/search/', { query, limit: 5 });
    const asked = { assistant_name: assistant, new_message: 'In which class are journeys booked?' };
    const turn = await person.call<{ conversation_id: string }>('POST', '/agents/submit-to-assistant/', asked);
    await person.call('GET', `/messages/?conversation_id=${turn.conversation_id}`);
  }
  await owner.call('GET', '/credits/balance/');
  const { id: runId } = await owner.call<Identified>('POST', `/pipelines/${pipelineId}/runs/`, {});
  await until('a run', async () => {
    const { status } = await owner.call<{ status: string }>('GET', `/pipelines/${pipelineId}/runs/${runId}/`);
    return ['Succeeded', 'Failed', 'Error', 'Cancelled'].includes(status);
  });
  if (notebookId !== undefined) {
    const runs = `/notebooks/${notebookId}/runs/`;
    const { id } = await owner.call<Identified>('POST', runs, {});
    await until('a run of a notebook', async () => {
      const { status } = await owner.call<{ status: string }>('GET', `${runs}${id}`);
      return ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(status);
    });
  }
  await owner.call('GET', '/invoices/');
  await owner.call('GET', '/usage/?group_by=hour');
  await owner.call('GET', '/audit-log/?limit=20');
}

/** Goes to the address that the platform signs for it, and is waited for until it has been read. */
async function upload(person: Person, kind: 'documents' | 'datasets', name: string, text: string, type: string) {
  const isDataset = kind === 'datasets';
  const body = { id: randomUUID(), name, ...(isDataset && { format: 'CSV' }) };
  const { signed_url: url } = await person.call<{ signed_url: string }>('POST', `/${kind}/upload/`, body);
  const put = await fetch(url, { method: 'PUT', headers: { 'content-type': type }, body: text });
  if (!put.ok) throw new Error(`the upload was answered with ${put.status}`);
  if (!isDataset) await person.call('POST', `/documents/${body.id}/complete/`);
  await until(`the reading of ${name}`, async () => {
    const found = await person.call<{ status?: string; upload?: { status: string } | null }>(
      'GET',
      `/${kind}/${body.id}/`,
    );
    return ['READY', 'FAILED'].includes((isDataset ? found.upload?.status : found.status) ?? '');
  });
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await delay(250);
  }
}
