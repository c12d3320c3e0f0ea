import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repetitions } from '@platform-backend/testing';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readerHome } from '../../../test/test-sandbox.ts';
import { ExtractionFailure, type Extracted } from '../domain/extraction.ts';
import { documentReaders, type DocumentReaders } from '../extraction/document-readers.ts';
import {
  damagedDocument,
  goodDocuments,
  hostileDocuments,
  randomFrom,
  type DamagedDocument,
} from './damaged-documents.ts';

const files = repetitions({ usual: 30, long: 1_000 });
/** So many of those that are made to harm, others each day of a month; the first, which grows, is always among them. */
const harmful = repetitions({ usual: 5, long: Infinity });
/** What is read before, so that its memory is not taken for growth. */
const warmUp = repetitions({ usual: 15, long: 50 });
const seed = Number(process.env['DAMAGED_DOCUMENTS_SEED'] ?? 20_260_101);

const ends = [
  'damaged',
  'empty_file',
  'encrypted',
  'no_text',
  'too_complex',
  'too_large',
  'too_slow',
  'unsupported_type',
];

describe('documents that are damaged or made to harm', () => {
  let directory: string;
  let readers: DocumentReaders;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'damaged-'));
    readers = documentReaders(readerHome, { processes: 2, deadlineMs: 20_000 });
  });
  afterAll(async () => {
    readers.close();
    await rm(directory, { recursive: true });
  });

  /** What became of each, by name of the end; whatever is no end fails the test. */
  async function endsOf(documents: Iterable<DamagedDocument>): Promise<Map<string, number>> {
    const ended = new Map<string, number>();
    let number = 0;
    const all = documents[Symbol.iterator]();
    const one = async (): Promise<void> => {
      for (let next = all.next(); !next.done; next = all.next()) {
        const { name, bytes } = next.value;
        const path = join(directory, String(number));
        number += 1;
        await writeFile(path, bytes);
        const end = await readers
          .extract({ path, name }, { organisationId: 'any', signal: new AbortController().signal })
          .then(soundness, endOf);
        await rm(path);
        if (end !== 'read' && !ends.includes(end)) throw new Error(`${name}, number ${number} of seed ${seed}: ${end}`);
        ended.set(end, (ended.get(end) ?? 0) + 1);
      }
    };
    await Promise.all([one(), one()]);
    return ended;
  }

  it('each end as read or with a reason, and nothing grows', async () => {
    const kinds = await goodDocuments();
    const random = randomFrom(seed);
    const some = function* (count: number) {
      for (let index = 0; index < count; index += 1) yield damagedDocument(kinds, random);
    };
    await endsOf(some(warmUp));
    const before = process.memoryUsage();
    const ended = await endsOf(some(files));
    const after = process.memoryUsage();
    expect([...ended.values()].reduce((sum, count) => sum + count)).toBe(files);
    expect(ended.get('damaged')).toBeGreaterThan(files / 20);
    expect(ended.get('read')).toBeGreaterThan(files / 20);
    expect(after.external + after.heapUsed - before.external - before.heapUsed).toBeLessThan(150 * 1024 * 1024);
  });

  it('each end, also what grows, nests, repeats or goes on without end', async () => {
    const random = randomFrom(seed + new Date().getUTCDate());
    const hostile = hostileDocuments()
      .map((make, at) => ({ make, order: at === 0 ? -1 : random(1_000) }))
      .sort((one, other) => one.order - other.order)
      .slice(0, harmful);
    const made = function* () {
      for (const { make } of hostile) yield make();
    };
    const ended = await endsOf(made());
    expect([...ended.values()].reduce((sum, count) => sum + count)).toBe(hostile.length);
    // On a busy machine what is too large may be too slow before.
    expect((ended.get('too_large') ?? 0) + (ended.get('too_slow') ?? 0)).toBeGreaterThan(0);
    const [good] = await goodDocuments();
    await expect(endsOf([{ name: 'good.pdf', bytes: good?.bytes ?? Buffer.alloc(0) }])).resolves.toEqual(
      new Map([['read', 1]]),
    );
  });
});

const endOf = (error: unknown): string =>
  error instanceof ExtractionFailure ? error.code : `no failure of an extraction: ${String(error)}`;

function soundness({ text, passages }: Extracted): string {
  if (text === '' || passages.length === 0) return 'read without text';
  const exact = passages.every(({ start, end, text: passage }) => text.slice(start, end) === passage);
  return exact ? 'read' : 'read with passages that are elsewhere';
}
