import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { expectOk, join, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { CreditBalance, Organisation } from '../src/resources.ts';

const platform = sharedPlatform();

type Conversation = {
  id: string;
  title: string;
  member_id: string;
  shared: boolean;
  archived: boolean;
  current_message_id: string;
  message_count: number;
};
type Message = {
  id: string;
  message: string;
  sender_type: string;
  parent_message_id: string;
  created_at: string;
  feedback: { rating: string; comment: string } | null;
};
type Reply = { conversation_id: string; message: Message };

describe('conversations and their messages', () => {
  let owner: Person;
  let vera: Person;
  let stranger: Person;
  let organisation: Organisation;
  /** Begun in this order. */
  const conversations: string[] = [];

  const ask = async (new_message: string, conversation_id?: string): Promise<Reply> => {
    const body = { assistant_name: 'general', new_message, ...(conversation_id !== undefined && { conversation_id }) };
    return expectOk(await vera.call<Reply>('POST', '/agents/submit-to-assistant/', { body }));
  };
  const listed = async (query: string, by = vera): Promise<string[]> =>
    expectOk(await by.call<Conversation[]>('GET', `/conversations/${query}`)).map(({ title }) => title);
  const messages = async (query: string, by = vera): Promise<Message[]> =>
    expectOk(await by.call<Message[]>('GET', `/messages/${query}`));
  const of = (at: number) => `/conversations/${conversations[at] ?? ''}/`;

  /** Every page of a list, with the cursors that its answers give. */
  const paged = async <Item>(path: string): Promise<Item[]> => {
    const items: Item[] = [];
    for (let next = ''; ;) {
      const answer = await vera.call<Item[]>('GET', `${path}&limit=2${next}`);
      items.push(...expectOk(answer));
      const cursor = answer.headers['x-next-cursor'];
      if (cursor === undefined) break;
      next = `&cursor=${encodeURIComponent(cursor)}`;
    }
    return items;
  };

  beforeAll(async () => {
    owner = await newPerson(platform, 'Olga');
    vera = await newPerson(platform, 'Vera');
    stranger = await newPerson(platform, 'Sam');
    organisation = await newOrganisation(owner);
    await join(owner, organisation, vera, 'VIEWER');
    await newOrganisation(stranger);
    expectOk(await owner.call('POST', '/credits/purchases/', { body: { credits: 100 } }));
    const available = async () =>
      expectOk(await owner.call<CreditBalance>('GET', '/credits/balance/')).available_micros > 0;
    await waitFor(available, { what: 'the credits' });
    for (const text of ['About walruses', 'About penguins', 'About seals'])
      conversations.push((await ask(text)).conversation_id);
    await ask('And their insurance?', conversations[0]);
  });

  it('are listed by every filter, also by what was said last', async () => {
    expect(await listed('')).toEqual(['About seals', 'About penguins', 'About walruses']);
    expect(await listed('?order=asc')).toEqual(['About walruses', 'About penguins', 'About seals']);
    expect(await listed('?sort=activity')).toEqual(['About walruses', 'About seals', 'About penguins']);
    expect(await listed('?title=PENG')).toEqual(['About penguins']);
    expect(await listed('?shared=true')).toEqual([]);
    expect(await listed('?archived=false&sort=activity&order=asc&limit=1')).toEqual(['About penguins']);
    const { member_id } = expectOk(await vera.call<Conversation>('GET', of(0)));
    expect(await listed(`?member_id=${member_id}`)).toHaveLength(3);
    expect(await listed('', stranger)).toEqual([]);
    expect((await vera.call('GET', '/conversations/?sort=size')).status).toBe(422);
  });

  it('are paged without a gap or a repetition, while more is said', async () => {
    const pages = await paged<Conversation>('/conversations/?sort=activity');
    expect(pages.map(({ title }) => title)).toEqual(['About walruses', 'About seals', 'About penguins']);
    const first = await vera.call<Message[]>('GET', '/messages/?limit=3&include_total=true');
    const all = await messages('');
    expect(all).toHaveLength(8);
    await ask('Where do they live?', conversations[1]);
    const cursor = encodeURIComponent(first.headers['x-next-cursor'] ?? '');
    const rest = await messages(`?limit=200&cursor=${cursor}`);
    expect([...expectOk(first), ...rest].map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    const whole = await paged<Message>(`/messages/?conversation_id=${conversations[1] ?? ''}&order=asc`);
    expect(whole.map(({ sender_type }) => sender_type)).toEqual(['USER', 'ASSISTANT', 'USER', 'ASSISTANT']);
  });

  it('show their messages by every filter, and each alone', async () => {
    const inFirst = `conversation_id=${conversations[0] ?? ''}`;
    const said = await messages(`?${inFirst}&order=asc`);
    expect(said.map(({ sender_type }) => sender_type)).toEqual(['USER', 'ASSISTANT', 'USER', 'ASSISTANT']);
    expect((await messages(`?${inFirst}&sender_type=USER`)).map(({ message }) => message)).toEqual([
      'And their insurance?',
      'About walruses',
    ]);
    expect(await messages(`?${inFirst}&is_finished=false`)).toEqual([]);
    const since = encodeURIComponent(said[1]?.created_at ?? '');
    expect(await messages(`?${inFirst}&created_after=${since}`)).toHaveLength(2);
    expect(await messages(`?${inFirst}&created_before=${since}`)).toHaveLength(1);
    expect(expectOk(await vera.call<Message>('GET', `/messages/${said[0]?.id ?? ''}/`))).toEqual(said[0]);
    expect((await stranger.call('GET', `/messages/${said[0]?.id ?? ''}/`)).status).toBe(404);
    expect((await stranger.call('GET', of(0))).status).toBe(404);
  });

  it('are renamed, archived and shared by their owner, and found by who may read them', async () => {
    const rename = { body: { title: 'Sea animals' } };
    expect(expectOk(await vera.call<Conversation>('PATCH', of(0), rename)).title).toBe('Sea animals');
    expect((await owner.call('PATCH', of(0), rename)).status).toBe(404);
    const reader = await newPerson(platform, 'Rita');
    await join(owner, organisation, reader, 'VIEWER');
    const found = async (by: Person): Promise<string[]> => {
      const search = { query: 'walruses insurance', mode: 'keyword', kinds: ['MESSAGE'] };
      const { hits } = expectOk(await by.call<{ hits: { title: string }[] }>('POST', '/search/', { body: search }));
      return [...new Set(hits.map(({ title }) => title))];
    };
    await waitFor(async () => (await found(vera)).join() === 'Sea animals', { what: 'the new title' });
    expect((await reader.call('GET', of(0))).status).toBe(404);
    expect(expectOk(await vera.call<Conversation>('POST', `${of(0)}share/`, { body: {} })).shared).toBe(true);
    expect(expectOk(await reader.call<Conversation>('GET', of(0))).title).toBe('Sea animals');
    expect(await listed('?shared=true', reader)).toEqual(['Sea animals']);
    await waitFor(async () => (await found(reader)).length === 1, { what: 'what was shared to be found' });
    expectOk(await vera.call('POST', `${of(0)}unshare/`, { body: {} }));
    expect((await reader.call('GET', of(0))).status).toBe(404);
    await waitFor(async () => (await found(reader)).length === 0, { what: 'it to be forgotten' });
    expect(expectOk(await vera.call<Conversation>('PATCH', of(2), { body: { archived: true } })).archived).toBe(true);
    expect(await listed('?archived=true')).toEqual(['About seals']);
  });

  it('take feedback, answers again and edited questions as branches', async () => {
    const { conversation_id, message } = await ask('How heavy is one?');
    const feedback = { rating: 'UP', comment: 'Well quoted' };
    const rated = await vera.call<Message>('POST', `/messages/${message.id}/feedback/`, { body: feedback });
    expect(expectOk(rated).feedback).toMatchObject(feedback);
    expectOk(await vera.call('DELETE', `/messages/${message.id}/feedback/`));
    expect(expectOk(await vera.call<Message>('GET', `/messages/${message.id}/`)).feedback).toBeNull();

    const path = `/conversations/${conversation_id}/`;
    const shown = async () => expectOk(await vera.call<Conversation>('GET', path));
    const again = expectOk(await vera.call<Reply>('POST', `/messages/${message.id}/regenerate/`, { body: {} }));
    expect(again.message.parent_message_id).toBe(message.parent_message_id);
    const edit = { body: { new_message: 'How heavy are two?' } };
    const edited = await vera.call<Reply>('POST', `/messages/${message.parent_message_id}/edit/`, edit);
    const { message: answer } = expectOk(edited);
    expect(await shown()).toMatchObject({ current_message_id: answer.id, message_count: 5 });
    const back = { body: { current_message_id: message.id } };
    expect(expectOk(await vera.call<Conversation>('PATCH', path, back)).current_message_id).toBe(message.id);
    const texts = (await messages(`?conversation_id=${conversation_id}&sender_type=USER`)).map((one) => one.message);
    expect(texts).toEqual(['How heavy are two?', 'How heavy is one?']);
  });

  it('are deleted with all that was said', async () => {
    const [last] = await messages(`?conversation_id=${conversations[1] ?? ''}`);
    expect((await owner.call('DELETE', of(1))).status).toBe(404);
    expect(expectOk(await vera.call('DELETE', of(1)))).toEqual({ id: conversations[1], deleted: true });
    expect((await vera.call('DELETE', of(1))).status).toBe(404);
    expect((await vera.call('GET', of(1))).status).toBe(404);
    expect((await vera.call('GET', `/messages/${last?.id ?? ''}/`)).status).toBe(404);
    expect(await messages(`?conversation_id=${conversations[1] ?? ''}`)).toEqual([]);
    expect(await listed('?title=penguins')).toEqual([]);
  });
});
