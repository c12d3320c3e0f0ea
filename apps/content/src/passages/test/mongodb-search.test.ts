import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { searchIndexName } from '@platform-backend/mongo';
import { mongoWithSearch } from '@platform-backend/mongo/testing';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { encoderOf, openSearchUnderTest, passagesOf, type SearchUnderTest } from '../../../test/search-under-test.ts';
import { startTestContent } from '../../../test/test-content.ts';
import { compose } from '../../areas.ts';
import { service } from '../../service.ts';
import { WORDS_BEFORE } from '../store/passage-finder.ts';

const source = (id: string) => ({ kind: 'DOCUMENT', id, title: '', createdAt: new Date() }) as const;

describe('the search of MongoDB', () => {
  let parts: SearchUnderTest;
  beforeAll(async () => {
    parts = await openSearchUnderTest({ kind: 'mongodb', buildsForMs: 1_500 });
  });
  afterAll(() => parts.close());

  it('is unavailable while its indexes are being built, and answers afterwards', async () => {
    const organisationId = newId();
    const { passages, search } = parts.replica(encoderOf('m').embeddings);
    await passages.replace(organisationId, source('d'), passagesOf('bees'));
    const ask = (mode: 'hybrid' | 'semantic') => search.search(organisationId, { text: 'bees', mode, limit: 1 });
    await expect(ask('semantic')).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(ask('hybrid')).rejects.toMatchObject({ kind: 'unavailable' });
    const isFound = async () => (await ask('semantic')).hits.length === 1;
    await waitFor(isFound, { what: 'the index' });
    await waitFor(async () => (await ask('hybrid')).mode === 'hybrid', { what: 'the other index' });
    await search.close();
  });

  it('is that of the version before while the index by words of this one is being built', async () => {
    await using closing = new AsyncDisposableStack();
    const rolledOut = closing.adopt(await openSearchUnderTest({ kind: 'mongodb', buildsForMs: 2_000 }), (one) =>
      one.close(),
    );
    const { database, replica } = rolledOut;
    expect(searchIndexName(WORDS_BEFORE.index)).toBe('passages_words_961c191d');
    await waitFor(() => database.ensureSearchIndex(WORDS_BEFORE.index), { what: 'the index of the version before' });
    const organisationId = newId();
    const { passages, search } = replica(encoderOf('m').embeddings);
    closing.defer(search.close);
    await passages.replace(organisationId, source('d'), passagesOf('bees'));
    const ask = () => search.search(organisationId, { text: 'bees', mode: 'keyword', limit: 1 });
    await waitFor(async () => (await ask()).hits.length === 1, { what: 'what was written to be found' });
  });

  it('compares vectors of one model with each other alone, and has an index for each length', async () => {
    const organisationId = newId();
    const one = parts.replica(encoderOf('one', ['bees', 'bread']).embeddings);
    const other = parts.replica(encoderOf('other', ['bread', 'bees']).embeddings);
    await one.passages.replace(organisationId, source('d'), passagesOf('bees'));
    const ask = ({ search }: typeof one) => search.search(organisationId, { text: 'bees', mode: 'semantic', limit: 1 });
    await waitFor(async () => (await ask(one)).hits.length === 1, { what: 'the index' });
    expect((await ask(other)).hits).toEqual([]);
    const longer = parts.replica(encoderOf('longer', ['bees', 'wax', 'honey', 'hives', 'bread']).embeddings);
    await expect(ask(longer)).rejects.toMatchObject({ kind: 'unavailable' });
    for (const { search } of [one, other, longer]) await search.close();
  });
});

describe('a service that is to use the search of MongoDB', () => {
  const environment = { CONTENT_SEARCH: 'mongodb' };

  it('says at its start that the server has none, and what to do', async () => {
    const starting = startTestContent({ environment });
    await expect(starting).rejects.toThrow(
      /CONTENT_SEARCH=mongodb does not work here: .*MongoDB Atlas, or MongoDB 8.2/,
    );
  });

  it('finds what it keeps, by words and meaning', async () => {
    await using closing = new AsyncDisposableStack();
    const run = async (env: Readonly<Record<string, string>>) => {
      const withSearch = await mongoWithSearch(env['CONTENT_DATABASE_URL'] ?? '');
      closing.defer(withSearch.close);
      const logger = createLogger({ service: 'content', level: 'silent' });
      return service.start(compose, { env: { ...env, CONTENT_DATABASE_URL: withSearch.url }, logger });
    };
    const content = closing.adopt(await startTestContent({ environment, run }), ({ stop }) => stop());
    const [ada, stranger] = [member(newOrganisation()), member(newOrganisation())];
    await content.conventions.createConvention({ title: 'Claims', content: 'A claim names its reason.' }, ada);
    const search = (by: object) => content.search.search({ query: 'the reason of claims', mode: 'hybrid' }, by);
    const isFound = async () => {
      const { hits, mode } = await search(ada);
      return mode === 'hybrid' && hits.length === 1;
    };
    await waitFor(isFound, { what: 'the convention to be found' });
    expect((await search(stranger)).hits).toEqual([]);
  });
});
