import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { readConfiguration } from '@platform-backend/core';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { installedModels } from '../src/model-runtime/models/local-models.ts';
import { modelRuntimeSettings } from '../src/model-runtime/settings.ts';
import { openEmbeddings } from '../src/passages/models/open-embeddings.ts';
import { embeddingsSettings } from '../src/passages/settings.ts';
import { openRecogniser, speechNotice } from '../src/transcription/models/open-recogniser.ts';
import { transcriptionSettings } from '../src/transcription/settings.ts';
import { runInSandbox } from './test-sandbox.ts';

const modelSettings = { ...modelRuntimeSettings, ...embeddingsSettings, ...transcriptionSettings };
const quiet = { warn: () => undefined };
const folder = mkdtempSync(join(tmpdir(), 'models-'));
afterAll(() => rmSync(folder, { recursive: true }));

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function choose(env: Record<string, string>) {
  const settings = readConfiguration(env, modelSettings);
  const models = installedModels(settings);
  const embeddings = await openEmbeddings(settings, models, quiet);
  const recogniser = await openRecogniser(settings, models, runInSandbox, quiet);
  opened.push(embeddings.close, recogniser.close);
  const programs = env['PATH'] ?? '';
  return {
    model: embeddings.model.model,
    engine: recogniser.model.engine,
    notices: [embeddings.notice, speechNotice(settings, models, programs)],
  };
}

function write(path: string, text = '{}'): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function install(...models: string[]): void {
  write('models/node_modules/@huggingface/transformers/package.json', '{"main":"index.js"}');
  write('models/node_modules/@huggingface/transformers/index.js', '');
  for (const model of models) write(`models/${model}/config.json`);
}

function program(name: string): void {
  write(`bin/${name}`, '');
  chmodSync(join(folder, 'bin', name), 0o755);
}

describe('which model is used of each kind, and what is said of it at a start', () => {
  it('is what comes with packages where nothing else is there, and what would be better', async () => {
    const none = await choose({ MODELS_DIR: join(folder, 'nothing') });
    expect([none.model, none.engine]).toEqual(['universal-sentence-encoder-lite', 'pocketsphinx']);
    expect(none.notices).toEqual([
      'embeddings: universal-sentence-encoder-lite (better: npm run models -- install)',
      'speech: none (npm run models -- install, apt-get install ffmpeg)',
    ]);
    program('ffmpeg');
    program('pocketsphinx_continuous');
    expect((await choose({ PATH: join(folder, 'bin') })).notices[1]).toContain('speech: none');
    write('share/pocketsphinx/model/en-us/mdef');
    expect((await choose({ PATH: join(folder, 'bin') })).notices[1]).toBe(
      'speech: pocketsphinx, poor (better: npm run models -- install)',
    );
  });

  it('is the best model that is installed, in the home of npm start as well', async () => {
    install('whisper-tiny.en');
    expect(await choose({ PLATFORM_HOME: folder, PATH: join(folder, 'bin') })).toMatchObject({
      model: 'universal-sentence-encoder-lite',
      engine: 'whisper-tiny.en',
      notices: [expect.anything(), 'speech: whisper-tiny.en'],
    });
    install('all-MiniLM-L6-v2', 'whisper-base');
    expect(await choose({ MODELS_DIR: join(folder, 'models') })).toEqual({
      model: 'all-MiniLM-L6-v2',
      engine: 'whisper-base',
      notices: ['embeddings: all-MiniLM-L6-v2', 'speech: whisper-base without ffmpeg: apt-get install ffmpeg'],
    });
  });

  it('is an API before anything else', async () => {
    const api = { EMBEDDINGS_BASE_URL: 'https://api.example/v1', TRANSCRIPTION_BASE_URL: 'https://api.example/v1' };
    expect(await choose({ ...api, MODELS_DIR: join(folder, 'models'), EMBEDDINGS_MODEL: 'large' })).toEqual({
      model: 'large',
      engine: 'whisper-1',
      notices: ['embeddings: large by API', 'speech: whisper-1 by API'],
    });
  });
});
