import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, serviceActorContext } from '@platform-backend/core';
import { encodeEvent } from '@platform-backend/events';
import { deliverAgain, openLibrary, stored, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { actingAs, conversationsOf } from '../../../test/conversation-under-test.ts';
import { startTestContent, type TestContent } from '../../../test/test-content.ts';
import { organisationRemovalsStore } from '../store/organisation-removals-store.ts';

const DELETED = 'platform.v1.identity.organisation.deleted';
const REMOVED = 'platform.v1.content.organisation_content.removed';

describe('a deleted organisation', () => {
  let events: Library;
  let content: TestContent;
  beforeAll(async () => {
    events = await openLibrary();
    content = await startTestContent({ natsUrl: events.nats.url });
  });
  afterAll(async () => {
    await content.stop();
    await events.close();
  });

  const listed = async (organisationId: string) => {
    const owner = member(organisationId);
    const { conventions } = await content.conventions.listConventions({}, owner);
    const { conversations } = await content.conversations.listConversations({}, owner);
    const { messages } = await content.messages.listMessages({}, owner);
    const { hits } = await content.search.search({ query: 'walrus', mode: 'keyword', kinds: ['MESSAGE'] }, owner);
    return [conventions.length, conversations.length, messages.length, hits.length];
  };

  it('leaves nothing behind, which everybody hears, and others keep what is theirs', async () => {
    const [deleted, other] = [newOrganisation(), newOrganisation()];
    for (const organisationId of [deleted, other]) {
      await content.conventions.createConvention({ title: 'Tone', content: 'Brief.' }, member(organisationId));
      await conversationsOf(content).ask(actingAs(member(organisationId)), 'Walrus insurance');
      await waitFor(async () => (await listed(organisationId)).at(-1) === 2, { what: 'the messages to be found' });
    }
    const data = { organisation_id: deleted };
    const event = { type: DELETED, organisationId: deleted, subject: deleted, data, time: new Date() };
    await deliverAgain(events.bus, encodeEvent(event), DELETED);
    const isTold = async () =>
      (await stored(events.bus)).some(({ subject, event: told }) => subject === REMOVED && told.subject === deleted);
    await waitFor(isTold, { what: 'the event' });
    expect(await listed(deleted)).toEqual([0, 0, 0, 0]);
    expect(await listed(other)).toEqual([1, 1, 2, 2]);
  });

  it('is noted once by all that hear of it at the same moment, and no change of the note is lost', async () => {
    if (!content.frame) throw new Error('it was started elsewhere');
    const organisationId = newOrganisation();
    const removals = organisationRemovalsStore(content.frame.storage.database);
    // Nobody else looks at it before then.
    const deletedAt = new Date(Date.now() + 3_600_000);
    await Promise.all(Array.from({ length: 4 }, () => removals.begin(organisationId, deletedAt)));
    const by = serviceActorContext('content', organisationId, newId());
    const changes = 12;
    const later = (date: Date, ms: number) => new Date(date.getTime() + ms);
    const change = () =>
      removals.update(by, organisationId, (removal) => ({
        state: removal && { ...removal, dueAt: later(removal.dueAt, 1) },
        events: [],
        result: undefined,
      }));
    await Promise.all(Array.from({ length: changes }, change));
    const noted = await removals.update(by, organisationId, (removal) => ({
      state: removal,
      events: [],
      result: removal,
    }));
    expect(noted).toEqual({ id: organisationId, deletedAt, dueAt: later(deletedAt, changes) });
  });
});
