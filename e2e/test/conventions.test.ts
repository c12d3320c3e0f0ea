import { beforeAll, describe, expect, it } from '@jest/globals';
import { buyCredits, expectOk, join, newCustomer, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { Convention, ConventionVersion, Found, FoundConventions, Organisation } from '../src/resources.ts';

const platform = sharedPlatform();

describe('conventions and the search', () => {
  let ada: Person;
  let organisation: Organisation;
  beforeAll(async () => {
    ada = await newPerson(platform, 'Ada');
    organisation = await newOrganisation(ada);
    await buyCredits(ada);
  });

  it('lead from a rule that is written down to its words in an answer, its history and its end', async () => {
    const body = { title: 'Money', content: 'Sums are given in euros, with two decimals.' };
    const created = expectOk(await ada.call<Convention>('POST', '/conventions/', { body }));
    expect(created).toMatchObject({ ...body, organisation_id: organisation.id });
    expect(Math.hypot(...created.embedding)).toBeCloseTo(1, 3);
    const path = `/conventions/${created.id}`;
    expect(expectOk(await ada.call<Convention>('GET', path))).toEqual(created);

    const tone = { title: 'Tone', content: 'Letters to customers are friendly and short.' };
    expectOk(await ada.call('POST', '/conventions/', { body: tone }));
    const question = { query: 'How polite should we be when we write to clients?', limit: 1 };
    const meant = expectOk(await ada.call<FoundConventions>('POST', '/conventions/search/', { body: question }));
    expect(meant.hits).toMatchObject([{ convention: tone }]);

    const found = async (query: string) =>
      expectOk(await ada.call<Found>('POST', '/search/', { body: { query, mode: 'keyword' } })).hits;
    const [hit] = await found('decimals');
    expect(hit).toMatchObject({ kind: 'CONVENTION', id: created.id, page: null, quote: { text: body.content } });
    expect(hit?.quote.highlights).toEqual([{ start: 34, end: 42 }]);

    const changed = expectOk(await ada.call<Convention>('PATCH', path, { body: { content: 'Whole francs.' } }));
    expect(changed).toMatchObject({ title: 'Money', content: 'Whole francs.' });
    expect(changed.embedding).not.toEqual(created.embedding);
    expect(await found('decimals')).toEqual([]);
    const history = expectOk(await ada.call<ConventionVersion[]>('GET', `${path}/history/`));
    expect(history.map(({ actor_name, changed_fields, content }) => [actor_name, changed_fields, content])).toEqual([
      ['Ada', ['content'], 'Whole francs.'],
      ['Ada', ['title', 'content'], body.content],
    ]);

    expect(expectOk(await ada.call('DELETE', path))).toEqual({ id: created.id, deleted: true });
    expect((await ada.call('DELETE', path)).status).toBe(404);
    expect(await found('francs')).toEqual([]);
  });

  it('are read by everybody in the organisation, written by editors, and unknown to others', async () => {
    const viewer = await newPerson(platform, 'Vera');
    await join(ada, organisation, viewer, 'VIEWER');
    const body = { title: 'Dates', content: 'The year comes first.' };
    const { id } = expectOk(await ada.call<Convention>('POST', '/conventions/', { body }));
    const own = { organisationId: organisation.id };
    expect((await viewer.call('GET', `/conventions/${id}`, own)).status).toBe(200);
    expect((await viewer.call('POST', '/conventions/', { ...own, body })).status).toBe(403);
    const stranger = await newCustomer(platform, 'Stranger');
    for (const path of [`/conventions/${id}`, `/conventions/${id}/history/`])
      expect((await stranger.call('GET', path)).status).toBe(404);
    const search = { body: { query: 'the year comes first' } };
    expect(expectOk(await stranger.call<Found>('POST', '/search/', search)).hits).toEqual([]);
  });
});
