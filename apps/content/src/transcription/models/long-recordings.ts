import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunProgram } from '../../sandbox/models/run-program.ts';
import { damagedAudio, recordingTooLong } from '../domain/errors.ts';
import type { LongRecordings } from '../domain/long-recordings.ts';
import type { SoundFile } from '../domain/speech.ts';
import { decodeSlice, measureSound } from './decode-sound.ts';
import { requireFfmpeg } from './installed-programs.ts';
import { makeScratchFolder } from './scratch-folder.ts';
import { soundTypeOf } from './sniff-sound.ts';
import { quietest, SAMPLE_RATE } from './voice-activity.ts';

/** What is decoded at a time, in seconds: after that the turn of another organisation comes. */
const SLICE_SECONDS = 300;

/** Of what a recogniser hears at a time, in seconds: short enough that those who wait for an answer get theirs in between. */
const PIECE_SECONDS = 120;

/** Of a piece: it is cut where it is quietest behind that. */
const MIN_SHARE = 0.75;

/** What is left of a recording goes with the piece before it where it is shorter: recognisers refuse what is next to nothing. In samples. */
const MIN_REST = SAMPLE_RATE;

/** What is longer than `maxSoundSeconds` the recogniser refuses. */
export const longRecordings = (
  run: RunProgram,
  { maxSoundSeconds }: { readonly maxSoundSeconds: number },
): LongRecordings => ({
  requireInstalled: requireFfmpeg,

  async measure(path, { maxSeconds, signal }) {
    const seconds = await measureSound(run, await soundOf(path), { maxSeconds, signal });
    if (seconds > maxSeconds + 0.5) throw recordingTooLong({ minutes: Math.floor(maxSeconds / 60) });
    return seconds;
  },

  async *pieces(path, { from, total, signal }) {
    const folder = await makeScratchFolder();
    try {
      const decoded = join(folder, 'slice');
      const length = await decodeSlice(run, await soundOf(path), decoded, { from, seconds: SLICE_SECONDS, signal });
      // What was there when it was measured is not decoded now.
      if (length === 0) throw damagedAudio();
      const isLast = from + length / SAMPLE_RATE >= total - 0.5;
      const longest = SAMPLE_RATE * Math.min(PIECE_SECONDS, Math.max(1, maxSoundSeconds - 1));
      // In samples: sums of seconds would not meet the end.
      for (let at = 0; at < length;) {
        const rest = length - at;
        if (rest <= longest && !isLast && at > 0) return;
        const isWhole = rest <= longest + (isLast ? MIN_REST : 0);
        const samples = await samplesIn(decoded, at, isWhole ? rest : longest);
        const end = isWhole ? rest : quietest(samples, MIN_SHARE * longest);
        const piece = join(folder, 'piece.wav');
        await writeFile(piece, wavOf(samples.subarray(0, end)), { mode: 0o600 });
        const begun = at;
        at += end;
        yield {
          sound: { path: piece, mediaType: 'audio/wav' },
          from: from + begun / SAMPLE_RATE,
          // Not by a sample less than all of it, so that it is over.
          to: isLast && at === length ? total : from + at / SAMPLE_RATE,
        };
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

const soundOf = async (path: string): Promise<SoundFile> => ({ path, mediaType: await soundTypeOf(path) });

async function samplesIn(path: string, from: number, count: number): Promise<Int16Array> {
  await using file = await open(path, 'r');
  const bytes = Buffer.alloc(2 * count);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 2 * from);
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
