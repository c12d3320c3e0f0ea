import { unavailable, type DomainError } from '@platform-backend/core';
import { stat, writeFile } from 'node:fs/promises';
import type { RunProgram } from '../../sandbox/models/run-program.ts';
import { damagedAudio, recordingTooLong } from '../domain/errors.ts';
import type { SoundFile } from '../domain/speech.ts';
import { noFfmpeg } from './installed-programs.ts';
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

const inputOf = ({ path, mediaType }: SoundFile): readonly string[] => [
  ...['-protocol_whitelist', 'file', '-f', demuxers[mediaType], '-i', `file:${path}`],
];

/** 16 bits, one channel, 16,000 a second. */
const SAMPLES = ['-map', '0:a:0', '-ac', '1', '-ar', String(SAMPLE_RATE), '-c:a', 'pcm_s16le', '-map_metadata', '-1'];

/** Where nothing was recorded for a while there is silence: times in the samples are those of the recording. */
const WITHOUT_GAPS = ['-af', `aresample=${SAMPLE_RATE}:async=1:first_pts=0`];

/** Reading hours of sound takes minutes. */
const LONG_TIMEOUT_MS = 15 * 60_000;

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
  const input = inputOf({ path, mediaType });
  // What it may write has to be there.
  await writeFile(target, '', { mode: 0o600 });
  const { status, stderr } = await run('ffmpeg', {
    // One second more than allowed shows that it is too long.
    args: [
      '-nostdin',
      '-v',
      'error',
      ...input,
      ...SAMPLES,
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

/** How long a sound is, by decoding all of it; what it says of itself may be anything. Writes nothing. */
export async function measureSound(
  run: RunProgram,
  sound: SoundFile,
  { maxSeconds, signal }: Pick<DecodeOptions, 'maxSeconds' | 'signal'>,
): Promise<number> {
  const output = ['-map', '0:a:0', '-ac', '1', ...WITHOUT_GAPS, '-t', String(maxSeconds + 1)];
  const { stdout, stderr } = await run('ffmpeg', {
    args: [
      '-nostdin',
      '-v',
      'error',
      '-nostats',
      '-stats_period',
      '5',
      '-progress',
      'pipe:1',
      ...inputOf(sound),
      ...output,
      '-f',
      'null',
      '-',
    ],
    readable: [sound.path],
    fileBytes: 0,
    timeoutMs: LONG_TIMEOUT_MS,
    signal,
    missing: noFfmpeg,
  });
  const [, microseconds = '0'] = [...stdout.matchAll(/^out_time_us=(\d+)$/gm)].at(-1) ?? [];
  const seconds = Number(microseconds) / 1_000_000;
  if (seconds < 0.5 && stderr !== '') throw notDecodable(stderr);
  // It was killed, and what it had read until then is not all.
  if (!stdout.includes('progress=end')) throw unavailable(new Error('the length of a recording was not found out'));
  return seconds;
}

/** Writes so many seconds of a sound from there on, as raw samples. @returns how many there are. */
export async function decodeSlice(
  run: RunProgram,
  sound: SoundFile,
  target: string,
  { from, seconds, signal }: { readonly from: number; readonly seconds: number; readonly signal: AbortSignal },
): Promise<number> {
  await writeFile(target, '', { mode: 0o600 });
  // Behind the input: all before it is decoded and thrown away, as many formats know no other way to an exact place.
  const output = ['-ss', String(from), '-t', String(seconds), ...WITHOUT_GAPS, ...SAMPLES];
  const { stderr } = await run('ffmpeg', {
    args: ['-nostdin', '-v', 'error', ...inputOf(sound), ...output, '-f', 's16le', '-y', `file:${target}`],
    readable: [sound.path],
    writable: [target],
    fileBytes: (seconds + 1) * SAMPLE_RATE * 2,
    timeoutMs: LONG_TIMEOUT_MS,
    signal,
    missing: noFfmpeg,
  });
  const { size } = await stat(target).catch(() => ({ size: 0 }));
  if (size === 0 && stderr !== '') throw notDecodable(stderr);
  return Math.floor(size / 2);
}

const notDecodable = (stderr: string): DomainError => damagedAudio({ cause: new Error(stderr.slice(-2000)) });
