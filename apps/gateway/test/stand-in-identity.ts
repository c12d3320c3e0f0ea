import type { Caller } from '@platform-backend/auth';
import type { EndSessionsRequest, ResolveApiKeyRequest, ResolveUserRequest } from '@platform-backend/contract-identity';
import { conflict, notAMember, unauthenticated, type PermissionLevel } from '@platform-backend/core';
import { createHash } from 'node:crypto';
import { startStandInService, type StandInHandler, type StandInOptions } from './stand-in-service.ts';

interface Member {
  readonly organisationId?: string;
  readonly level?: PermissionLevel;
  readonly clientGroupId?: string;
  /** The only one: then there is no organisation. */
  readonly membershipSuspended?: boolean;
}

interface Key {
  readonly id: string;
  readonly userId: string;
  readonly userName?: string;
  readonly organisationId: string;
  readonly level: PermissionLevel;
  readonly clientGroupId?: string;
  readonly scopes: readonly string[];
}

/**
 * A real gRPC server in the place of identity: it knows the members and keys that a test gives it,
 * and answers the operations that a test cares about.
 */
export interface StandInIdentity {
  readonly address: string;
  /** Organisations and levels by token subject. Whoever is missing has no organisation. */
  readonly members: Map<string, Member[]>;
  /** Subjects about whom it does not answer at all. */
  readonly unanswered: Set<string>;
  /** Subjects about whom it answers when this is settled. */
  readonly answeredAfter: Map<string, Promise<unknown>>;
  addKey(secret: string, key: Key): void;
  revokeKey(secret: string): void;
  /** Replaces the answer to an operation: `ClientGroupService/GetClientGroup`. */
  on(operation: string, handler: StandInHandler): void;
  /** The callers of the operations so far, newest last, as the assertion named them. */
  readonly callers: Caller[];
  /** How often credentials were looked up. */
  readonly lookUps: number;
  stop(): Promise<void>;
}

const issuedAtOf = ({ issuedAt }: ResolveUserRequest): Date => issuedAt ?? new Date(0);

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export async function startStandInIdentity(options: StandInOptions): Promise<StandInIdentity> {
  const members: StandInIdentity['members'] = new Map([['user-ada', [{ organisationId: 'org_ada', level: 'ADMIN' }]]]);
  const keys = new Map<string, Key>();
  const unanswered = new Set<string>();
  const answeredAfter = new Map<string, Promise<unknown>>();
  const handlers = new Map<string, StandInHandler>();
  const callers: Caller[] = [];
  const ended: EndSessionsRequest[] = [];
  let lookUps = 0;

  const resolveUser = async (request: ResolveUserRequest): Promise<unknown> => {
    lookUps += 1;
    if (unanswered.has(request.subject)) return new Promise(() => undefined);
    await answeredAfter.get(request.subject);
    const isEnded = ended.some(({ sessionId, subject, endedAt }) =>
      sessionId === ''
        ? subject === request.subject && endedAt >= issuedAtOf(request)
        : sessionId === request.sessionId,
    );
    if (isEnded) throw unauthenticated();
    const own = members.get(request.subject) ?? [];
    const memberOf = (wanted: string): Member | undefined =>
      own.find(({ organisationId }) => organisationId === wanted);
    const asked = request.organisationId === '' ? undefined : memberOf(request.organisationId);
    const member = memberOf(request.claimedOrganisationId) ?? asked ?? (own.length === 1 ? own[0] : undefined);
    if (request.organisationId !== '' && !asked) throw notAMember();
    return {
      userId: `id of ${request.subject}`,
      userName: request.name,
      userEmail: request.email,
      organisationRequired: !member && own.length > 1,
      ...member,
    };
  };
  const resolveApiKey = ({ keyHash }: ResolveApiKeyRequest): unknown => {
    lookUps += 1;
    const key = keys.get(keyHash.toString('hex'));
    if (!key) throw unauthenticated();
    return { ...key, apiKeyId: key.id };
  };
  const endSessions = (request: EndSessionsRequest): unknown => {
    if (ended.some(({ tokenId }) => tokenId === request.tokenId)) throw conflict('logout_token_used', 'Used before');
    ended.push(request);
    return {};
  };
  handlers.set('AuthenticationService/ResolveUser', resolveUser);
  handlers.set('AuthenticationService/EndSessions', endSessions);
  handlers.set('AuthenticationService/ResolveApiKey', resolveApiKey);

  const server = await startStandInService({
    ...options,
    domain: 'identity',
    handlers,
    called: ({ caller }) => {
      if (caller.kind !== 'service') callers.push(caller);
    },
  });

  return {
    address: server.address,
    members,
    unanswered,
    answeredAfter,
    addKey: (secret, key) => void keys.set(hashOf(secret), key),
    revokeKey: (secret) => void keys.delete(hashOf(secret)),
    on: (operation, handler) => void handlers.set(operation, handler),
    callers,
    get lookUps() {
      return lookUps;
    },
    stop: () => server.drain(),
  };
}
