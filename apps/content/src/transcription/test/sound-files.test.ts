import { afterAll, expect, it } from '@jest/globals';
import { describeWhere } from '@platform-backend/testing/where';
import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInSandbox } from '../../../test/test-sandbox.ts';
import type { RunProgram } from '../../sandbox/models/run-program.ts';
import { decodeSlice, decodeSound, measureSound } from '../models/decode-sound.ts';
import { soundTypeOf } from '../models/sniff-sound.ts';
import { SAMPLE_RATE } from '../models/voice-activity.ts';
import { noFfmpeg, soundFolder } from './spoken.ts';

describeWhere(noFfmpeg, 'a file of sound', () => {
  const folder = soundFolder();
  afterAll(() => rmSync(folder.path, { recursive: true }));
  const target = join(folder.path, 'samples');
  const decode = async (path: string, maxSeconds = 60) =>
    decodeSound(runInSandbox, { path, mediaType: await soundTypeOf(path) }, target, { as: 's16le', maxSeconds });

  it.each([
    ['mp3', 'audio/mpeg'],
    ['wav', 'audio/wav'],
    ['m4a', 'audio/mp4'],
    ['webm', 'audio/webm'],
    ['ogg', 'audio/ogg'],
    ['opus', 'audio/ogg'],
    ['flac', 'audio/flac'],
  ])('is known by its bytes and decoded: %s', async (extension, type) => {
    const path = folder.generate('sine=frequency=300', 3, `tone.${extension}`);
    expect(await soundTypeOf(path)).toBe(type);
    expect(await decode(path)).toBeCloseTo(3, 0);
  });

  it.each([
    ['a text', 'This is no sound at all, whatever it is called.'],
    ['nothing', ''],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['a page', '<!doctype html><p>sound</p>'],
  ])('is refused when it is %s', async (_what, bytes) => {
    const path = join(folder.path, 'other.mp3');
    writeFileSync(path, bytes);
    await expect(soundTypeOf(path)).rejects.toMatchObject({ kind: 'unsupported_media' });
  });

  it('is refused when it is longer than it may be', async () => {
    const path = folder.generate('sine=frequency=300', 70, 'long.mp3');
    await expect(decode(path)).rejects.toMatchObject({
      kind: 'too_large',
      message: 'The recording is longer than 1 minutes',
    });
  });

  it('is read as far as it goes when it is cut off, and refused when there is nothing in it', async () => {
    const path = folder.generate('sine=frequency=300', 20, 'cut.mp3');
    truncateSync(path, Math.floor(statSync(path).size / 2));
    expect(await decode(path)).toBeCloseTo(10, -1);
    const head = folder.generate('sine=frequency=300', 5, 'head.wav');
    truncateSync(head, 60);
    await expect(decode(head)).rejects.toMatchObject({ kind: 'malformed', code: 'damaged_audio' });
  });

  it('has silence in it where nothing was recorded for a while, so that its parts begin where they are said to', async () => {
    // Two seconds, five in which somebody was mute, two more: as browsers record it.
    const path = folder.generate('sine=frequency=300,asetpts=PTS+gte(T\\,2)*5/TB', 9, 'gap.webm');
    const sound = { path, mediaType: await soundTypeOf(path) };
    const { signal } = new AbortController();
    expect(await measureSound(runInSandbox, sound, { maxSeconds: 60, signal })).toBeCloseTo(9, 1);
    const slice = async (from: number, seconds: number) =>
      (await decodeSlice(runInSandbox, sound, target, { from, seconds, signal })) / SAMPLE_RATE;
    expect(await slice(0, 6)).toBeCloseTo(6, 1);
    expect(await slice(6, 60)).toBeCloseTo(3, 1);
  });

  it('is not as long as was read of it by a program that was killed', async () => {
    const path = folder.generate('sine=frequency=300', 3, 'killed.wav');
    const stdout = 'out_time_us=2000000\nprogress=continue\n';
    const killed: RunProgram = () => Promise.resolve({ status: 1, stdout, stderr: '' });
    const measured = measureSound(
      killed,
      { path, mediaType: 'audio/wav' },
      { maxSeconds: 60, signal: AbortSignal.abort() },
    );
    await expect(measured).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('opens no other file', async () => {
    const path = join(folder.path, 'list.wav');
    writeFileSync(path, `ffconcat version 1.0\nfile '${join(folder.path, 'tone.wav')}'\n`);
    await expect(
      decodeSound(runInSandbox, { path, mediaType: 'audio/wav' }, target, { as: 's16le', maxSeconds: 60 }),
    ).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('is let go of when nobody waits any more', async () => {
    const path = folder.generate('sine=frequency=300', 50, 'abandoned.mp3');
    const gone = AbortSignal.abort();
    await expect(
      decodeSound(runInSandbox, { path, mediaType: 'audio/mpeg' }, target, {
        as: 's16le',
        maxSeconds: 60,
        signal: gone,
      }),
    ).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
