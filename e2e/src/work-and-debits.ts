import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repetitions, waitFor } from '@platform-backend/testing';
import { leaveOut } from '@platform-backend/testing/where';
import { execFile } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Answer, RequestParts } from './http.ts';
import { send } from './http.ts';
import { kernelsForOneLack } from './kernels-here.ts';
import type { OwnPlatform } from './own-platform.ts';
import { expectOk, join, newOrganisation, newPerson, type Person } from './people.ts';
import { processOf } from './platform-process.ts';
import type { RunningPlatform } from './platform.ts';
import { listenTo } from './published-events.ts';
import { recordingForm, silence } from './recording.ts';
import type { ClientGroup, CreatedApiKey, CreditBalance, CreditTransaction } from './resources.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** `WORK_PIECES=10000 npm test -- e2e/test/own-platform.test.ts` for as many as one likes. */
const PIECES = Number(process.env['WORK_PIECES'] ?? repetitions({ usual: 20, long: 1_000 }));
/** One of all services is killed after each so many pieces: in the usual form some of them, others each time. */
const PIECES_BETWEEN_KILLS = repetitions({ usual: 6, long: 8 });
const AT_ONCE = 4;
/** A kill and its restart included, on a machine that does other things as well. */
const MAX_MS_PER_PIECE = 15_000;

const SERVICES = ['identity', 'billing', 'content', 'pipelines', 'notebooks', 'gateway'] as const;
const FIRST_KILLED = randomInt(SERVICES.length);
const KERNELS = '/notebooks/services/session/api/kernels';
/** As `npm start` has them. */
const [MICROS_PER_STEP_SECOND, MICROS_PER_KERNEL_MINUTE, MICROS_PER_SECOND_OF_SPEECH] = [1_000, 10_000, 1_000];
const GROUPINGS = ['day', 'hour', 'client_group', 'api_key', 'member'] as const;

const lack = await kernelsForOneLack();

/** In micros, which are whole numbers below 2^53 here. */
type Usage = { key: string | null; ai_credits_micros: number; infrastructure_credits_micros: number };
type Debit = CreditTransaction & { purpose: string; work_id: string; debit_id: string };
type Message = { id: string; conversation_id: string; annotations: { usage?: { credits_micros?: number } } | null };
type Run = { id: string; status: string; workflow_metadata: { steps: { seconds: number }[] } };
type Transcription = { id: string; duration_seconds: number };
type AuditEntry = { target_id: string; after: { amount_micros?: string } | null };
type Caller = (method: string, path: string, parts?: RequestParts) => Promise<Answer>;

/** What is behind `npm run debits` and `npm run events`, of this platform; what it prints, line by line. */
const COMMANDS = { debits: 'tools/debits/src/main.ts', events: 'tools/dev/src/events.ts' } as const;
async function run(
  { facts }: RunningPlatform,
  command: keyof typeof COMMANDS,
  ...words: readonly string[]
): Promise<Record<string, unknown>[]> {
  const env = { ...process.env, PLATFORM_HOME: facts.home };
  const { stdout } = await promisify(execFile)(process.execPath, [COMMANDS[command], ...words], { cwd: ROOT, env });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Kills every service again and again, so the platform must be nobody else's. */
export const describeWorkAndDebits = (tried: () => OwnPlatform): void =>
  describe('work of all services while they are killed', () => {
    let platform: RunningPlatform;
    let ada: Person;
    const callers: Caller[] = [];
    let pipelineId = '';
    let organisationId = '';
    const kills: string[] = [];
    /** What was published about debits, by their ids: by the service that did the work, and by billing. */
    const owed = new Map<string, string>();
    const told = new Map<string, string>();
    const listeners: (() => Promise<void>)[] = [];
    let recognises = false;

    beforeAll(async () => {
      const { nats } = tried();
      ({ platform } = tried());
      ada = await newPerson(platform.facts, 'Ada');
      const organisation = await newOrganisation(ada, 'Sums Ltd');
      organisationId = organisation.id;
      const bob = await newPerson(platform.facts, 'Bob');
      await join(ada, organisation, bob, 'EDITOR');
      expectOk(await ada.call('POST', '/credits/purchases/', { body: { credits: 1_000 } }));
      const { id: groupId } = expectOk(
        await ada.call<ClientGroup>('POST', '/client-groups/', { body: { name: 'North' } }),
      );
      const { api_key: apiKey } = expectOk(
        await ada.call<CreatedApiKey>('POST', '/api-keys/', {
          body: { name: 'Importer', client_group_id: groupId, scopes: ['*:write'] },
        }),
      );
      callers.push(
        ...[{ token: ada.token }, { token: bob.token }, { apiKey }].map(
          (credential): Caller =>
            (method, path, parts) =>
              send(platform.facts.url, method, path, { ...credential, ...parts }),
        ),
      );
      for (const [events, on] of [
        [owed, 'platform.v1.*.debit.created'],
        [told, 'platform.v1.billing.credits.debited'],
      ] as const)
        listeners.push(
          await listenTo(nats.url, on, ({ data }) =>
            events.set(String(data['debit_id']), String(data['amount_micros'])),
          ),
        );
      recognises = (await ada.call('POST', '/inference/transcribe', recordingForm('audio', silence()))).status !== 503;
      if (!recognises) leaveOut('no recogniser of speech is installed: work of all services has no transcriptions');
      const steps = [
        { name: 'one', config: { job_type: 'INGEST', query: 'SELECT 42 AS answer', output_datasets: ['made'] } },
      ];
      ({ id: pipelineId } = expectOk(
        await ada.call<{ id: string }>('POST', '/pipelines/', { body: { name: 'answer', steps } }),
      ));
    });
    afterAll(async () => {
      for (const close of listeners) await close();
    });

    type Piece = (call: Caller, headers: Record<string, string>) => Promise<Answer>;
    const transcribe: Piece = (call, headers) => {
      const form = recordingForm('audio', silence());
      return call('POST', '/inference/transcribe', { ...form, headers: { ...form.headers, ...headers } });
    };
    const otherPieces: readonly Piece[] = [
      (call, headers) =>
        call('POST', '/agents/submit-to-assistant/', {
          headers,
          body: { assistant_name: 'general', new_message: `What is ${String(randomInt(1_000))}?` },
        }),
      (call, headers) => call('POST', `/pipelines/${pipelineId}/runs/`, { headers, body: {} }),
      (call) => call('POST', '/datasets/query/', { body: { query: 'SELECT 1' } }),
      (call) => call('POST', '/search/', { body: { query: 'answers' } }),
      ...(lack === undefined
        ? [
            async (call: Caller, headers: Record<string, string>) => {
              const answer = await call('POST', KERNELS, { headers, body: {} });
              if (answer.status < 300) await call('DELETE', `${KERNELS}/${(answer.body as { id: string }).id}`);
              return answer;
            },
          ]
        : []),
    ];

    /** Whether a service has answered: a connection that breaks off is what a killed gateway leaves. */
    async function work(): Promise<boolean> {
      const pieces = recognises ? [...otherPieces, transcribe] : otherPieces;
      const piece = pieces[randomInt(pieces.length)];
      const call = callers[randomInt(callers.length)];
      if (!piece || !call) return false;
      const headers = { 'Idempotency-Key': randomUUID() };
      const answer = await piece(call, headers).catch(() => undefined);
      // As a client does that has not heard.
      if (randomInt(4) === 0) await piece(call, headers).catch(() => undefined);
      return answer !== undefined && answer.status < 500;
    }

    const isReady = () =>
      waitFor(async () => (await send(platform.facts.url, 'GET', '/readyz').catch(() => undefined))?.status === 200, {
        what: 'the platform to be ready again',
      });

    async function all<Item>(path: string, call: Caller = (...request) => ada.call(...request)): Promise<Item[]> {
      const items: Item[] = [];
      let next: string | undefined = '';
      while (next !== undefined) {
        const page = (await call('GET', `${path}&limit=100${next}`)) as Answer<Item[]>;
        items.push(...expectOk(page));
        const { 'x-next-cursor': cursor } = page.headers;
        next = cursor === undefined ? undefined : `&cursor=${encodeURIComponent(cursor)}`;
      }
      return items;
    }

    const balance = async () =>
      expectOk(await ada.call<CreditBalance & { reserved_micros: number }>('GET', '/credits/balance/'));

    const spent = (rows: readonly Usage[]) => ({
      ai: rows.reduce((sum, row) => sum + row.ai_credits_micros, 0),
      infrastructure: rows.reduce((sum, row) => sum + row.infrastructure_credits_micros, 0),
    });

    it(
      'is paid for once each: usage of all kinds, balance, ledger, messages, runs, kernels, transcriptions, audit log, events and export agree to the micro',
      async () => {
        let done = 0;
        let next = PIECES_BETWEEN_KILLS;
        const oneAfterTheOther = async () => {
          while (done < PIECES) {
            if (done >= next) {
              next += PIECES_BETWEEN_KILLS;
              await isReady();
              const service = SERVICES[(FIRST_KILLED + kills.length) % SERVICES.length] ?? 'billing';
              kills.push(service);
              process.kill(processOf(platform.facts, service), 'SIGKILL');
            }
            // What is refused while a service is down is refused at once, and is no work: others are there for another piece.
            if (await work()) done += 1;
            else await setTimeout(100);
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, oneAfterTheOther));
        await isReady();

        await waitFor(
          async () => {
            const runs = await all<Run>(`/pipelines/${pipelineId}/runs/?order=asc`);
            return runs.every(({ status }) => ['Succeeded', 'Failed', 'Error', 'Cancelled'].includes(status));
          },
          { what: 'the end of all runs' },
        );
        await waitFor(async () => (await all<Message>('/messages/?is_finished=false')).length === 0, {
          what: 'the end of all answers',
        });
        if (lack === undefined) {
          for (const { id } of expectOk(await ada.call<{ id: string }[]>('GET', KERNELS)))
            await ada.call('DELETE', `${KERNELS}/${id}`);
        }
        await waitFor(async () => (await balance()).reserved_micros === 0, {
          what: 'what nobody holds any more to be back',
        });
        const until = new Date(Date.now() + 3_600_000).toISOString();
        let differences: readonly Record<string, unknown>[] = [];
        // Each look is a process.
        const between = { interval: 2_000 };
        await waitFor(async () => {
          differences = await run(platform, 'debits', '--organisation', organisationId, '--until', until);
          return differences.length === 1;
        }, between).catch(() => undefined);
        // Says which do not.
        expect(differences).toMatchObject([{ organisations: 1, differences: 0 }]);

        const [byDay, ...others] = await Promise.all(
          GROUPINGS.map(async (groupBy) => spent(await all<Usage>(`/usage/?group_by=${groupBy}`))),
        );
        for (const other of others) expect(other).toEqual(byDay);
        const ledger = await all<Debit>('/credits/transactions/?include_total=false');
        const debits = ledger
          .filter(({ kind }) => kind === 'DEBIT')
          .map((one) => ({ ...one, micros: -one.available_change_micros - one.reserved_change_micros }));
        const booked = debits.reduce((sum, { micros }) => sum + micros, 0);
        expect(booked).toBe((byDay?.ai ?? 0) + (byDay?.infrastructure ?? 0));
        expect((await balance()).available_micros).toBe(
          ledger.reduce((sum, { available_change_micros: change }) => sum + change, 0),
        );
        const messages = await all<Message>('/messages/?sender_type=ASSISTANT');
        // Each is shown to whoever had it made.
        const transcriptions = new Map<string, number>();
        for (const call of callers) {
          for (const { id, duration_seconds: seconds } of await all<Transcription>('/transcriptions/?order=desc', call))
            transcriptions.set(id, seconds);
        }
        const spoken = [...transcriptions].map(
          ([id, seconds]) => [id, Math.ceil(seconds) * MICROS_PER_SECOND_OF_SPEECH] as const,
        );
        expect(byDay?.ai).toBe(
          messages.reduce((sum, { annotations }) => sum + (annotations?.usage?.credits_micros ?? 0), 0) +
            spoken.reduce((sum, [, micros]) => sum + micros, 0),
        );
        const ofSpeech = debits.filter(({ purpose }) => purpose === 'transcription');
        expect(new Map(ofSpeech.map(({ work_id: id, micros }) => [id, micros]))).toEqual(new Map(spoken));

        const byDebit = new Map(debits.map(({ debit_id: id, micros }) => [id, String(micros)]));
        await waitFor(() => Promise.resolve(told.size === byDebit.size && owed.size === byDebit.size), {
          what: 'the events about all debits',
        });
        expect(told).toEqual(byDebit);
        expect(owed).toEqual(byDebit);
        const audit = (action: string) => all<AuditEntry>(`/audit-log/?action=${action}`);
        await waitFor(async () => (await audit('transcription.finished')).length === spoken.length, {
          what: 'the audit log to know every transcription',
        });
        expect((await audit('transcription.finished')).map(({ target_id: id }) => id).toSorted()).toEqual(
          [...transcriptions.keys()].toSorted(),
        );
        const bought = ledger.filter(({ kind }) => kind === 'PURCHASE');
        const granted = await audit('credits.granted');
        expect(granted.reduce((sum, { after }) => sum + Number(after?.amount_micros ?? 0), 0)).toBe(
          bought.reduce((sum, { available_change_micros: change }) => sum + change, 0),
        );
        const exported = await ada.call('GET', '/credits/transactions/export/?format=jsonl&kind=DEBIT');
        const rows = exported.text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Debit);
        expect(
          new Map(rows.map((row) => [row.debit_id, String(-row.available_change_micros - row.reserved_change_micros)])),
        ).toEqual(byDebit);
        const runs = await all<Run>(`/pipelines/${pipelineId}/runs/?order=asc`);
        const costs = runs.map(({ id, workflow_metadata: { steps } }) => {
          const seconds = Math.ceil(steps.reduce((sum, step) => sum + step.seconds, 0));
          return [id, seconds * MICROS_PER_STEP_SECOND] as const;
        });
        const ofRuns = debits.filter(({ purpose }) => purpose === 'pipeline_run');
        expect(Object.fromEntries(ofRuns.map(({ work_id: id, micros }) => [id, micros]))).toEqual(
          Object.fromEntries(costs.filter(([, cost]) => cost > 0)),
        );
        const ofKernels = debits.filter(({ purpose }) => purpose === 'kernel_minute');
        expect(ofKernels.filter(({ micros }) => micros !== MICROS_PER_KERNEL_MINUTE)).toEqual([]);
        expect(differences).toMatchObject([{ organisations: 1, debits: debits.length, differences: 0 }]);
        const lags = await Promise.all(
          ['billing', 'content', 'pipelines', 'notebooks'].map((service) => run(platform, 'events', service, 'lag')),
        );
        expect(lags.flat().filter(({ deadLetters = 0 }) => deadLetters !== 0)).toEqual([]);
        // What is deleted is a debit without work from then on, which the command finds.
        const deleted = messages.find(({ annotations }) => (annotations?.usage?.credits_micros ?? 0) > 0);
        if (deleted === undefined) throw new Error(`none of ${String(messages.length)} answers has cost anything`);
        // Only whoever asked may delete it.
        const answers = [];
        for (const call of callers) answers.push(await call('DELETE', `/conversations/${deleted.conversation_id}/`));
        expect(answers).toContainEqual(expect.objectContaining({ status: 200 }));
        await waitFor(
          async () => {
            const [first] = await run(platform, 'debits', '--organisation', organisationId, '--until', until);
            return first?.['difference'] === 'no_work' && first['workId'] === deleted.id;
          },
          { what: 'the debit without work', ...between },
        );
        expect(booked).toBeGreaterThan(0);
        expect(new Set(kills).size).toBe(Math.min(SERVICES.length, Math.floor(PIECES / PIECES_BETWEEN_KILLS)));
      },
      900_000 + PIECES * MAX_MS_PER_PIECE,
    );
  });
