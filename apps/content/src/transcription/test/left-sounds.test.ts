import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { receiveRecording } from '../models/receive-recording.ts';
import { makeScratchFolder, removeLeftSounds } from '../models/scratch-folder.ts';

/** 44 bytes that say what they are, and no sound. */
const wav = Buffer.alloc(44);
wav.write('RIFF', 0);
wav.write('WAVEfmt ', 8);

const DAY_MS = 24 * 3_600_000;

describe('a recording', () => {
  it('whose process was killed is removed a day later, and no other', async () => {
    // oxlint-disable-next-line typescript/require-await -- as the bytes of a request come
    const bytes = async function* () {
      yield wav;
    };
    const [left, present] = [await receiveRecording(bytes()), await receiveRecording(bytes())];
    const before = new Date(Date.now() - DAY_MS - 1000);
    await utimes(dirname(left.path), before, before);
    await removeLeftSounds();
    expect([existsSync(left.path), existsSync(present.path)]).toEqual([false, true]);
    await present.remove();
  });

  it('that was decoded by a process that was killed goes as well', async () => {
    const folder = await makeScratchFolder();
    await writeFile(join(folder, 'samples'), wav);
    const before = new Date(Date.now() - DAY_MS - 1000);
    await utimes(folder, before, before);
    await removeLeftSounds();
    expect(existsSync(folder)).toBe(false);
  });
});
