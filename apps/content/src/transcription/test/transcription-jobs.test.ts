import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { creditLedger, debitsOf, type CreditLedger } from '@platform-backend/contract-billing/client/testing';
import type { TranscriptionJob } from '@platform-backend/contract-content';
import { newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { actingAs } from '../../../test/conversation-under-test.ts';
import { startCrashTestContent } from '../../../test/crash-test-content.ts';
import { documentClient } from '../../../test/document-client.ts';
import { openAiDouble, type ApiAnswer, type OpenAiDouble } from '../../../test/openai-double.ts';
import { keys, startTestContent, type TestContent } from '../../../test/test-content.ts';
import { tooManyTranscriptionJobs } from '../domain/errors.ts';
import { createJob } from '../domain/transcription-job.ts';
import { transcriptionJobsStore } from '../store/transcription-jobs-store.ts';
import { transcriptionsStore } from '../store/transcriptions-store.ts';
import { noFfmpeg } from './spoken.ts';

type By = ReturnType<typeof member>;

/** A sound as a WAV file of few bytes: 1,000 samples a second, of 8 bits. */
function sound(seconds: number): Buffer {
  const samples = Buffer.from(Array.from({ length: seconds * 1000 }, (_, at) => 128 + (at % 5) * 20));
  const header = Buffer.from('524946460000000057415645666d74201000000001000100e8030000e80300000100080064617461', 'hex');
  const size = Buffer.alloc(4);
  size.writeUInt32LE(samples.length);
  header.writeUInt32LE(36 + samples.length, 4);
  return Buffer.concat([header, size, samples]);
}

const heard = (count: number): ApiAnswer => ({
  body: { text: `Part ${count}.`, language: 'english', segments: [{ start: 1, end: 2, text: `Part ${count}.` }] },
});

describeWhere(noFfmpeg, 'transcription jobs', () => {
  /** Longer than what is worked on in one turn. */
  const long = sound(320);
  const short = sound(3);
  let answer: (count: number) => ApiAnswer | Promise<ApiAnswer> = heard;
  let count = 0;
  let api: OpenAiDouble;
  let ledger: CreditLedger;
  let content: TestContent;
  beforeAll(async () => {
    ledger = await creditLedger(keys);
    api = await openAiDouble(() => answer((count += 1)));
    const environment = {
      ...{ BILLING_ADDRESS: ledger.address, TRANSCRIPTION_BASE_URL: api.baseUrl },
      ...{ TRANSCRIPTION_JOB_MAX_SECONDS: '400', TRANSCRIPTION_JOB_LEASE_SECONDS: '3' },
      // A recording is heard as it was uploaded: nobody has to have read it as a document.
      CONTENT_DOCUMENT_WORKERS: '0',
    };
    content = await startTestContent({ idle: true, environment });
  });
  beforeEach(() => {
    answer = heard;
    count = 0;
  });
  afterAll(async () => {
    await content.stop();
    await Promise.all([api.close(), ledger.close()]);
  });

  const upload = (by: By, bytes: Uint8Array | string) =>
    documentClient(content).upload(by, { name: 'meeting.txt', text: bytes });
  const begin = async (by: By, bytes: Uint8Array | string) =>
    content.transcriptions.createTranscriptionJob({ documentId: await upload(by, bytes) }, by);
  const until = async (job: TranscriptionJob, by: By, isReached: (job: TranscriptionJob) => boolean) => {
    let now = job;
    await waitFor(
      async () => isReached((now = await content.transcriptions.getTranscriptionJob({ jobId: job.id }, by))),
      {
        what: 'the job',
      },
    );
    return now;
  };
  const isOver = ({ finishedAt }: TranscriptionJob) => finishedAt !== null;
  const debits = (by: By) => debitsOf(content, by.caller.organisationId ?? '');
  const subtitles = async (transcriptionId: string, by: By) => {
    const pieces: Uint8Array[] = [];
    for await (const { chunk } of content.transcriptions.downloadTranscription({ transcriptionId, format: 'srt' }, by))
      pieces.push(chunk);
    return Buffer.concat(pieces).toString();
  };

  it('transcribe hours part by part, with the times of the whole, and are paid once', async () => {
    const by = member(newOrganisation(), 'EDITOR');
    const made = await begin(by, long);
    expect(made).toMatchObject({ status: 'QUEUED', percent: 0, transcriptionId: '', filename: 'meeting.txt' });
    const job = await until(made, by, isOver);
    expect(job).toMatchObject({ status: 'SUCCEEDED', percent: 100, failure: null });
    expect(job.durationSeconds).toBeCloseTo(320, 0);
    expect(job.transcribedSeconds).toBe(job.durationSeconds);
    const { transcriptionId } = job;
    const transcription = await content.transcriptions.getTranscription({ transcriptionId }, by);
    expect(transcription).toMatchObject({
      language: 'en',
      durationSeconds: Math.round((job.durationSeconds ?? 0) * 1000) / 1000,
    });
    expect(transcription.text).toBe(Array.from({ length: count }, (_, part) => `Part ${part + 1}.`).join(' '));
    const starts = transcription.segments.map(({ start }) => start);
    expect(starts).toHaveLength(count);
    expect(count).toBe(3);
    expect(starts).toEqual(starts.toSorted((one, other) => one - other));
    expect(starts.at(-1)).toBeGreaterThan(200);
    expect(await subtitles(transcriptionId, by)).toMatch(/^1\n00:00:01,000 --> 00:00:02,000\nPart 1\.\n\n2\n00:0[12]:/);
    expect(await debits(by)).toMatchObject([
      {
        amount_micros: String(Math.ceil(job.durationSeconds ?? 0) * 1000),
        work_id: transcriptionId,
        purpose: 'transcription',
      },
    ]);
    expect(ledger.heldBy(by.caller.organisationId ?? '')).toHaveLength(1);
    const list = async (status?: 'SUCCEEDED' | 'FAILED') =>
      (await content.transcriptions.listTranscriptionJobs({ ...(status && { status: [status] }) }, by)).jobs;
    expect(await list()).toEqual([job]);
    expect(await list('FAILED')).toEqual([]);
  });

  it('fail for what is no sound or too long, and cost nothing then', async () => {
    const by = member(newOrganisation(), 'EDITOR');
    const text = await until(await begin(by, 'A letter and no sound.'), by, isOver);
    expect(text).toMatchObject({ status: 'FAILED', failure: { code: 'unsupported_media' }, transcriptionId: '' });
    expect(await until(await begin(by, sound(500)), by, isOver)).toMatchObject({
      status: 'FAILED',
      failure: { code: 'too_large' },
    });
    answer = () => ({ status: 400, body: { error: { message: 'no' } } });
    expect(await until(await begin(by, short), by, isOver)).toMatchObject({
      status: 'FAILED',
      failure: { code: 'recording_refused' },
    });
    answer = () => ({ status: 401, body: { error: { message: 'no' } } });
    const refused = await begin(by, short);
    await until(refused, by, ({ status, durationSeconds }) => status === 'QUEUED' && durationSeconds !== null);
    expect(await content.transcriptions.cancelTranscriptionJob({ jobId: refused.id }, by)).toMatchObject({
      ...{ status: 'CANCELLED', transcriptionId: '' },
    });
    expect(await debits(by)).toEqual([]);
    expect(ledger.heldBy(by.caller.organisationId ?? '')).toEqual([]);
    const documentId = await upload(by, short);
    ledger.useUp(by.caller.organisationId ?? '');
    const poor = refusalOf(content.transcriptions.createTranscriptionJob({ documentId }, by));
    expect(await poor).toMatchObject({ kind: 'payment_required' });
    const missing = content.transcriptions.createTranscriptionJob({ documentId: newId() }, by);
    expect(await refusalOf(missing)).toMatchObject({ code: 'document_not_found' });
    // Which would hear what it may not read.
    const key = { ...by.caller, kind: 'api_key', apiKeyId: newId(), scopes: ['transcription:write'] } as const;
    const deaf = content.transcriptions.createTranscriptionJob({ documentId }, { ...by, caller: key });
    expect(await refusalOf(deaf)).toMatchObject({ code: 'scope_required' });
  });

  it('keep what was transcribed when they are cancelled, and cost that', async () => {
    const by = member(newOrganisation(), 'EDITOR');
    const stalled = Promise.withResolvers<ApiAnswer>();
    answer = (part) => (part > 1 ? stalled.promise : heard(part));
    const job = await begin(by, long);
    await until(job, by, ({ percent, status }) => status === 'RUNNING' && percent > 20);
    const cancelled = await content.transcriptions.cancelTranscriptionJob({ jobId: job.id }, by);
    expect(cancelled).toMatchObject({ status: 'CANCELLED' });
    stalled.resolve(heard(2));
    expect(await content.transcriptions.cancelTranscriptionJob({ jobId: job.id }, by)).toEqual(cancelled);
    const { transcriptionId } = cancelled;
    expect(await content.transcriptions.getTranscription({ transcriptionId }, by)).toMatchObject({
      text: 'Part 1.',
    });
    const owed = String(Math.ceil(cancelled.transcribedSeconds) * 1000);
    expect(await debits(by)).toMatchObject([{ amount_micros: owed }]);
  });

  it('are seen by those who made them and by ADMIN, and organisations take turns', async () => {
    const organisationId = newOrganisation();
    const [ada, bob] = [member(organisationId, 'EDITOR'), member(organisationId, 'EDITOR')];
    const stranger = member(newOrganisation(), 'OWNER');
    const [first, second] = [await begin(ada, long), await begin(ada, long)];
    const other = await begin(stranger, short);
    await until(other, stranger, isOver);
    expect(isOver(await until(second, ada, () => true))).toBe(false);
    for (const nobody of [bob, stranger]) {
      const call = content.transcriptions.cancelTranscriptionJob({ jobId: first.id }, nobody);
      expect(await refusalOf(call)).toMatchObject({ code: 'transcription_job_not_found' });
    }
    expect((await content.transcriptions.listTranscriptionJobs({}, bob)).jobs).toEqual([]);
    const boss = member(organisationId, 'ADMIN');
    expect((await content.transcriptions.listTranscriptionJobs({}, boss)).jobs).toHaveLength(2);
    for (const { id: jobId } of [first, second]) await content.transcriptions.cancelTranscriptionJob({ jobId }, boss);
  });

  it('are limited in number, also where several are made at the same moment', async () => {
    const database = content.frame?.storage.database;
    if (!database) throw new Error('the service runs elsewhere');
    const jobs = transcriptionJobsStore(database, transcriptionsStore(database));
    const by = actingAs(member(newOrganisation(), 'EDITOR'));
    const limit = { max: 2, refusal: () => tooManyTranscriptionJobs({ limit: 2 }) };
    // Nobody works on them before that.
    const later = new Date(Date.now() + 3_600_000);
    const wanted = {
      ...{ userId: 'ada', documentId: newId(), filename: 'a.mp3', language: null, transcriptionId: newId() },
      recording: { key: 'key', bytes: 1, checksum: '' },
      payer: { memberId: 'ada', clientGroupId: null, apiKeyId: null },
    };
    const make = () => {
      const id = newId();
      return jobs.create(by, id, limit, () => createJob({ ...wanted, id, debitId: newId() }, later));
    };
    const made = await Promise.allSettled(Array.from({ length: 5 }, make));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect(make()).rejects.toMatchObject({ code: 'too_many_transcription_jobs' });
  });

  it('go on with the next part when the process that worked on them is killed, and are paid once', async () => {
    const by = member(newOrganisation(), 'EDITOR');
    const beside = await startTestContent({
      ...{ idle: true, environment: { TRANSCRIPTION_JOB_WORKERS: '0', CONTENT_DOCUMENT_WORKERS: '0' } },
    });
    const env = {
      ...{ ...beside.env, BILLING_ADDRESS: ledger.address },
      ...{ TRANSCRIPTION_BASE_URL: api.baseUrl, TRANSCRIPTION_JOB_WORKERS: '1', TRANSCRIPTION_JOB_LEASE_SECONDS: '3' },
    };
    const crashing = await startCrashTestContent(env, { maxAnswers: 1_000_000, maxKills: 0 });
    try {
      const documentId = await documentClient(crashing).upload(by, { name: 'meeting.txt', text: long });
      const stalled = Promise.withResolvers<ApiAnswer>();
      answer = (part) => (part === 2 ? stalled.promise : heard(part));
      const job = await crashing.transcriptions.createTranscriptionJob({ documentId }, by);
      await waitFor(() => count === 2, { what: 'the second part' });
      await crashing.kill();
      stalled.resolve(heard(2));
      const done = await waitForEnd(crashing, job.id, by);
      expect(done).toMatchObject({ status: 'SUCCEEDED', percent: 100 });
      const { transcriptionId } = done;
      const { text } = await crashing.transcriptions.getTranscription({ transcriptionId }, by);
      // What was done before is not done again; the second part was.
      const parts = Array.from({ length: count }, (_, part) => part + 1).filter((part) => part !== 2);
      expect(text).toBe(parts.map((part) => `Part ${part}.`).join(' '));
      expect(await debitsOf(beside, by.caller.organisationId ?? '')).toHaveLength(1);
    } finally {
      await crashing.stop();
      await beside.stop();
    }
  });

  const waitForEnd = async (of: Pick<TestContent, 'transcriptions'>, jobId: string, by: By) => {
    let now: TranscriptionJob | undefined;
    await waitFor(
      async () => {
        now = await of.transcriptions.getTranscriptionJob({ jobId }, by).catch(() => undefined);
        return now !== undefined && isOver(now);
      },
      { what: 'the job' },
    );
    if (!now) throw new Error('there is no job');
    return now;
  };
});
