import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhere } from '@platform-backend/testing/where';
import { rmSync } from 'node:fs';
import { openAiDouble, type OpenAiDouble } from '../../../test/openai-double.ts';
import { runInSandbox } from '../../../test/test-sandbox.ts';
import { apiRecogniser } from '../models/api-recogniser.ts';
import { pocketsphinxRecogniser } from '../models/pocketsphinx-recogniser.ts';
import { noFfmpeg, noPocketsphinx, noVoice, soundFolder } from './spoken.ts';

describeWhere(noFfmpeg ?? noPocketsphinx ?? noVoice, 'pocketsphinx', () => {
  const folder = soundFolder();
  afterAll(() => rmSync(folder.path, { recursive: true }));

  it('answers some words, in English', async () => {
    const path = folder.speak('The weather was cold and windy all week.');
    const heard = await pocketsphinxRecogniser(runInSandbox, 60).transcribe({ path, mediaType: 'audio/wav' });
    expect(heard).toMatchObject({ language: 'en', segments: [] });
    expect(heard.text).toMatch(/^[a-z' ]+$/);
  });
});

const noFfmpegSaid = {
  kind: 'not_provided',
  code: 'transcription_not_installed',
  message: expect.stringContaining('apt-get install ffmpeg') as unknown,
};

describe('a recogniser that is not installed', () => {
  it('says what is missing and how to get it', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nonexistent:/bin-of-nothing';
    try {
      await expect(
        pocketsphinxRecogniser(runInSandbox, 60).transcribe({ path: '/dev/null', mediaType: 'audio/wav' }),
      ).rejects.toMatchObject(noFfmpegSaid);
      expect(() => pocketsphinxRecogniser(runInSandbox, 60).requireInstalled()).toThrow(
        expect.objectContaining(noFfmpegSaid),
      );
    } finally {
      process.env['PATH'] = path;
    }
  });
});

describeWhere(noFfmpeg, 'a recogniser by an API', () => {
  const folder = soundFolder();
  let api: OpenAiDouble;
  let path: string;
  beforeAll(() => {
    path = folder.generate('sine=frequency=300', 3, 'tone.mp3');
  });
  afterEach(() => api.close());
  afterAll(() => rmSync(folder.path, { recursive: true }));
  const transcribe = (model = 'whisper-1', language?: string) =>
    apiRecogniser(runInSandbox, { baseUrl: api.baseUrl, apiKey: 'key', model }, 60, { timeoutMs: 2_000 }).transcribe(
      { path, mediaType: 'audio/mpeg' },
      { language },
    );

  it('is sent the file with the hint, and tells text, language and times', async () => {
    api = await openAiDouble(() => ({
      body: {
        text: ' Guten Tag. ',
        language: 'german',
        duration: 99,
        segments: [{ id: 0, start: 0, end: 1.5, text: ' Guten Tag.' }],
      },
    }));
    expect(await transcribe('whisper-1', 'de')).toEqual({
      text: 'Guten Tag.',
      seconds: expect.closeTo(3, 0),
      language: 'de',
      segments: [{ start: 0, end: 1.5, text: 'Guten Tag.' }],
    });
    const [{ path: where, headers, body } = { path: '', headers: {}, body: Buffer.from('') }] = api.requests;
    expect([where, headers.authorization]).toEqual(['/v1/audio/transcriptions', 'Bearer key']);
    const form = body.toString('latin1');
    for (const part of ['verbose_json', 'filename="sound.mp3"', 'name="language"', 'audio/mpeg']) {
      expect(form).toContain(part);
    }
  });

  it('is asked in the form that newer models answer in', async () => {
    api = await openAiDouble(() => ({ body: { text: 'Hello.' } }));
    expect(await transcribe('gpt-4o-transcribe')).toMatchObject({ text: 'Hello.', language: undefined, segments: [] });
    expect(api.requests[0]?.body.toString('latin1')).not.toContain('verbose_json');
  });

  it.each([
    [{ status: 429, headers: { 'retry-after-ms': '1' }, body: {} }, 'unavailable'],
    [{ status: 401, body: { error: { message: 'no' } } }, 'upstream_failed'],
    // A model that the server does not have is a matter of the platform's settings and not of the recording.
    [
      { status: 400, body: { error: { message: 'invalid model ID', type: 'invalid_request_error' } } },
      'upstream_failed',
    ],
    [{ status: 422, body: { detail: [{ type: 'missing', loc: ['body', 'model'], msg: 'x' }] } }, 'upstream_failed'],
    [{ status: 400, body: { error: { message: 'The model `whisper-9` does not exist.' } } }, 'upstream_failed'],
    [{ status: 400, body: { error: { message: 'The audio file could not be decoded.' } } }, 'unsupported_media'],
    ...[400, 413, 415, 422].map((status) => [{ status, body: {} }, 'unsupported_media'] as const),
    [{ body: { hello: 'world' } }, 'upstream_failed'],
  ])('fails when the answer is %j', async (answer, kind) => {
    api = await openAiDouble(() => answer);
    await expect(transcribe()).rejects.toMatchObject({ kind });
  });
});
