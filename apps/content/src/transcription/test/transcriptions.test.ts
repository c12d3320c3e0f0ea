import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { openAiDouble, type ApiAnswer, type OpenAiDouble } from '../../../test/openai-double.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';
import { noFfmpeg, soundFolder } from './spoken.ts';

const recordings = () => readdirSync(tmpdir()).filter((name) => name.startsWith('recording-'));

describeWhere(noFfmpeg, 'transcriptions', () => {
  const folder = soundFolder();
  let tone: Buffer;
  let heard: ApiAnswer = { body: {} };
  let api: OpenAiDouble;
  let content: TestContent;
  beforeAll(async () => {
    tone = readFileSync(folder.generate('sine=frequency=300', 3, 'tone.mp3'));
    api = await openAiDouble(() => heard);
    const environment = { TRANSCRIPTION_BASE_URL: api.baseUrl, TRANSCRIPTION_MICROS_PER_SECOND: '0' };
    content = await startTestContent({ idle: true, environment });
  });
  afterAll(async () => {
    await content.stop();
    await api.close();
    rmSync(folder.path, { recursive: true });
  });

  // oxlint-disable-next-line typescript/require-await -- as a client sends it
  async function* upload(bytes: Buffer, language = '') {
    yield { audio: { filename: 'tone.mp3', contentType: 'audio/mpeg', content: Buffer.alloc(0) }, language };
    for (let at = 0; at < bytes.length; at += 10_000) {
      yield { audio: { filename: '', contentType: '', content: bytes.subarray(at, at + 10_000) } };
    }
  }
  const transcribe = (by: CallOptions, bytes = tone, language = '') =>
    content.transcriptions.transcribe(upload(bytes, language), by);

  it('are made of a recording that comes in pieces, and kept; the recording is not', async () => {
    heard = { body: { text: ' Good morning. ', language: 'english', duration: 3 } };
    const ours = member(newOrganisation());
    const made = await transcribe(ours, tone, 'en');
    expect(made).toMatchObject({ text: 'Good morning.', language: 'en', engine: 'whisper-1', filename: 'tone.mp3' });
    expect(made.durationSeconds).toBeCloseTo(3, 0);
    const sent = api.requests.at(-1)?.body ?? Buffer.alloc(0);
    expect(sent.includes(tone)).toBe(true);
    expect(await content.transcriptions.getTranscription({ transcriptionId: made.id }, ours)).toEqual(made);
    expect((await content.transcriptions.listTranscriptions({}, ours)).transcriptions).toMatchObject([{ id: made.id }]);
    expect(recordings()).toEqual([]);
  });

  it('are named and corrected, and keep what was recognised when', async () => {
    const segments = [
      { start: 0, end: 1.5, text: 'Good morning.' },
      { start: 1.5, end: 3, text: 'The rent is dew.' },
    ];
    heard = { body: { text: 'Good morning. The rent is dew.', language: 'english', duration: 3, segments } };
    const ours = member(newOrganisation());
    const made = await transcribe(ours);
    const { id: transcriptionId } = made;
    expect(made).toMatchObject({ name: 'tone.mp3', corrected: false, segments });
    const text = 'Good morning. The rent is due.';
    const change = { transcriptionId, name: 'Call of Monday', text, updateMask: { paths: ['name', 'text'] } };
    const changed = await content.transcriptions.updateTranscription(change, ours);
    expect(changed).toMatchObject({ name: 'Call of Monday', text, corrected: true, segments, filename: 'tone.mp3' });
    expect(await content.transcriptions.updateTranscription(change, ours)).toEqual(changed);
    expect(await content.transcriptions.getTranscription({ transcriptionId }, ours)).toEqual(changed);
    const { transcriptions } = await content.transcriptions.listTranscriptions({}, ours);
    expect(transcriptions).toEqual([{ ...changed, segments: [] }]);
  });

  it('are not made of what is no audio, too long or broken off', async () => {
    heard = { body: { text: 'never' } };
    const before = api.requests.length;
    const ours = member(newOrganisation());
    expect(await refusalOf(transcribe(ours, Buffer.from('A letter and no sound.')))).toMatchObject({
      kind: 'unsupported_media',
    });
    const gone = new AbortController();
    const halfway = async function* () {
      for await (const piece of upload(tone)) {
        yield piece;
        if (piece.audio.content.length > 0) gone.abort();
      }
    };
    await refusalOf(content.transcriptions.transcribe(halfway(), { ...ours, signal: gone.signal }));
    expect((await content.transcriptions.listTranscriptions({}, ours)).transcriptions).toEqual([]);
    expect(api.requests.length).toBe(before);
  });

  it('fail as their recogniser does, and nothing is kept', async () => {
    heard = { status: 401, body: { error: { message: 'no' } } };
    const ours = member(newOrganisation());
    expect(await refusalOf(transcribe(ours))).toMatchObject({ kind: 'upstream_failed' });
    expect((await content.transcriptions.listTranscriptions({}, ours)).transcriptions).toEqual([]);
    expect(recordings()).toEqual([]);
  });

  it('are seen and deleted by those who made them and by ADMIN, in their organisation alone', async () => {
    heard = { body: { text: 'Private.' } };
    const organisationId = newOrganisation();
    const [ada, bob, boss, stranger] = [
      member(organisationId, 'VIEWER'),
      member(organisationId, 'EDITOR'),
      member(organisationId, 'ADMIN'),
      member(newOrganisation(), 'OWNER'),
    ];
    const { id: transcriptionId } = await transcribe(ada);
    for (const other of [bob, stranger]) {
      const { transcriptions } = await content.transcriptions.listTranscriptions({}, other);
      expect(transcriptions).toEqual([]);
      for (const refused of ['getTranscription', 'deleteTranscription'] as const) {
        expect(await refusalOf(content.transcriptions[refused]({ transcriptionId }, other))).toMatchObject({
          kind: 'not_found',
          message: 'Transcription not found',
        });
      }
      const change = { transcriptionId, text: 'Theirs.', updateMask: { paths: ['text'] } };
      expect(await refusalOf(content.transcriptions.updateTranscription(change, other))).toMatchObject({
        kind: 'not_found',
      });
    }
    expect((await content.transcriptions.listTranscriptions({}, boss)).transcriptions).toHaveLength(1);
    expect(await content.transcriptions.deleteTranscription({ transcriptionId }, ada)).toEqual({
      id: transcriptionId,
      deleted: true,
    });
    expect(await refusalOf(content.transcriptions.deleteTranscription({ transcriptionId }, ada))).toMatchObject({
      kind: 'not_found',
    });
    expect(await refusalOf(content.transcriptions.getTranscription({ transcriptionId: newId() }, ada))).toMatchObject({
      kind: 'not_found',
    });
  });

  it('are unavailable while nobody can say whether they are paid for', async () => {
    heard = { body: { text: 'never' } };
    const before = api.requests.length;
    const paid = await startTestContent({ idle: true, environment: { TRANSCRIPTION_BASE_URL: api.baseUrl } });
    const refused = refusalOf(paid.transcriptions.transcribe(upload(tone), member(newOrganisation())));
    expect(await refused).toMatchObject({ kind: 'unavailable' });
    expect(api.requests.length).toBe(before);
    await paid.stop();
  });
});
