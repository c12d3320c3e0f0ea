import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue, modelNamed, usual, type Model } from '../src/catalogue.ts';
import { checkModel, copyModel, fetchModel, installedModels, removeModel } from '../src/models-folder.ts';
import { modelHub, serve, type ModelHub } from './model-hub.ts';

const contents: Record<string, Buffer> = {
  'config.json': Buffer.from('{"a":1}'),
  'onnx/model_quantized.onnx': Buffer.alloc(50_000, 7),
};
const pinned: Model = {
  name: 'tiny',
  what: 'nothing',
  repository: 'somebody/tiny',
  revision: 'abc',
  files: Object.entries(contents).map(([path, bytes]) => ({
    path,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })),
};

let folder: string;
let hub: ModelHub;
let away: string | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'models-'));
  away = undefined;
  hub = await modelHub((request, response) => {
    const path = (request.url ?? '').split('/resolve/abc/')[1] ?? '';
    const bytes = contents[path];
    if (bytes && path !== away) serve(bytes, request, response);
    else response.writeHead(404).end();
  });
});
afterEach(async () => {
  await hub.close();
  rmSync(folder, { recursive: true });
});

const install = (model = pinned) => fetchModel(folder, model, { hub: hub.url, attempts: 1 });

describe('the folder of models', () => {
  it('has a model as soon as all of it has come, and knows what it should be', async () => {
    await install();
    expect(await installedModels(folder)).toEqual(['tiny']);
    expect(await checkModel(folder, 'tiny')).toEqual([]);
    writeFileSync(join(folder, 'tiny/config.json'), '{}');
    rmSync(join(folder, 'tiny/onnx'), { recursive: true });
    expect(await checkModel(folder, 'tiny')).toEqual([
      'tiny/config.json has been changed',
      'tiny/onnx/model_quantized.onnx is missing',
    ]);
  });

  it('never lists an incomplete model, and fetches only the files that it lacks', async () => {
    away = 'onnx/model_quantized.onnx';
    await expect(install()).rejects.toThrow('404');
    expect(await installedModels(folder)).toEqual([]);
    away = undefined;
    await install();
    expect(await installedModels(folder)).toEqual(['tiny']);
    expect(hub.requests.filter((request) => request.includes('config.json'))).toHaveLength(1);
  });

  it('records the checksum of a file of which none was known before', async () => {
    const unknown = { ...pinned, files: pinned.files.map(({ path }) => ({ path })) };
    const seen: unknown[] = [];
    await fetchModel(folder, unknown, {
      hub: hub.url,
      onEvent: (event) => event.kind === 'file' && seen.push(event.pinned),
    });
    expect(seen).toEqual([false, false]);
    expect(await checkModel(folder, 'tiny')).toEqual([]);
    expect(JSON.parse(readFileSync(join(folder, 'tiny/checksums.json'), 'utf8'))).toEqual(
      Object.fromEntries(pinned.files.map(({ path, sha256 }) => [path, sha256])),
    );
  });

  it('takes a model from another folder and tells what differs from the hub', async () => {
    await install();
    const other = mkdtempSync(join(tmpdir(), 'models-'));
    cpSync(join(folder, 'tiny'), join(other, 'tiny'), { recursive: true });
    writeFileSync(join(other, 'tiny/config.json'), '{"b":2}');
    await removeModel(folder, 'tiny');
    expect(await copyModel(folder, pinned, other)).toEqual(['config.json']);
    expect(await checkModel(folder, 'tiny')).toEqual([]);
    await expect(copyModel(folder, { ...pinned, name: 'large' }, other)).rejects.toThrow('There is no large in');
    rmSync(other, { recursive: true });
  });

  it('loses a model that is removed', async () => {
    await install();
    await removeModel(folder, 'tiny');
    expect(existsSync(join(folder, 'tiny'))).toBe(false);
    await expect(removeModel(folder, 'tiny')).rejects.toThrow('tiny is not installed');
  });
});

describe('the catalogue', () => {
  it('knows size and checksum of every file, and has the usual ones', () => {
    for (const { files, revision } of catalogue) {
      expect(revision).toMatch(/^[0-9a-f]{40}$/);
      for (const { path, size, sha256 } of files) {
        expect(path).toMatch(/\.(json|onnx)$/);
        expect(size).toBeGreaterThan(0);
        expect(sha256).toMatch(/^[0-9a-f]{64}$/);
      }
    }
    expect(usual.map((name) => modelNamed(name).name)).toEqual(usual);
  });

  it.each(['ms-marco-MiniLM-L-6-v2', 'multilingual-e5-small', 'bge-small-en-v1.5'])(
    'has %s by its name, of which it does not know them',
    (name) => {
      expect(modelNamed(name)).toMatchObject({ repository: `Xenova/${name}` });
    },
  );

  it('takes other models of Whisper by their names, and no other models', () => {
    expect(modelNamed('whisper-medium')).toMatchObject({
      repository: 'onnx-community/whisper-medium',
      revision: 'main',
    });
    expect(() => modelNamed('../etc')).toThrow('is not known');
  });
});
