import type { Actor, ActorContext, PermissionLevel } from '@platform-backend/core';
import type { ApiKey } from '../src/api-keys/domain/api-key.ts';
import type { ClientGroup, ClientMember, ClientWorkspace } from '../src/client-groups/domain/client-group.ts';
import { createClientGroup } from '../src/client-groups/domain/create-client-group.ts';
import type { Member } from '../src/members/domain/member.ts';
import type { Roster } from '../src/members/domain/roster.ts';
import { firstSubscription, type Organisation } from '../src/organisations/domain/organisation.ts';

/* Things for domain tests to start from; each takes what the test is about and fills in the rest. */

export const noon = new Date('2026-05-01T12:00:00.000Z');

export const laterThanNoon = (ms: number): Date => new Date(noon.getTime() + ms);

export const actor = (level: PermissionLevel, userId = 'user-ada'): Actor => ({
  type: 'user',
  id: userId,
  name: 'Ada',
  userId,
  level,
});

export const acting = (level: PermissionLevel, userId = 'user-ada'): ActorContext => ({
  organisationId: 'org_1',
  actor: actor(level, userId),
  requestId: 'request-1',
});

/** An API key that acts for the user. */
export const keyActor = (level: PermissionLevel, userId = 'user-ada'): Actor => ({
  ...actor(level, userId),
  type: 'api_key',
  id: 'key-9',
  name: 'Nightly',
  onBehalfOf: { id: userId, name: 'Ada' },
});

export const actingByKey = (level: PermissionLevel, userId = 'user-ada'): ActorContext => ({
  ...acting(level, userId),
  actor: keyActor(level, userId),
});

export const member = (name: string, overrides: Partial<Member> = {}): Member => ({
  id: `member-${name}`,
  user: { id: `user-${name}`, name, email: `${name}@acme.com` },
  email: `${name}@acme.com`,
  level: 'VIEWER',
  status: 'active',
  createdAt: noon,
  invitedBy: '',
  invitationExpiresAt: null,
  ...overrides,
});

export const invitation = (name: string, overrides: Partial<Member> = {}): Member =>
  member(name, { user: null, status: 'invited', invitationExpiresAt: laterThanNoon(1000), ...overrides });

/** A roster whose counts agree with its members. */
export const roster = (members: readonly Member[], seatLimit = 5): Roster => {
  const active = members.filter(({ status }) => status === 'active');
  const owners = active.filter(({ level }) => level === 'OWNER');
  const invited = members.filter(
    ({ status, invitationExpiresAt }) => status === 'invited' && (invitationExpiresAt ?? noon) > noon,
  );
  const openInvitations = invited.length;
  return { seatLimit, activeMembers: active.length, openInvitations, activeOwners: owners.length, members };
};

export const organisation = (overrides: Partial<Organisation> = {}): Organisation => ({
  id: 'org_1',
  email: 'hello@acme.com',
  name: 'Acme',
  imageUrl: '',
  subscription: firstSubscription(noon),
  createdAt: noon,
  ...overrides,
});

export const clientGroup = (overrides: Partial<ClientGroup> = {}): ClientGroup => ({
  ...createClientGroup({ id: 'group-1', name: 'Retail', description: '' }, noon).state,
  ...overrides,
});

export const clientMember = (name: string, overrides: Partial<ClientMember> = {}): ClientMember => ({
  id: `client-${name}`,
  name,
  email: `${name}@client.com`,
  status: 'active',
  folderAccess: [],
  fileAccess: [],
  createdAt: noon,
  ...overrides,
});

export const clientWorkspace = (name: string, overrides: Partial<ClientWorkspace> = {}): ClientWorkspace => ({
  id: `workspace-${name}`,
  name,
  description: '',
  accessLevel: 'VIEW',
  createdAt: noon,
  ...overrides,
});

export const apiKey = (overrides: Partial<ApiKey> = {}): ApiKey => ({
  id: 'key-1',
  memberId: 'member-ada',
  userId: 'user-ada',
  name: 'Nightly',
  prefix: 'pk_11111111',
  scopes: ['*:admin'],
  clientGroupId: null,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  createdAt: noon,
  secrets: [{ hash: 'aa', validUntil: null }],
  ...overrides,
});

/** The names of a decision's events, in order. */
export const eventNames = ({ events }: { readonly events: readonly { readonly name: string }[] }): string[] =>
  events.map(({ name }) => name);

/** The code of the refusal; fails when there is none. */
export function refusalCode(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code);
    throw error;
  }
  throw new Error('it was not refused');
}
