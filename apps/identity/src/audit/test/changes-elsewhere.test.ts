import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditEntryOf, auditRecorded, newId, type ActorContext } from '@platform-backend/core';
import { encodeEvent, publishedEvent } from '@platform-backend/events';
import { deliverAgain, openLibrary, type Library } from '@platform-backend/events/testing';
import { waitFor } from '@platform-backend/testing';
import { startTestIdentity, type Founder, type TestIdentity } from '../../../test/test-identity.ts';

const noon = new Date('2026-05-01T12:00:00.000Z');
let library: Library;
let identity: TestIdentity;
beforeAll(async () => {
  library = await openLibrary();
  identity = await startTestIdentity({ natsUrl: library.nats.url });
});
afterAll(async () => {
  await identity.stop();
  await library.close();
});

const actingFor = ({ caller, organisation }: Founder, actor: Partial<ActorContext['actor']> = {}): ActorContext => ({
  organisationId: organisation.id,
  actor: {
    type: 'user',
    id: caller.userId ?? '',
    name: 'Ada',
    userId: caller.userId ?? null,
    level: 'OWNER',
    ...actor,
  },
  requestId: newId(),
});

/** What another service publishes about a change of a thing of its own. */
function told(by: ActorContext, name: string, at = noon) {
  const change = { before: null, after: { name } };
  const created = { name: 'shelf.created', subject: newId(), at, data: {}, change };
  const entry = auditEntryOf(created, by, newId());
  return { entry, body: encodeEvent({ ...publishedEvent('library', by, auditRecorded(entry)), id: newId() }) };
}

const deliver = ({ body }: ReturnType<typeof told>) =>
  deliverAgain(library.bus, body, 'platform.v1.library.audit.recorded');

/** The changes of shelves in the audit log of an organisation, once there are so many. */
const shelvesIn = (founder: Founder, count: number) =>
  waitFor(
    async () => {
      const { entries } = await identity.audit.listAuditEntries({ targetType: 'shelf' }, founder);
      return entries.length >= count ? entries : undefined;
    },
    { what: `${count} entries` },
  );

describe('changes of other services', () => {
  it('are in the audit log with who, what and when, for their organisation alone', async () => {
    const [ada, bob] = [await identity.found('Ada'), await identity.found('Bob')];
    const one = told(actingFor(ada), 'Novels');
    await deliver(told(actingFor(bob), 'Secrets'));
    await deliver(one);
    const { onBehalfOf: _nobody, ...entry } = one.entry;
    expect(await shelvesIn(ada, 1)).toEqual([{ ...entry, onBehalfOfUserId: null, onBehalfOfUserName: null }]);
    expect(await shelvesIn(bob, 1)).toMatchObject([{ after: { name: 'Secrets' } }]);
  });

  it('are there once and in their order, however often and late they are told', async () => {
    const founder = await identity.found('Cy');
    const [first, second] = [1, 2].map((minutes) =>
      told(actingFor(founder), `Shelf ${minutes}`, new Date(noon.getTime() + minutes * 60_000)),
    ) as [ReturnType<typeof told>, ReturnType<typeof told>];
    await deliver(second);
    await deliver(first);
    // Another event with the same entry, as after a replay from a restored outbox.
    const again = { ...(JSON.parse(second.body) as object), id: newId() };
    await deliver({ ...second, body: JSON.stringify(again) });
    const last = told(actingFor(founder), 'Shelf 3', new Date(noon.getTime() + 180_000));
    await deliver(last);
    const entries = await shelvesIn(founder, 3);
    expect(entries.map(({ id }) => id)).toEqual([last, second, first].map(({ entry }) => entry.id));
  });

  it('are named after the key that made them, which other services do not know', async () => {
    const founder = await identity.found('Dan');
    const { id } = await identity.apiKeys.createApiKey({ name: 'Nightly', scopes: ['*:admin'] }, founder);
    const onBehalfOf = { id: founder.caller.userId ?? '', name: 'Dan' };
    await deliver(told(actingFor(founder, { type: 'api_key', id, name: '', onBehalfOf }), 'Novels'));
    expect(await shelvesIn(founder, 1)).toMatchObject([
      { actorType: 'api_key', actorId: id, actorName: 'Nightly', onBehalfOfUserName: 'Dan' },
    ]);
  });

  it('come beside our own, which are there once although they are heard as well', async () => {
    const founder = await identity.found('Eve');
    const { id: groupId } = await identity.clientGroups.createClientGroup({ name: 'g' }, founder);
    await deliver(told(actingFor(founder), 'Novels'));
    await shelvesIn(founder, 1);
    const { entries } = await identity.audit.listAuditEntries({ targetId: groupId }, founder);
    expect(entries).toHaveLength(1);
  });
});
