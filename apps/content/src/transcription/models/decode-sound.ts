import type { DomainError } from '@platform-backend/core';
import { stat, writeFile } from 'node:fs/promises';
import { damagedAudio, recordingTooLong } from '../domain/errors.ts';
import type { SoundFile } from '../domain/speech.ts';
import { noFfmpeg } from './installed-programs.ts';
import type { RunProgram } from './run-program.ts';
import { SAMPLE_RATE } from './voice-activity.ts';

export interface DecodeOptions {
  /** Raw samples, or a file with a header. */
  readonly as: 's16le' | 'wav';
  readonly maxSeconds: number;
  readonly signal?: AbortSignal | undefined;
}

/** More than that of any file that is written here. */
const HEADER_BYTES = 64 * 1024;

const demuxers: Readonly<Record<SoundFile['mediaType'], string>> = {
  'audio/flac': 'flac',
  'audio/mp4': 'mov',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'matroska',
};

/**
 * Writes the sound as 16-bit samples of one channel, 16,000 a second, by ffmpeg, which opens no other file and no
 * connection for it. @returns its length in seconds.
 */
export async function decodeSound(
  run: RunProgram,
  { path, mediaType }: SoundFile,
  target: string,
  { as, maxSeconds, signal }: DecodeOptions,
): Promise<number> {
  const input = ['-protocol_whitelist', 'file', '-f', demuxers[mediaType], '-i', `file:${path}`];
  const output = ['-map', '0:a:0', '-ac', '1', '-ar', String(SAMPLE_RATE), '-c:a', 'pcm_s16le', '-map_metadata', '-1'];
  // What it may write has to be there.
  await writeFile(target, '', { mode: 0o600 });
  const { status, stderr } = await run('ffmpeg', {
    // One second more than allowed shows that it is too long.
    args: [
      '-nostdin',
      '-v',
      'error',
      ...input,
      ...output,
      '-t',
      String(maxSeconds + 1),
      '-f',
      as,
      '-y',
      `file:${target}`,
    ],
    readable: [path],
    writable: [target],
    fileBytes: (maxSeconds + 1) * SAMPLE_RATE * 2 + HEADER_BYTES,
    timeoutMs: 120_000,
    signal,
    missing: noFfmpeg,
  });
  const { size } = await stat(target).catch(() => ({ size: 0 }));
  const seconds = size / 2 / SAMPLE_RATE;
  // What ends in its midst is read as far as it goes.
  if (status !== 0 && size < SAMPLE_RATE) throw notDecodable(stderr);
  if (seconds > maxSeconds + 0.5) throw recordingTooLong({ minutes: Math.floor(maxSeconds / 60) });
  return seconds;
}

const notDecodable = (stderr: string): DomainError => damagedAudio({ cause: new Error(stderr.slice(-2000)) });
