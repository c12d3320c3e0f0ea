import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { damagedAudio, recordingTooLong } from '../domain/errors.ts';
import type { LongRecordings } from '../domain/long-recordings.ts';
import type { SoundFile } from '../domain/speech.ts';
import { decodeSlice, measureSound } from './decode-sound.ts';
import type { RunProgram } from './run-program.ts';
import { makeScratchFolder } from './scratch-folder.ts';
import { soundTypeOf } from './sniff-sound.ts';
import { quietest, SAMPLE_RATE } from './voice-activity.ts';

/** What is decoded at a time, in seconds: after that the turn of another organisation comes. */
const SLICE_SECONDS = 300;

/** Of what a recogniser hears at a time, in seconds: short enough that those who wait for an answer get theirs in between. */
const PIECE_SECONDS = 120;

/** A piece that is cut before that would have to be one of the last of its recording. */
const MIN_PIECE_SECONDS = 90;

export const longRecordings = (
  run: RunProgram,
  { sliceSeconds = SLICE_SECONDS, pieceSeconds = PIECE_SECONDS, minPieceSeconds = MIN_PIECE_SECONDS } = {},
): LongRecordings => ({
  async measure(path, { maxSeconds, signal }) {
    const seconds = await measureSound(run, await soundOf(path), { maxSeconds, signal });
    if (seconds > maxSeconds + 0.5) throw recordingTooLong({ minutes: Math.floor(maxSeconds / 60) });
    return seconds;
  },

  async *pieces(path, { from, total, signal }) {
    const folder = await makeScratchFolder();
    try {
      const decoded = join(folder, 'slice');
      const length = await decodeSlice(run, await soundOf(path), decoded, { from, seconds: sliceSeconds, signal });
      // What was there when it was measured is not decoded now.
      if (length === 0) throw damagedAudio();
      const isLast = from + length >= total - 0.5;
      for (let at = 0; at < length;) {
        const rest = length - at;
        if (rest <= pieceSeconds && !isLast && at > 0) return;
        const samples = await samplesIn(decoded, at, Math.min(rest, pieceSeconds));
        const end = rest <= pieceSeconds ? samples.length : quietest(samples, minPieceSeconds * SAMPLE_RATE);
        const piece = join(folder, 'piece.wav');
        await writeFile(piece, wavOf(samples.subarray(0, end)), { mode: 0o600 });
        const to = at + end / SAMPLE_RATE;
        const isEnd = isLast && to >= length;
        yield {
          sound: { path: piece, mediaType: 'audio/wav' },
          from: from + at,
          // Not by a sample less than all of it, so that it is over.
          to: isEnd ? total : from + to,
        };
        at = to;
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

const soundOf = async (path: string): Promise<SoundFile> => ({ path, mediaType: await soundTypeOf(path) });

async function samplesIn(path: string, from: number, seconds: number): Promise<Int16Array> {
  await using file = await open(path, 'r');
  const bytes = Buffer.alloc(2 * Math.floor(seconds * SAMPLE_RATE));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 2 * Math.round(from * SAMPLE_RATE));
  return new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytesRead / 2));
}

/** 16 bits, one channel. */
function wavOf(samples: Int16Array): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(2 * SAMPLE_RATE, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([header, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)]);
}
