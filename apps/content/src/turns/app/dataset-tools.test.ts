import { describe, expect, it } from '@jest/globals';
import { invalid, unavailable, type ActorContext } from '@platform-backend/core';
import type { Datasets } from '../domain/datasets.ts';
import { datasetTools } from './dataset-tools.ts';

const by: ActorContext = {
  organisationId: 'org_1',
  actor: { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'VIEWER' },
  requestId: 'r',
};
const sales = { id: 's', name: 'sales "2026"', description: 'By day', columns: [{ name: 'day', type: 'DATE' }] };

function use(name: string, own: Partial<Datasets>, query = 'SELECT 1') {
  const datasets: Datasets = {
    find: () => Promise.resolve(undefined),
    list: () => Promise.resolve([]),
    query: () => Promise.resolve({ columns: [], rows: [], isCut: false }),
    ...own,
  };
  return datasetTools(datasets, by)
    .find((tool) => tool.name === name)
    ?.run({ query }, new AbortController().signal);
}

describe('datasets as tools', () => {
  it('are shown as queries call them, with their columns', async () => {
    expect(await use('list_datasets', { list: () => Promise.resolve([sales]) })).toBe(
      '"sales ""2026""" (day DATE): By day',
    );
    expect(await use('list_datasets', {})).toBe('There are none.');
  });

  it('give the rows of a statement, and say when there are more', async () => {
    const query: Datasets['query'] = (caller, statement, limit) => {
      expect([caller.organisationId, statement, limit]).toEqual(['org_1', 'SELECT 1', 50]);
      return Promise.resolve({ columns: ['day'], rows: [['2026-01-01'], [null]], isCut: true });
    };
    expect(await use('query_datasets', { query })).toBe('["day"]\n["2026-01-01"]\n[null]\nThere are more rows.');
  });

  it('say to the model what is wrong with its statement, and leave to others what is not its fault', async () => {
    const wrong = invalid([{ type: 'value_error', loc: ['body', 'query'], msg: 'no such column' }]);
    expect(await use('query_datasets', { query: () => Promise.reject(wrong) })).toBe(
      'The statement cannot be run: no such column',
    );
    const away = unavailable(new Error('away'));
    await expect(use('query_datasets', { query: () => Promise.reject(away) })).rejects.toBe(away);
  });

  it('show no more than a model reads', async () => {
    const rows = Array.from({ length: 50 }, () => ['x'.repeat(1_000)]);
    const shown = await use('query_datasets', { query: () => Promise.resolve({ columns: [], rows, isCut: false }) });
    expect(shown).toHaveLength(16_001);
  });

  it('show whole characters alone: half of one is no text that a model takes', async () => {
    const list = () => Promise.resolve([{ ...sales, name: '', description: '😀'.repeat(10_000), columns: [] }]);
    const shown = await use('list_datasets', { list });
    expect(shown).toBe(`"" (): ${'😀'.repeat(7_996)}…`);
  });
});
