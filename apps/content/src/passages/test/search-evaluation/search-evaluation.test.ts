import { beforeAll, describe, expect, it } from '@jest/globals';
import { repetitions } from '@platform-backend/testing';
import { describeWhere, leaveOut } from '@platform-backend/testing/where';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { evaluateSearch } from './search-evaluation.ts';

/** As the tests of the encoders look for them; MiniLM is left out where it is not installed. */
const installed =
  process.env['MODELS_DIR'] ?? join(import.meta.dirname, '../../../../../../node_modules/.cache/models');
/** It embeds a thousand texts; in the usual form the encoder that comes with its package does so alone. */
const withMiniLm = repetitions({ usual: 0, long: 1 }) === 1;

interface Row {
  readonly name: string;
  readonly questions: string;
  readonly at5: number;
  readonly at1: number;
  /** Of documents alone. */
  readonly mode?: 'keyword' | 'semantic' | 'hybrid';
  readonly half?: string;
  readonly followUps?: string;
  readonly mrr?: number;
}

interface Figures extends Record<'at1' | 'at5' | 'mrr', number> {
  readonly mode: 'keyword' | 'semantic' | 'hybrid';
  readonly kind: string;
}

/** Of questions that share no word with their answer, words tell nothing: so many more of them may go wrong. */
const MISLED = 0.08;

/** Words alone have a little more among five than with an encoder that knows less. */
const FEWER_OF_FIVE = 0.03;

/** Just below what was reached of the questions that were held out: whoever takes something from it says so here. */
const FLOORS = {
  'all-MiniLM-L6-v2': { at1: 0.84, at5: 0.97, mrr: 0.9 },
  'universal-sentence-encoder-lite': { at1: 0.74, at5: 0.94, mrr: 0.84 },
} as const;

describeWhere(
  withMiniLm ? undefined : 'npm run test:long searches among 100,000 passages',
  'a search among 100,000 passages',
  () => {
    it('finds no less of what was held out than words or meaning alone', async () => {
      const lines: string[] = [];
      const models = existsSync(installed) ? installed : undefined;
      await evaluateSearch({ MODELS_DIR: models }, (line) => lines.push(line), { among: 100_000 });
      const { figures } = JSON.parse(lines.at(-1) ?? '{}') as { figures: readonly Figures[] };
      const [words, meaning, both] = (['keyword', 'semantic', 'hybrid'] as const).map((mode) =>
        figures.find((one) => one.mode === mode && one.kind === 'all'),
      );
      for (const figure of ['at1', 'at5', 'mrr'] as const)
        for (const alone of [words, meaning])
          expect(both?.[figure]).toBeGreaterThanOrEqual(alone?.[figure] ?? Infinity);
    });
  },
);

describe('a search by words and by the meaning that an encoder gives', () => {
  let rows: readonly Row[];
  beforeAll(async () => {
    const lines: string[] = [];
    const models = withMiniLm && existsSync(installed) ? installed : undefined;
    await evaluateSearch({ MODELS_DIR: models }, (line) => lines.push(line));
    rows = JSON.parse(lines.at(-1) ?? '[]') as Row[];
    const hasMiniLm = rows.some(({ name }) => name.includes('MiniLM'));
    if (!withMiniLm) leaveOut('npm run test:long takes all-MiniLM-L6-v2 as well: a search with it is not measured');
    else if (!hasMiniLm) leaveOut('the model all-MiniLM-L6-v2 is not installed: a search with it is not measured');
  });

  it('finds no less than the better of the two, with every encoder that is there, and little less where all words mislead', () => {
    const both = rows.filter(({ name }) => name.startsWith('BM25 and '));
    expect(both.length).toBeGreaterThan(0);
    for (const { name, questions, at5, at1 } of both) {
      const alone = rows.filter(
        (row) => row.questions === questions && (row.name === 'BM25' || name === `BM25 and ${row.name}`),
      );
      expect(alone).toHaveLength(2);
      for (const one of alone) {
        const misled = questions === 'avoids' ? MISLED : 0;
        expect(at5).toBeGreaterThanOrEqual(one.at5 - misled);
        expect(at1).toBeGreaterThanOrEqual(one.at1 - misled);
      }
    }
  });

  it('finds what documents answer no less often than by either alone', () => {
    const all = rows.filter(({ questions, followUps }) => questions === 'all' && followUps === 'whole');
    const [hybrid, alone] = [all.filter(({ mode }) => mode === 'hybrid'), all.filter(({ mode }) => mode !== 'hybrid')];
    expect(hybrid.length).toBeGreaterThan(0);
    for (const { name, half, at1, at5, mrr } of hybrid) {
      for (const one of alone.filter((row) => row.name === name && row.half === half)) {
        expect(at1).toBeGreaterThanOrEqual(one.at1);
        expect(at5).toBeGreaterThanOrEqual(one.at5 - FEWER_OF_FIVE);
        expect(mrr).toBeGreaterThanOrEqual(one.mrr ?? Infinity);
      }
    }
  });

  it('finds of the questions that were held out as many as ever', () => {
    const all = rows.filter(
      ({ questions, followUps, mode }) => [questions, followUps, mode].join() === 'all,whole,hybrid',
    );
    const heldOut = all.filter(({ half }) => half === 'held out');
    expect(heldOut.map(({ name }) => name)).toContain('universal-sentence-encoder-lite');
    for (const { name, at1, at5, mrr = 0 } of heldOut) {
      const floor = FLOORS[name as keyof typeof FLOORS];
      expect(at1).toBeGreaterThanOrEqual(floor.at1);
      expect(at5).toBeGreaterThanOrEqual(floor.at5);
      expect(mrr).toBeGreaterThanOrEqual(floor.mrr);
    }
  });

  it('finds a follow-up better when it is said whole', () => {
    const hybrid = rows.filter(({ mode, questions }) => mode === 'hybrid' && questions === 'follow-up');
    const mrrOf = (followUps: string) => hybrid.find((row) => row.followUps === followUps)?.mrr ?? 0;
    expect(mrrOf('whole')).toBeGreaterThan(mrrOf('as asked') + 0.2);
  });
});
