import { countTokens } from '../../extraction/tokens.ts';
import type { IndexedPassage, IndexedSource } from '../../indexes/organisation-index.ts';
import questions from './document-questions.json' with { type: 'json' };
import documents from './documents.json' with { type: 'json' };
import others from './passages.json' with { type: 'json' };

/** A sentence, a row or a heading, with its vector. */
interface Piece {
  readonly text: string;
  readonly tokens: number;
  readonly vector: Float32Array | undefined;
}

interface Pool {
  readonly headings: readonly Piece[];
  readonly sentences: readonly Piece[];
  /** Of tables, each with its head. */
  readonly tables: readonly { readonly head: Piece; readonly rows: readonly Piece[] }[];
}

export interface MadeDocument {
  readonly source: IndexedSource;
  readonly passages: readonly IndexedPassage[];
}

type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

const GERMAN = new Set([
  'Urlaubsordnung',
  'Reisekostenrichtlinie',
  'Regeln zur Informationssicherheit',
  'Betriebsanweisung Lackiererei',
]);
/** Which part of the documents is German, and which of the passages are tables. */
const PARTS = { german: 0.15, tables: 0.15 };
/** As documents are split, a passage has up to 130. */
const TOKENS = { from: 70, to: 125 };
const PASSAGES = { from: 4, to: 40 };

const quotes = questions.map(({ quote }) => quote);
const answersNothing = (text: string): boolean => !quotes.some((quote) => text.includes(quote));

/**
 * Documents that stand beside those that are asked about: of their sentences and rows, but for those that answer a question, in another
 * order, with other numbers and with names of their own. A passage is as long as a real one; its vector is the sum of those of what it is made
 * of, as embedding all of them would take hours. The same number of passages is always the same.
 */
export async function* madeDocuments(passages: number, embed?: Embed): AsyncGenerator<MadeDocument> {
  const [english, german] = [await poolOf(false, embed), await poolOf(true, embed)];
  const random = randomFrom(7);
  const between = ({ from, to }: { from: number; to: number }) => from + Math.floor(random() * (to - from + 1));
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const renumbered = (text: string) =>
    text.replaceAll(/\d+/g, (digits) =>
      String(Math.floor(random() * 10 ** digits.length)).padStart(digits.length, '1'),
    );
  for (let made = 0, number = 0; made < passages; number += 1) {
    const pool = random() < PARTS.german ? german : english;
    const name = nameFrom(random);
    const topic = one(pool.headings);
    const count = Math.min(between(PASSAGES), passages - made);
    made += count;
    const own = Array.from({ length: count }, (_, ordinal): IndexedPassage => {
      const heading = one(pool.headings);
      const table = random() < PARTS.tables ? one(pool.tables) : undefined;
      const pieces: Piece[] = table ? [table.head] : [];
      const wanted = between(TOKENS);
      for (let tokens = 0; tokens < wanted; tokens += pieces.at(-1)?.tokens ?? 0)
        pieces.push(one(table?.rows ?? pool.sentences));
      const text = pieces.map((piece) => renumbered(piece.text)).join(table ? '\n' : ' ');
      const vector = sumOf([topic, heading, ...pieces].map((piece) => piece.vector));
      return { ordinal, text, heading: heading.text, ...(vector && { vector }) };
    });
    const id = `made-${String(number)}`;
    yield {
      source: { kind: 'DOCUMENT', id, title: `${topic.text} ${name}`, generation: id, createdAt: 0 },
      passages: own,
    };
  }
}

async function poolOf(isGerman: boolean, embed: Embed | undefined): Promise<Pool> {
  const lines = documents.filter(({ name }) => GERMAN.has(name) === isGerman).map(({ text }) => text.split('\n'));
  const prose = [
    ...lines.flat().filter((line) => !/^[#|]/.test(line)),
    ...(isGerman ? [] : others.map(({ text }) => text)),
  ];
  const sentences = prose
    .flatMap((text) => text.split(/(?<=[.!?])\s+/))
    .filter((text) => text.trim() !== '' && answersNothing(text));
  const headings = lines.flat().flatMap((line) => (line.startsWith('## ') ? [line.slice(3)] : []));
  const tables = lines.flatMap(tablesIn);
  const texts = [...sentences, ...headings, ...tables.flatMap(({ head, rows }) => [head, ...rows])];
  const vectors = await embed?.(texts);
  const byText = new Map(texts.map((text, at) => [text, { text, tokens: countTokens(text), vector: vectors?.[at] }]));
  const piece = (text: string): Piece => byText.get(text) as Piece;
  return {
    sentences: sentences.map(piece),
    headings: headings.map(piece),
    tables: tables.map(({ head, rows }) => ({ head: piece(head), rows: rows.map(piece) })),
  };
}

function tablesIn(lines: readonly string[]): { head: string; rows: string[] }[] {
  const tables: { head: string; rows: string[] }[] = [];
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith('|') || line.startsWith('| ---')) continue;
    if (lines[at + 1]?.startsWith('| ---')) tables.push({ head: line, rows: [] });
    else if (answersNothing(line)) tables.at(-1)?.rows.push(line);
  }
  return tables.filter(({ rows }) => rows.length > 0);
}

function sumOf(vectors: readonly (Float32Array | undefined)[]): Float32Array | undefined {
  const sum = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) for (const [at, value] of vector?.entries() ?? []) sum[at] = (sum[at] ?? 0) + value;
  const length = Math.hypot(...sum);
  return length > 0 ? sum.map((value) => value / length) : undefined;
}

const SYLLABLES = [
  'bra',
  'do',
  'fen',
  'gal',
  'hem',
  'ki',
  'lor',
  'mi',
  'nur',
  'ost',
  'pel',
  'qua',
  'ren',
  'sil',
  'tav',
  'ul',
  'ven',
  'wick',
  'yar',
  'zo',
];

function nameFrom(random: () => number): string {
  const name = Array.from({ length: 3 }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)] ?? '').join('');
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** From 0 to 1, always the same ones (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
