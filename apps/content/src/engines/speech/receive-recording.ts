import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ReceiveRecording } from '../../domain/transcription/transcriptions.ts';
import { soundTypeOf } from './sniff-sound.ts';

/** Keeps what comes in a file; half a recording is none. */
export const receiveRecording: ReceiveRecording = async (bytes) => {
  const folder = await mkdtemp(join(tmpdir(), 'recording-'));
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
