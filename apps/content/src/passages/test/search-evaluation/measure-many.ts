import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sameBudgets } from '../../indexes/index-parts.ts';
import { OrganisationIndex, type IndexQuery } from '../../indexes/organisation-index.ts';
import { searchIndexes } from '../../indexes/search-indexes.ts';
import { readSnapshot, writeSnapshot, type SnapshotHeader } from '../../indexes/snapshot-file.ts';
import { VectorIndex } from '../../indexes/vector-index.ts';
import allQuestions from './document-questions.json' with { type: 'json' };
import { madeDocuments } from './made-documents.ts';
import {
  figuresOf,
  HALVES,
  MODES,
  putDocuments,
  QUESTION_KINDS,
  rankOf,
  textAsked,
  type AskedQuestion,
  type Embed,
} from './measure-documents.ts';
import { measureOpening } from './measure-opening.ts';

/** How often each question is asked when it is measured how long a search takes. */
const ROUNDS = 3;
/** Of the best by bytes, whose cosines are made exact. */
const RESCORED = 100;
const BEST = 10;
/** How many of the passages are put into MongoDB, which takes longer than all else. */
const STORED_PASSAGES = 20_000;

interface Encoder {
  readonly name: string;
  readonly embed: Embed;
  readonly meaningWeighs?: number | undefined;
}

type Print = (line: string) => void;

/** The documents that are asked about among so many made passages: held-out questions, time, memory, and how an index is opened. */
export async function measureMany(passages: number, encoder: Encoder, print: Print): Promise<object> {
  const { name, embed, meaningWeighs } = encoder;
  const questions = (allQuestions as readonly AskedQuestion[]).filter((_, at) => HALVES[at % 2] === 'held out');
  const asked = await embed(questions.map(textAsked), 'question');
  print('');
  print(
    `${name}: ${String(passages)} made passages beside the documents, ${String(questions.length)} held-out questions`,
  );
  const index = new OrganisationIndex(sameBudgets(2 * passages));
  const texts = await putDocuments(index, embed);
  /** Of the made ones, as they are without bytes. */
  const exact: Float32Array[] = [];
  const putTimes: number[] = [];
  for await (const { source, passages: own } of madeDocuments(passages, embed)) {
    for (const { vector } of own) if (vector) exact.push(vector);
    timed(putTimes, () => index.put(source, own));
  }
  const rows = MODES.map((mode) => {
    const times: number[] = [];
    const ranks = questions.map((question, at) => {
      const vector = asked[at];
      const query: IndexQuery = {
        text: textAsked(question),
        mode,
        limit: BEST,
        meaningWeighs,
        ...(vector && { vector }),
      };
      for (let round = 1; round < ROUNDS; round += 1) timed(times, () => searchIndexes([index], query));
      return rankOf(
        question,
        timed(times, () => searchIndexes([index], query)),
        texts,
      );
    });
    return { mode, ranks, times };
  });
  print(`${'held out'.padEnd(30)} at 1   at 5   MRR    nDCG@10`);
  const figures = rows.flatMap(({ mode, ranks }) =>
    (['all', ...QUESTION_KINDS] as const).map((kind) => {
      const own = figuresOf(ranks.filter((_, at) => kind === 'all' || questions[at]?.kind === kind));
      const shown = [own.at1, own.at5, own.mrr, own.ndcg10].map((value) => value.toFixed(2).padEnd(6)).join(' ');
      print(`${`${mode}, ${kind}`.padEnd(30)} ${shown}`);
      return { mode, kind, ...own };
    }),
  );
  const scans = measureScans(exact, asked);
  const baseline = median(scans.float32.times);
  print(`${'ms of CPU'.padEnd(30)} p50     p99     p50 as a multiple of the exact scan`);
  const timesOf = (what: string, times: readonly number[]) => {
    const [p50, p99] = [median(times), percentile(times, 0.99)];
    print(`${what.padEnd(30)} ${p50.toFixed(1).padEnd(7)} ${p99.toFixed(1).padEnd(7)} ${(p50 / baseline).toFixed(2)}`);
    return { what, p50, p99, ratio: p50 / baseline };
  };
  const times = [
    timesOf('scan of float32', scans.float32.times),
    timesOf('scan of bytes', scans.bytes.times),
    timesOf('scan of bytes, exact for best', scans.rescored.times),
    ...rows.map((row) => timesOf(`search, ${row.mode}`, row.times)),
  ];
  print(
    `the best ${String(BEST)} by bytes are the exact ones to ${scans.bytes.agreement.toFixed(4)}, with exact cosines for the best ${String(RESCORED)} to ${scans.rescored.agreement.toFixed(4)}`,
  );
  const opening = await measureSnapshot(index);
  const buildMs = putTimes.reduce((sum, ms) => sum + ms, 0);
  print(
    `read in by ${(buildMs / 1000).toFixed(1)} s of CPU, without a database; snapshot of ${mibOf(opening.bytes)} MiB written in ${(opening.writeMs / 1000).toFixed(2)} s and opened in ${(opening.openMs / 1000).toFixed(2)} s; the index has ${mibOf(index.bytes)} MiB by its own account`,
  );
  const database = await measureOpening(Math.min(passages, STORED_PASSAGES), embed, print);
  return {
    name,
    passages,
    figures,
    times,
    agreement: { bytes: scans.bytes.agreement, rescored: scans.rescored.agreement },
    buildMs,
    ...opening,
    ...database,
    indexBytes: index.bytes,
  };
}

/** In milliseconds of CPU, as others may use the machine as well. */
function timed<T>(times: number[], work: () => T): T {
  const begun = process.threadCpuUsage();
  const result = work();
  const { user, system } = process.threadCpuUsage(begun);
  times.push((user + system) / 1000);
  return result;
}

/** Comparing each vector with a question: as 32-bit floats, as bytes, and as bytes with exact cosines for the best. */
function measureScans(vectors: readonly Float32Array[], asked: readonly Float32Array[]) {
  const index = new VectorIndex();
  for (const [slot, vector] of vectors.entries()) index.set(slot, vector);
  const [dimensions] = vectors.map(({ length }) => length);
  const all = new Float32Array(vectors.length * (dimensions ?? 0));
  for (const [slot, vector] of vectors.entries()) all.set(vector, slot * vector.length);
  const cosines = { float32: new Float32Array(vectors.length), bytes: new Float32Array(vectors.length) };
  const byFloats = (query: Float32Array): readonly number[] => {
    for (let slot = 0; slot < cosines.float32.length; slot += 1)
      cosines.float32[slot] = dotProduct(query, all, slot * query.length);
    return bestOf(cosines.float32, BEST);
  };
  const byBytes = (query: Float32Array, count: number): readonly number[] => {
    for (let slot = 0; slot < cosines.bytes.length; slot += 1) cosines.bytes[slot] = index.cosine(slot, query);
    return bestOf(cosines.bytes, count);
  };
  const rescored = (query: Float32Array): readonly number[] => {
    const best = byBytes(query, RESCORED).map((slot) => ({
      slot,
      cosine: dotProduct(query, all, slot * query.length),
    }));
    return best
      .sort((one, other) => other.cosine - one.cosine)
      .slice(0, BEST)
      .map(({ slot }) => slot);
  };
  const scans = { float32: byFloats, bytes: (query: Float32Array) => byBytes(query, BEST), rescored };
  const measured = { float32: [] as number[], bytes: [] as number[], rescored: [] as number[] };
  const agreements = { float32: [] as number[], bytes: [] as number[], rescored: [] as number[] };
  for (const query of asked) {
    const exact = byFloats(query);
    for (const [name, scan] of Object.entries(scans) as [
      keyof typeof scans,
      (query: Float32Array) => readonly number[],
    ][]) {
      const best = timed(measured[name], () => scan(query));
      agreements[name].push(best.filter((slot) => exact.includes(slot)).length / BEST);
    }
  }
  const of = (name: keyof typeof scans) => ({ times: measured[name], agreement: mean(agreements[name]) });
  return { float32: of('float32'), bytes: of('bytes'), rescored: of('rescored') };
}

/** As fast as that of bytes: four sums. */
function dotProduct(query: Float32Array, all: Float32Array, offset: number): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let at = 0, other = offset; at < query.length; at += 4, other += 4) {
    first += (query[at] as number) * (all[other] as number);
    second += (query[at + 1] as number) * (all[other + 1] as number);
    third += (query[at + 2] as number) * (all[other + 2] as number);
    fourth += (query[at + 3] as number) * (all[other + 3] as number);
  }
  return first + second + third + fourth;
}

function bestOf(cosines: Float32Array, count: number): readonly number[] {
  const best: number[] = [];
  for (const [slot, cosine] of cosines.entries()) {
    if (best.length >= count && cosine <= (cosines[best.at(-1) ?? 0] ?? 0)) continue;
    const at = best.findLastIndex((other) => (cosines[other] ?? 0) >= cosine);
    best.splice(at + 1, 0, slot);
    if (best.length > count) best.pop();
  }
  return best;
}

async function measureSnapshot(index: OrganisationIndex) {
  const folder = mkdtempSync(join(tmpdir(), 'snapshot-'));
  const file = join(folder, 'org.content.index');
  const budgets = sameBudgets(1);
  const header: SnapshotHeader = { organisationId: 'org', part: 'content', model: 'm', budgets, made: '', position: 0 };
  try {
    const times: number[] = [];
    const written = timed(times, () => writeSnapshot(file, header, index.snapshot()));
    await written;
    timed(times, () => {
      const snapshot = readSnapshot(file);
      if (!snapshot) throw new Error('the snapshot cannot be read');
      return OrganisationIndex.restored(budgets, snapshot.part);
    });
    const [writeMs = NaN, openMs = NaN] = times;
    return { writeMs, openMs, bytes: statSync(file).size };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? NaN;
const median = (values: readonly number[]): number => percentile(values, 0.5);
const mibOf = (bytes: number): string => (bytes / 1024 ** 2).toFixed(0);
