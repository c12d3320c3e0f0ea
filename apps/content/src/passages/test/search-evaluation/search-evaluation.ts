import { localModels, type LocalModels } from '../../../model-runtime/models/local-models.ts';
import type { Embeddings, Prefixes } from '../../domain/embeddings.ts';
import { splitPassages } from '../../extraction/split-passages.ts';
import { sameBudgets } from '../../indexes/index-parts.ts';
import { OrganisationIndex } from '../../indexes/organisation-index.ts';
import { searchIndexes } from '../../indexes/search-indexes.ts';
/** `npm run bench -- retrieval`: how often a search finds the passage that answers a question. */
import { openEmbeddings, type EmbeddingsChoice } from '../../models/open-embeddings.ts';
import { measureDocuments, printDocuments, type DocumentRow as RankedRow } from './measure-documents.ts';
import { measureMany } from './measure-many.ts';
import passages from './passages.json' with { type: 'json' };
import questions from './questions.json' with { type: 'json' };
import unrelated from './unrelated.json' with { type: 'json' };

const ours = { organisationId: 'org_1' };

type Environment = Readonly<Record<string, string | undefined>>;
type Print = (line: string) => void;
type Mode = 'keyword' | 'semantic' | 'hybrid';

interface Encoder {
  readonly name: string;
  readonly vectors: readonly Float32Array[];
  readonly partVectors: readonly Float32Array[];
  readonly similarityThreshold: number | undefined;
  readonly meaningWeighs: number | undefined;
  /** The questions, and behind them the unrelated ones. */
  readonly asked: readonly Float32Array[];
  readonly ranked: readonly RankedRow[];
}

/** How many texts an encoder is given at a time. */
const BATCH = 32;

const KINDS = ['avoids', 'shares', 'repeats'] as const;

/** Measures every encoder that is there; `among`: so many other passages, of which the questions are asked instead. Prints a table, and as the last line all of it as JSON. */
export async function evaluateSearch(
  environment: Environment,
  print: Print,
  { among = 0 }: { readonly among?: number } = {},
): Promise<void> {
  if (among > 0) return evaluateAmongMany(environment, among, print);
  print(`${String(passages.length)} passages, ${String(questions.length)} questions with one answer each`);
  const rows: Row[] = measure('BM25', 'keyword');
  const ofDocuments: DocumentRow[] = [];
  const ranked: RankedRow[] = await measureDocuments('words');
  const relevance: Relevance[] = [measureRelevance('words alone')];
  for (const wanted of candidatesOf(environment)) {
    const encoder = await encode(wanted, print);
    if (!encoder) continue;
    rows.push(...measure(encoder.name, 'semantic', encoder), ...measure(`BM25 and ${encoder.name}`, 'hybrid', encoder));
    relevance.push(measureRelevance(`words and ${encoder.name}`, encoder));
    ofDocuments.push(measureFirst(encoder));
    ranked.push(...encoder.ranked);
  }
  print('');
  print(`${'recall at 5 (at 1) of questions that'.padEnd(56)} avoid the words   share some     repeat them`);
  for (const [name, ofKinds] of pairsOf(rows))
    print(`${name.padEnd(56)} ${ofKinds.map((row) => shown(row).padEnd(14)).join(' ')}`);
  print('');
  print(
    `${'the right document comes first for questions that'.padEnd(56)} avoid the words   share some     repeat them`,
  );
  for (const { name, first } of ofDocuments)
    print(`${name.padEnd(56)} ${KINDS.map((kind) => first[kind].toFixed(2).padEnd(14)).join(' ')}`);
  print('');
  print(
    `${'of the handbook something fits questions that'.padEnd(56)} avoid the words   repeat them   are about other things`,
  );
  for (const { name, avoids, repeats, others } of relevance)
    print(`${name.padEnd(56)} ${avoids.toFixed(2)}              ${repeats.toFixed(2)}          ${others.toFixed(2)}`);
  printDocuments(ranked, print);
  print(JSON.stringify([...rows, ...relevance, ...ofDocuments, ...ranked]));
}

interface Candidate {
  readonly choice: EmbeddingsChoice;
  readonly models?: LocalModels | undefined;
}

/** The encoder that comes with its package, the installed one and an API: each where it is there. */
function candidatesOf({ MODELS_DIR, ...api }: Readonly<Record<string, string | undefined>>): Candidate[] {
  const { EMBEDDINGS_BASE_URL, EMBEDDINGS_API_KEY, EMBEDDINGS_MODEL = 'text-embedding-3-small' } = api;
  const { EMBEDDINGS_QUESTION_PREFIX, EMBEDDINGS_PASSAGE_PREFIX } = api;
  const prefixes = { EMBEDDINGS_QUESTION_PREFIX, EMBEDDINGS_PASSAGE_PREFIX };
  const none = { EMBEDDINGS_BASE_URL: undefined, EMBEDDINGS_API_KEY: undefined, EMBEDDINGS_MODEL };
  return [
    { choice: none },
    ...(MODELS_DIR === undefined ? [] : [{ choice: none, models: localModels(MODELS_DIR) }]),
    ...(EMBEDDINGS_BASE_URL === undefined
      ? []
      : [{ choice: { ...none, ...prefixes, EMBEDDINGS_BASE_URL, EMBEDDINGS_API_KEY } }]),
  ];
}

/** With the best encoder that is there. */
async function evaluateAmongMany(environment: Environment, among: number, print: Print): Promise<void> {
  for (const { choice, models } of candidatesOf(environment).slice(-1)) {
    const { model, notice, close } = await openEmbeddings(choice, models, {
      warn: (_details: unknown, text = '') => print(text),
    });
    print(notice);
    try {
      const { model: name, meaningWeighs } = model;
      print(JSON.stringify(await measureMany(among, { name, embed: embedderOf(model), meaningWeighs }, print)));
    } finally {
      await close();
    }
  }
}

const embedderOf =
  (model: Embeddings) =>
  async (texts: readonly string[], as: keyof Prefixes = 'passage'): Promise<Float32Array[]> => {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += BATCH)
      vectors.push(...(await model.embed(texts.slice(at, at + BATCH), { ...ours, as })));
    return vectors;
  };

async function encode({ choice, models }: Candidate, print: (line: string) => void): Promise<Encoder | undefined> {
  const warn = (_details: unknown, text?: string): void => {
    print(text ?? '');
  };
  const { model, notice, close } = await openEmbeddings(choice, models, { warn });
  print(notice);
  try {
    const all = embedderOf(model);
    const vectors = await all(passages.map(({ text }) => text));
    const asked = await all([...questions.map(({ text }) => text), ...unrelated], 'question');
    const partVectors = await all(parts.map(({ text }) => text));
    const { model: name, similarityThreshold, meaningWeighs } = model;
    const ranked = await measureDocuments(name, { embed: all, meaningWeighs });
    return { name, similarityThreshold, meaningWeighs, vectors, partVectors, asked, ranked };
  } catch (error) {
    print(`left out: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  } finally {
    await close();
  }
}

/** A document of each subject, as it would be split. */
const parts = [...Map.groupBy(passages, ({ title }) => title)].flatMap(([title, ofTitle]) => {
  const text = ofTitle.map((passage) => passage.text).join('\n\n');
  return [...splitPassages(text, [{ start: 0, end: text.length }])].map((part) => ({ ...part, title }));
});

interface DocumentRow {
  readonly name: string;
  readonly first: Readonly<Record<(typeof KINDS)[number], number>>;
}

/** To which part of the questions the document that answers them comes first. */
function measureFirst(encoder: Encoder): DocumentRow {
  const index = new OrganisationIndex(sameBudgets(parts.length));
  const numbered = parts.map((part, at) => ({ ...part, vector: encoder.partVectors[at] }));
  for (const [title, ofTitle] of Map.groupBy(numbered, (part) => part.title)) {
    const source = { kind: 'DOCUMENT', id: title, title: '', generation: title, createdAt: 0 } as const;
    const indexed = ofTitle.map(({ ordinal, text, vector }) => ({ ordinal, text, ...(vector && { vector }) }));
    index.put(source, indexed);
  }
  const titles = new Map(passages.map(({ id, title }) => [id, title]));
  const isFirst = questions.map(({ text, answer }, at) => {
    const vector = encoder.asked[at];
    const [best] = searchIndexes([index], {
      text,
      mode: 'hybrid',
      limit: 1,
      meaningWeighs: encoder.meaningWeighs,
      ...(vector && { vector }),
    });
    return best?.id === titles.get(answer);
  });
  const part = (kind: string): number => {
    const own = isFirst.filter((_, at) => questions[at]?.words === kind);
    return own.filter(Boolean).length / own.length;
  };
  const first = { avoids: part('avoids'), shares: part('shares'), repeats: part('repeats') };
  return { name: `words and ${encoder.name}`, first };
}

interface Row {
  readonly name: string;
  readonly questions: (typeof KINDS)[number];
  readonly at5: number;
  readonly at1: number;
}

function measure(name: string, mode: Mode, encoder?: Encoder): Row[] {
  const index = new OrganisationIndex(sameBudgets(passages.length));
  for (const [at, { id, text }] of passages.entries()) {
    const vector = encoder?.vectors[at];
    const source = { kind: 'DOCUMENT', id, title: '', generation: id, createdAt: 0 } as const;
    index.put(source, [{ ordinal: 0, text, ...(vector && { vector }) }]);
  }
  const ranks = questions.map(({ text, answer }, at) => {
    const vector = encoder?.asked[at];
    const weighed = { meaningWeighs: encoder?.meaningWeighs, ...(vector && { vector }) };
    const found = searchIndexes([index], { text, mode, limit: 5, ...weighed });
    return found.findIndex(({ id }) => id === answer);
  });
  return KINDS.map((kind) => {
    const own = ranks.filter((_, at) => questions[at]?.words === kind);
    const part = (count: number): number => own.filter((rank) => rank >= 0 && rank < count).length / own.length;
    return { name, questions: kind, at5: part(5), at1: part(1) };
  });
}

interface Relevance extends Record<'avoids' | 'repeats', number> {
  readonly name: string;
  readonly others: number;
}

/** The first subjects of the collection: what a company tells its people. */
const isOfHandbook = (id: string): boolean => Number(id.split('.')[0]) <= 5;

/** To which part of the questions something of the handbook is said to fit: to those that it answers, and to others. */
function measureRelevance(name: string, encoder?: Encoder): Relevance {
  const index = new OrganisationIndex(sameBudgets(passages.length));
  for (const [at, { id, text }] of passages.entries()) {
    const vector = encoder?.vectors[at];
    const source = { kind: 'DOCUMENT', id, title: '', generation: id, createdAt: 0 } as const;
    if (isOfHandbook(id)) index.put(source, [{ ordinal: 0, text, ...(vector && { vector }) }]);
  }
  const isRelevant = (text: string, at: number): boolean => {
    const vector = encoder?.asked[at];
    const known = encoder && {
      similarityThreshold: encoder.similarityThreshold,
      meaningWeighs: encoder.meaningWeighs,
    };
    return searchIndexes([index], { text, mode: 'hybrid', limit: 3, ...known, ...(vector && { vector }) }).some(
      (one) => one.isRelevant,
    );
  };
  const outcomes = [
    ...questions.map(({ text, answer, words }, at) => ({
      as: words === 'shares' ? undefined : isOfHandbook(answer) ? words : 'others',
      is: isRelevant(text, at),
    })),
    ...unrelated.map((text, at) => ({ as: 'others', is: isRelevant(text, questions.length + at) })),
  ];
  const part = (kind: string): number => {
    const own = outcomes.filter(({ as }) => as === kind);
    return own.filter(({ is }) => is).length / own.length;
  };
  return { name, avoids: part('avoids'), repeats: part('repeats'), others: part('others') };
}

const pairsOf = (rows: readonly Row[]) => Map.groupBy(rows, ({ name }) => name);

const shown = (row: Row | undefined): string => (row ? `${row.at5.toFixed(2)} (${row.at1.toFixed(2)})` : '');
