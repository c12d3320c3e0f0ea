import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { identityContract } from '@platform-backend/contract-identity';
import { createLogger } from '@platform-backend/core/logger';
import {
  openEventBus,
  subscribe,
  type DeliveredEvent,
  type EventBus,
  type Subscription,
} from '@platform-backend/events';
import { setUpStreams } from '@platform-backend/events/set-up';
import { eventTypesOf, misfits, publishedEvents, refusalOf } from '@platform-backend/service/testing';
import { throwawayNats, waitFor, type ThrowawayNats } from '@platform-backend/testing';
import { startTestIdentity, type Founder, type TestIdentity } from './test-identity.ts';

const prefix = 'platform.v1.identity.';
let nats: ThrowawayNats;
let identity: TestIdentity;
let bus: EventBus;
let subscription: Subscription;
const delivered: DeliveredEvent[] = [];

beforeAll(async () => {
  nats = await throwawayNats();
  identity = await startTestIdentity({ natsUrl: nats.url });
  const logger = createLogger({ service: 'test', level: 'silent' });
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(240_000) });
  bus = openEventBus({ servers: nats.url, name: 'test', logger });
  const connected = Promise.withResolvers<undefined>();
  subscription = subscribe({
    bus,
    logger,
    on: `${prefix}>`,
    onEvent: (event) => delivered.push(event),
    onConnected: () => connected.resolve(undefined),
  });
  await connected.promise;
});
afterAll(async () => {
  await subscription.close();
  await bus.close();
  await identity.stop();
  await nats.drop();
});

/** What has reached NATS about an organisation, once it is as many events as expected. */
const eventsOf = (organisationId: string, count: number) =>
  waitFor(
    () => {
      const events = delivered.filter((event) => event.organisationId === organisationId);
      return events.length >= count ? events : undefined;
    },
    { what: `${count} events` },
  );

const changesAmong = (events: readonly DeliveredEvent[]) =>
  events.map(({ type }) => type.slice(prefix.length)).filter((name) => name !== 'audit.recorded');

/** One of every kind of change; the names of the events it should cause, in order. */
async function everyChange(founder: Founder): Promise<string[]> {
  const { organisations, members, clientGroups, apiKeys } = identity;
  const own = ['organisation.created', 'member.added', 'client_group.created'];

  await organisations.updateCurrentOrganisation({ name: 'New', updateMask: { paths: ['name'] } }, founder);
  const bob = await identity.join(founder, 'Bob', 'ADMIN');
  const { members: known } = await members.listMembers({}, founder);
  const memberId = known[1]?.id ?? '';
  const change = (field: object, path: string) =>
    members.updateMember({ memberId, ...field, updateMask: { paths: [path] } }, founder);
  await change({ permissionLevel: 'EDITOR' }, 'permission_level');
  await change({ status: 'suspended' }, 'status');
  await change({ status: 'active' }, 'status');
  await organisations.leaveOrganisation({}, { caller: bob });
  const invite = () => members.inviteMember({ email: 'cy@people.example', permissionLevel: 'VIEWER' }, founder);
  await members.removeMember({ memberId: (await invite()).id }, founder);
  await members.declineInvitation({ invitationId: (await invite()).id }, { caller: await identity.signIn('Cy') });

  const { id: groupId } = await clientGroups.createClientGroup({ name: 'g' }, founder);
  await clientGroups.addClientMember({ groupId, name: 'Ann', email: 'ann@client.example' }, founder);
  await clientGroups.addClientWorkspace({ groupId, name: 'Desk' }, founder);
  await clientGroups.archiveClientGroup({ groupId }, founder);
  await clientGroups.restoreClientGroup({ groupId }, founder);

  const { id: keyId } = await apiKeys.createApiKey({ name: 'k' }, founder);
  await apiKeys.updateApiKey({ keyId, name: 'key', updateMask: { paths: ['name'] } }, founder);
  await apiKeys.rotateApiKey({ keyId }, founder);
  await apiKeys.revokeApiKey({ keyId }, founder);
  await organisations.deleteCurrentOrganisation({}, founder);

  return [
    ...own,
    'organisation.updated',
    ...['member.invited', 'member.added', 'member.level_changed', 'member.suspended', 'member.reactivated'],
    ...[
      'member.removed',
      'member.invited',
      'member.invitation_withdrawn',
      'member.invited',
      'member.invitation_declined',
    ],
    ...['client_group.created', 'client_group.updated', 'client_group.updated'],
    ...['client_group.archived', 'client_group.updated'],
    ...['api_key.created', 'api_key.updated', 'api_key.rotated', 'api_key.revoked'],
    'organisation.deleted',
  ];
}

describe('the events of identity', () => {
  it('tell every change, in the order it happened, each with an audit entry', async () => {
    const founder = await identity.found('Ada');
    const expected = await everyChange(founder);
    const events = await eventsOf(founder.organisation.id, 2 * expected.length);
    // Order is promised for one subject; here one relay publishes, so the whole is in order.
    expect(changesAmong(events)).toEqual(expected);
    expect(events).toHaveLength(2 * expected.length);
    expect(events.every(({ actor, requestId }) => actor?.type === 'user' && requestId !== undefined)).toBe(true);
  });

  it('are all that the contract describes, each as it is described, and carry no secret', async () => {
    const events = await publishedEvents(identity.database);
    expect(misfits(identityContract, events)).toEqual([]);
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(eventTypesOf(identityContract).sort());
    expect(JSON.stringify(delivered)).not.toMatch(/pk_[0-9A-Za-z]{9}/);
  });

  it('would not fit with a field that is missing, unknown, null or of another type', async () => {
    const events = await publishedEvents(identity.database);
    const event = events.find(({ type }) => type === `${prefix}member.added`);
    if (!event) throw new Error('nobody was added');
    const { permission_level: level, ...others } = event.data;
    const broken = [
      { ...event, data: others },
      { ...event, data: { ...event.data, more: level } },
      { ...event, data: { ...event.data, permission_level: null } },
      { ...event, data: { ...event.data, permission_level: 3 } },
      { ...event, source: '/platform/billing' },
      { ...event, more: level },
      { ...event, type: `${prefix}member.praised` },
    ];
    expect(misfits(identityContract, [event])).toEqual([]);
    expect(broken.filter((one) => misfits(identityContract, [one]).length === 0)).toEqual([]);
  });

  it('are not told of a change that was refused or changed nothing', async () => {
    const founder = await identity.found('Dan');
    const { clientGroups } = await identity.clientGroups.listClientGroups({}, founder);
    const groupId = clientGroups[0]?.id ?? '';
    await refusalOf(identity.clientGroups.archiveClientGroup({ groupId }, founder));
    await identity.clientGroups.restoreClientGroup({ groupId }, founder);
    await identity.clientGroups.makeDefaultClientGroup({ groupId }, founder);
    await identity.organisations.deleteCurrentOrganisation({}, founder);
    const events = await eventsOf(founder.organisation.id, 8);
    expect(changesAmong(events)).toEqual([
      'organisation.created',
      'member.added',
      'client_group.created',
      'organisation.deleted',
    ]);
  });

  it('wait while NATS is away, and nobody who calls the service notices', async () => {
    await nats.kill();
    const founder = await identity.found('Eve');
    await nats.start();
    const events = await waitFor(
      () => {
        const found = delivered.filter((event) => event.organisationId === founder.organisation.id);
        return found.length >= 6 ? found : undefined;
      },
      { what: 'the events of the outage' },
    );
    expect(changesAmong(events)).toContain('organisation.created');
  });
});
