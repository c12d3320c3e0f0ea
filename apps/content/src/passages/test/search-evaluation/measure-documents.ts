import { performance } from 'node:perf_hooks';
import { embeddedText } from '../../app/prepare-text.ts';
import type { Prefixes } from '../../domain/embeddings.ts';
import { markedHeadings, splitPassages } from '../../extraction/split-passages.ts';
import { sameBudgets } from '../../indexes/index-parts.ts';
import { OrganisationIndex, type Found } from '../../indexes/organisation-index.ts';
import { searchIndexes } from '../../indexes/search-indexes.ts';
import questions from './document-questions.json' with { type: 'json' };
import documents from './documents.json' with { type: 'json' };
import others from './passages.json' with { type: 'json' };

/** Questions, one after the other, are of one half and of the other: weights are chosen with the first alone. */
export const HALVES = ['chosen with', 'held out'] as const;
export const QUESTION_KINDS = ['plain', 'named', 'table', 'german', 'follow-up'] as const;
export const MODES = ['keyword', 'semantic', 'hybrid'] as const;

export interface DocumentRow {
  readonly name: string;
  readonly mode: (typeof MODES)[number];
  readonly half: (typeof HALVES)[number];
  readonly questions: (typeof QUESTION_KINDS)[number] | 'all';
  /** Follow-ups as somebody asks them; else as the conversation says them whole. */
  readonly followUps: 'whole' | 'as asked';
  readonly at1: number;
  readonly at5: number;
  readonly mrr: number;
  readonly ndcg10: number;
  /** Of one search, without the vector of its question. */
  readonly msPerSearch: number;
}

/** Passages, unless it is said that they are questions. */
export type Embed = (texts: readonly string[], as?: keyof Prefixes) => Promise<readonly Float32Array[]>;

export interface AskedQuestion {
  readonly kind: string;
  readonly text: string;
  readonly document: string;
  readonly quote: string;
  readonly whole?: string;
}

/** What is beside the documents that are asked about, so that there is something else to find. */
const subjects = [...Map.groupBy(others, ({ title }) => title)].map(([name, ofSubject]) => ({
  name,
  text: ofSubject.map(({ text }) => text).join('\n\n'),
}));

/** As a conversation says it whole. */
export const textAsked = ({ whole, text }: AskedQuestion): string => whole ?? text;

/** All documents and what is beside them; answers what each passage says. */
export async function putDocuments(index: OrganisationIndex, embed?: Embed): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const document of [...documents, ...subjects]) {
    const whole = [{ start: 0, end: document.text.length }];
    const passages = [...splitPassages(document.text, whole, markedHeadings)];
    const source = { kind: 'DOCUMENT', title: document.name } as const;
    const vectors = await embed?.(passages.map((passage) => embeddedText(source, passage)));
    index.put(
      { ...source, id: document.name, generation: document.name, createdAt: 0 },
      passages.map(({ ordinal, text, heading }, at) => {
        const vector = vectors?.[at];
        return { ordinal, text, heading, ...(vector && { vector }) };
      }),
    );
    for (const { ordinal, text } of passages) texts.set(`${document.name}/${String(ordinal)}`, text);
  }
  return texts;
}

/** Where among what was found the passage is that answers; -1: nowhere. */
export const rankOf = (
  { document, quote }: AskedQuestion,
  found: readonly Pick<Found, 'id' | 'ordinal'>[],
  texts: ReadonlyMap<string, string>,
): number =>
  found.findIndex(({ id, ordinal }) => id === document && texts.get(`${id}/${String(ordinal)}`)?.includes(quote));

/** How often, and how far in front, the passage of a document that answers comes; without an encoder, by words alone. */
export async function measureDocuments(
  name: string,
  { embed, meaningWeighs }: { readonly embed?: Embed; readonly meaningWeighs?: number | undefined } = {},
): Promise<DocumentRow[]> {
  const index = new OrganisationIndex(sameBudgets(100_000));
  const texts = await putDocuments(index, embed);
  const rows: DocumentRow[] = [];
  for (const followUps of ['whole', 'as asked'] as const) {
    const asked = (questions as readonly AskedQuestion[]).map((one) =>
      followUps === 'whole' ? textAsked(one) : one.text,
    );
    const vectors = await embed?.(asked, 'question');
    for (const mode of embed ? MODES : (['keyword'] as const)) {
      const begun = performance.now();
      const found = asked.map((text, at) => {
        const vector = vectors?.[at];
        return searchIndexes([index], { text, mode, limit: 10, meaningWeighs, ...(vector && { vector }) });
      });
      const msPerSearch = (performance.now() - begun) / asked.length;
      const ranks = (questions as readonly AskedQuestion[]).map((one, at) => rankOf(one, found[at] ?? [], texts));
      for (const [half, title] of HALVES.entries())
        for (const kind of ['all', ...QUESTION_KINDS] as const) {
          if (followUps === 'as asked' && kind !== 'follow-up') continue;
          const own = ranks.filter((_, at) => at % 2 === half && (kind === 'all' || questions[at]?.kind === kind));
          rows.push({ name, mode, half: title, questions: kind, followUps, ...figuresOf(own), msPerSearch });
        }
    }
  }
  return rows;
}

/** Of one right answer each; a rank of -1 is none among the first ten. */
export function figuresOf(ranks: readonly number[]) {
  const mean = (score: (rank: number) => number): number =>
    ranks.reduce((sum, rank) => sum + (rank < 0 ? 0 : score(rank)), 0) / ranks.length;
  return {
    at1: mean((rank) => (rank === 0 ? 1 : 0)),
    at5: mean((rank) => (rank < 5 ? 1 : 0)),
    mrr: mean((rank) => 1 / (rank + 1)),
    ndcg10: mean((rank) => 1 / Math.log2(rank + 2)),
  };
}

export function printDocuments(rows: readonly DocumentRow[], print: (line: string) => void): void {
  print('');
  print(
    `${String(documents.length)} documents beside ${String(subjects.length)} others, ${String(questions.length)} questions: recall at 1, at 5, MRR, nDCG@10`,
  );
  for (const half of HALVES) {
    print(`${half.padEnd(60)} at 1   at 5   MRR    nDCG   ms per search`);
    for (const row of rows.filter((one) => one.half === half)) {
      const asked = row.followUps === 'as asked' ? ', as asked, without the conversation' : '';
      const figures = [row.at1, row.at5, row.mrr, row.ndcg10].map((value) => value.toFixed(2).padEnd(6)).join(' ');
      const what = `${row.name} ${row.mode}: ${row.questions}${asked}`;
      print(`${what.padEnd(60)} ${figures} ${row.msPerSearch.toFixed(1)}`);
    }
  }
}
