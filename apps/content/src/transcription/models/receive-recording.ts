import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ReceiveRecording } from '../domain/transcriptions.ts';
import { makeScratchFolder } from './scratch-folder.ts';
import { soundTypeOf } from './sniff-sound.ts';

/** Keeps what comes in a file; half a recording is none. */
export const receiveRecording: ReceiveRecording = async (bytes) => {
  const folder = await makeScratchFolder();
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'recording');
    await pipeline(bytes, createWriteStream(path));
    return { path, mediaType: await soundTypeOf(path), remove };
  } catch (error) {
    await remove();
    throw error;
  }
};
