import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { randomUUID } from 'node:crypto';
import { buyCredits, expectOk, join, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { CreditBalance, CreditTransaction } from '../src/resources.ts';
import { serverSentEvents, type ServerSentEvent } from '../src/server-sent-events.ts';

const platform = sharedPlatform();

type Message = {
  id: string;
  message: string;
  sender_type: string;
  message_type: string;
  is_finished: boolean;
  annotations: { citations?: { kind: string; id: string; quote: string }[] };
};
type Reply = { conversation_id: string; message: Message; usage: { credits_micros: number } };
type TurnEvent = { turn_id: string; text?: string; message?: Message };

const eventsOf = serverSentEvents<TurnEvent>;
const told = (events: readonly ServerSentEvent<TurnEvent>[]): string =>
  events.map(({ data }) => data.text ?? '').join('');

describe('an assistant', () => {
  let owner: Person;
  let viewer: Person;
  let conventionId: string;
  const question = { assistant_name: 'general', new_message: 'How many days of holidays do we have?' };
  const submit = (by: Person, more: object = {}, headers: Record<string, string> = {}) =>
    by.call<Reply>('POST', '/agents/submit-to-assistant/', { body: { ...question, ...more }, headers });

  beforeAll(async () => {
    owner = await newPerson(platform, 'Olga');
    viewer = await newPerson(platform, 'Vera');
    await join(owner, await newOrganisation(owner), viewer, 'VIEWER');
    const body = { title: 'Holidays', content: 'Everybody has thirty days of holidays in a year.' };
    ({ id: conventionId } = expectOk(await owner.call<{ id: string }>('POST', '/conventions/', { body })));
  });

  it('answers for credits alone', async () => {
    const search = () => owner.call<{ hits: unknown[] }>('POST', '/search/', { body: { query: 'holidays' } });
    expect([(await submit(viewer)).status, (await search()).status]).toEqual([402, 402]);
    await buyCredits(owner);
    const available = async () =>
      expectOk(await owner.call<CreditBalance>('GET', '/credits/balance/')).available_micros > 0;
    await waitFor(available, { what: 'the credits' });
    await waitFor(async () => expectOk(await search()).hits.length > 0, { what: 'the index' });
  });

  it('answers with what it stands on, remembers it, and has its price', async () => {
    const { conversation_id, message, usage } = expectOk(await submit(viewer));
    expect(message).toMatchObject({ sender_type: 'ASSISTANT', message_type: 'TEXT', is_finished: true });
    expect(message.annotations.citations).toMatchObject([
      { kind: 'CONVENTION', id: conventionId, quote: expect.stringContaining('thirty days') },
    ]);
    const said = expectOk(
      await viewer.call<Message[]>('GET', `/messages/?conversation_id=${conversation_id}&order=asc`),
    );
    expect(said.map(({ sender_type }) => sender_type)).toEqual(['USER', 'ASSISTANT']);
    expect(usage.credits_micros).toBeGreaterThan(0);
    const spent = async () =>
      expectOk(
        await owner.call<(CreditTransaction & { purpose: string })[]>('GET', '/credits/transactions/?kind=DEBIT'),
      ).filter(({ purpose }) => purpose === 'assistant_message');
    await waitFor(async () => (await spent()).length === 1, { what: 'the debit' });
  });

  it('answers as events on the same path, of which one that was lost is told again', async () => {
    const streamed = await submit(viewer, {}, { accept: 'text/event-stream' });
    expect([streamed.status, streamed.headers['content-type']]).toEqual([200, 'text/event-stream']);
    const events = eventsOf(streamed.text);
    const { turn_id: turnId, message } = events.at(-1)?.data ?? { turn_id: '' };
    expect([events[0]?.event, events.at(-1)?.event]).toEqual(['started', 'finished']);
    expect(told(events)).toBe(message?.message);
    const watch = (by: Person, lastEventId: string) =>
      by.call('GET', `/agents/turns/${turnId}/events/`, { headers: { 'last-event-id': lastEventId } });
    expect(told(eventsOf((await watch(viewer, '10')).text))).toBe(message?.message.slice(10));
    expect((await watch(viewer, 'finished')).status).toBe(204);
    const stranger = await newPerson(platform, 'Sam');
    await newOrganisation(stranger);
    expect((await watch(stranger, '')).status).toBe(404);
    const stopped = expectOk(await viewer.call<Message>('POST', `/agents/turns/${turnId}/stop/`, { body: {} }));
    expect(stopped).toEqual(message);
  });

  it('answers again and to an edited question, in events as well', async () => {
    const { message, conversation_id } = expectOk(await submit(viewer));
    const accept = { accept: 'text/event-stream' };
    const again = (headers: Record<string, string>) =>
      viewer.call<Reply>('POST', `/messages/${message.id}/regenerate/`, { body: {}, headers });
    const regenerated = eventsOf((await again(accept)).text);
    expect([regenerated[0]?.event, regenerated.at(-1)?.event]).toEqual(['started', 'finished']);
    expect(expectOk(await again({})).message.message).toBe(told(regenerated));
    const { body: said } = await viewer.call<Message[]>(
      'GET',
      `/messages/?conversation_id=${conversation_id}&order=asc`,
    );
    const edit = { body: { new_message: 'How many holidays?' }, headers: accept };
    const edited = eventsOf((await viewer.call('POST', `/messages/${said[0]?.id ?? ''}/edit/`, edit)).text);
    const { turn_id: turnId, message: answer } = edited.at(-1)?.data ?? { turn_id: '' };
    expect(told(edited)).toBe(answer?.message);
    const watched = await viewer.call('GET', `/agents/turns/${turnId}/events/`, { headers: { 'last-event-id': '10' } });
    expect(told(eventsOf(watched.text))).toBe(answer?.message.slice(10));
  });

  it('answers once to a request that is repeated', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const first = expectOk(await submit(viewer, {}, key));
    expect(expectOk(await submit(viewer, {}, key))).toEqual(first);
  });

  it('is not found under another name, nor a conversation of somebody else', async () => {
    expect((await submit(viewer, { assistant_name: 'nobody' })).status).toBe(404);
    const { conversation_id } = expectOk(await submit(viewer));
    expect((await submit(owner, { conversation_id })).status).toBe(404);
  });
});
