import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creditLedger, debitsOf } from '@platform-backend/contract-billing/client/testing';
import { newId, systemClock } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { actingAs, conversationsOf } from '../../../test/conversation-under-test.ts';
import { keys, startTestContent, type TestContent } from '../../../test/test-content.ts';
import type { Passage, Source } from '../../passages/domain/passage.ts';
import { passagesStore } from '../../passages/store/passages-store.ts';

describe('a search over everything', () => {
  let content: TestContent;
  const organisationId = newOrganisation();
  const [ada, bob, guest] = [
    member(organisationId, 'ADMIN'),
    member(organisationId, 'VIEWER'),
    member(organisationId, 'VIEWER'),
  ];
  const handbook = newId();

  /** As those have it published who own documents and messages; without vectors, for which the service sees in its own time. */
  async function publish(source: Source, passages: readonly Passage[]): Promise<void> {
    const database = content.frame?.storage.database;
    if (!database) throw new Error('the service runs in this process');
    const store = passagesStore(database);
    const generation = await store.begin(organisationId, source, systemClock.now());
    await store.add(organisationId, source, generation, passages);
    const published = { ...source, generation, model: '', passages: passages.length };
    await store.publish(organisationId, published, systemClock);
  }

  const search = async (request: Parameters<TestContent['search']['search']>[0], caller = bob) =>
    content.search.search({ mode: 'keyword', ...request }, caller);
  const ids = async (...wanted: Parameters<typeof search>) => (await search(...wanted)).hits.map(({ id }) => id);

  beforeAll(async () => {
    content = await startTestContent({ idle: true, encoder: 'shipped' });
    const text = 'Receipts are attached to the claim. Claims are sent in by the tenth of the month.';
    const document = {
      kind: 'DOCUMENT',
      id: handbook,
      title: 'Handbook',
      createdAt: new Date('2026-02-01'),
      collection: 'hr',
      mediaType: 'application/pdf',
    } as const;
    await publish(document, [{ ordinal: 0, text, page: 7, start: 100, end: 100 + text.length }]);
    const said = 'Where is the claim for my receipts?';
    const { question } = await conversationsOf(content).ask(actingAs(bob), said);
    const message = {
      kind: 'MESSAGE',
      id: question?.id ?? '',
      title: 'Expenses',
      createdAt: new Date('2026-03-01'),
    } as const;
    await publish({ ...message, memberIds: [bob.caller.userId ?? ''] }, [
      { ordinal: 0, text: said, start: 0, end: said.length },
    ]);
    await content.conventions.createConvention({ title: 'Claims', content: 'A claim names its reason.' }, ada);
  });
  afterAll(() => content.stop());

  it('shows a hit with the passages around it, each word once, and says whether it is about the question', async () => {
    const text = 'The boiler is old. It is heated with oil. Nobody repairs it.';
    const parts = ['The boiler is old. It is heated', 'It is heated with oil.', 'Nobody repairs it.'];
    const source = { kind: 'DOCUMENT', id: newId(), title: 'Cellar', createdAt: new Date('2026-02-02') } as const;
    const passages = parts.map((part, ordinal) => {
      const start = text.indexOf(part);
      return { ordinal, text: part, start, end: start + part.length };
    });
    await publish(source, passages);
    const { hits } = await search({ query: 'oil', contextPassages: 1, maxPerSource: 1, relevantOnly: true });
    expect(hits).toMatchObject([
      { id: source.id, text: parts[1], isRelevant: true, context: { text, start: 0, end: text.length } },
    ]);
    expect((await search({ query: 'oil' })).hits).toMatchObject([{ context: null }]);
  });

  it('shows where the answer stands, to the page and the letter', async () => {
    const { hits, mode, isComplete } = await search({ query: 'receipt attached', kinds: ['DOCUMENT'] });
    expect({ mode, isComplete }).toEqual({ mode: 'keyword', isComplete: true });
    expect(hits).toMatchObject([
      {
        kind: 'DOCUMENT',
        id: handbook,
        title: 'Handbook',
        collection: 'hr',
        mediaType: 'application/pdf',
        page: 7,
        quote: {
          start: 100,
          highlights: [
            { start: 0, end: 8 },
            { start: 13, end: 21 },
          ],
        },
      },
    ]);
  });

  it('shows messages to those alone who may read them, and to administrators', async () => {
    const kinds = ['MESSAGE'] as const;
    expect(await ids({ query: 'claim', kinds })).toHaveLength(1);
    expect(await ids({ query: 'claim', kinds }, guest)).toHaveLength(0);
    expect(await ids({ query: 'claim', kinds }, ada)).toHaveLength(1);
    expect(await ids({ query: 'claim' }, member(newOrganisation()))).toHaveLength(0);
  });

  it('keeps to its filters', async () => {
    expect(await ids({ query: 'claim' })).toHaveLength(3);
    expect(await ids({ query: 'claim', collection: 'hr' })).toEqual([handbook]);
    expect(await ids({ query: 'claim', mediaTypes: ['text/plain'] })).toEqual([]);
    expect(await ids({ query: 'claim', documentIds: [handbook] })).toEqual([handbook]);
    const [createdAfter, createdBefore] = [new Date('2026-01-15'), new Date('2026-02-15')];
    expect(await ids({ query: 'claim', createdAfter, createdBefore })).toEqual([handbook]);
    expect(await ids({ query: 'claim', limit: 2 })).toHaveLength(2);
  });

  it('goes by words and meaning unless asked otherwise', async () => {
    const request = { query: 'How should an application for money back be justified?', kinds: ['CONVENTION'] as const };
    const answer = await content.search.search(request, bob);
    expect(answer).toMatchObject({ mode: 'hybrid', hits: [{ title: 'Claims' }] });
  });

  it('asks for something to look for', async () => {
    for (const query of ['', ' ', '\u200b'])
      expect(await refusalOf(search({ query }))).toMatchObject({ kind: 'invalid' });
    expect(await refusalOf(search({ query: 'x', limit: 51 }))).toMatchObject({ kind: 'invalid' });
  });
});

describe('a search', () => {
  it.each(['search', 'conventions'] as const)(
    'begins only where there are credits, costs none, and goes on while billing is away: %s',
    async (where) => {
      const ledger = await creditLedger(keys);
      const content = await startTestContent({ idle: true, environment: { BILLING_ADDRESS: ledger.address } });
      try {
        const organisationId = newOrganisation();
        const by = member(organisationId, 'VIEWER');
        const request = { query: 'claims', mode: 'keyword' } as const;
        const look = async () =>
          where === 'search' ? content.search.search(request, by) : content.conventions.searchConventions(request, by);
        await look();
        expect(ledger.reservedBy(organisationId)).toMatchObject([{ purpose: 'search', creditClass: 'AI' }]);
        await waitFor(() => ledger.heldBy(organisationId).length === 0, { what: 'the release' });
        expect(await debitsOf(content, organisationId)).toEqual([]);
        ledger.useUp(organisationId);
        expect(await refusalOf(look())).toMatchObject({ kind: 'payment_required' });
        await ledger.close();
        expect((await look()).hits).toEqual([]);
      } finally {
        await content.stop();
        await ledger.close();
      }
    },
  );
});
