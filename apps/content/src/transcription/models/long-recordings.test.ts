import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunProgram } from '../../sandbox/models/run-program.ts';
import type { RecordingPiece } from '../domain/long-recordings.ts';
import { longRecordings } from './long-recordings.ts';
import { SAMPLE_RATE } from './voice-activity.ts';

const HEADER_BYTES = 44;

describe('the pieces of a long recording', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'recording.wav');
  writeFileSync(path, Buffer.concat([Buffer.from('RIFF....WAVEfmt '), Buffer.alloc(100)]));
  const { signal } = new AbortController();

  /** Says so many samples, however many are asked for. */
  const decoding =
    (samples: number): RunProgram =>
    (_program, { writable: [target = ''] = [] }) => {
      writeFileSync(target, Buffer.alloc(2 * samples));
      return Promise.resolve({ status: 0, stdout: '', stderr: '' });
    };

  async function piecesOf(samples: number, total = samples / SAMPLE_RATE) {
    const recordings = longRecordings(decoding(samples), { maxSoundSeconds: 3 });
    const pieces: (Pick<RecordingPiece, 'from' | 'to'> & { readonly samples: number })[] = [];
    for await (const { sound, from, to } of recordings.pieces(path, { from: 0, total, signal })) {
      pieces.push({ from, to, samples: (statSync(sound.path).size - HEADER_BYTES) / 2 });
      if (pieces.length > 20) throw new Error('they have no end');
    }
    return pieces;
  }

  it('are all of it, each sample once, however long it is', async () => {
    for (let samples = 3 * SAMPLE_RATE; samples < 4 * SAMPLE_RATE; samples += 333) {
      const pieces = await piecesOf(samples);
      expect(pieces.reduce((sum, piece) => sum + piece.samples, 0)).toBe(samples);
      expect(pieces.at(-1)?.to).toBe(samples / SAMPLE_RATE);
      expect(pieces.slice(1).map(({ from }) => from)).toEqual(pieces.slice(0, -1).map(({ to }) => to));
    }
  });

  it('are none that is next to nothing: it goes with the one before', async () => {
    expect(await piecesOf(2 * SAMPLE_RATE + 1)).toMatchObject([{ from: 0, samples: 2 * SAMPLE_RATE + 1 }]);
    expect(await piecesOf(3 * SAMPLE_RATE + 1)).toHaveLength(2);
  });

  it('are none that the recogniser would refuse', async () => {
    const longest = Math.max(...(await piecesOf(12.5 * SAMPLE_RATE)).map((piece) => piece.samples));
    expect(longest).toBeLessThanOrEqual(3 * SAMPLE_RATE);
  });

  it('leave what is no whole piece to the next turn where more comes', async () => {
    const [only, ...others] = await piecesOf(3 * SAMPLE_RATE, 60);
    expect(others).toEqual([]);
    expect(only?.to).toBeGreaterThan(1);
    expect(only?.to).toBeLessThan(2);
  });
});
