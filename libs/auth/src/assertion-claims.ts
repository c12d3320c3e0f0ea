import { PERMISSION_LEVELS } from '@platform-backend/core';
import { CALLER_KINDS, type Caller } from './caller.ts';
import { displayName } from './display-name.ts';

/** Names a caller assertion's audience and type, so that no other token of ours can pass for one. */
export const ASSERTION_AUDIENCE = 'platform';
export const ASSERTION_TYPE = 'caller+jwt';
export const ASSERTION_ALGORITHM = 'EdDSA';

/** The claims of an assertion beside the registered ones; short names, for they travel on every call. */
export interface CallerClaims {
  kind: Caller['kind'];
  org?: string;
  uid?: string;
  name?: string;
  email?: string;
  emv?: boolean;
  key?: string;
  grp?: string;
  orq?: true;
  sus?: true;
  lvl?: string;
  scp?: readonly string[];
}

export const claimsOf = (caller: Caller): CallerClaims => ({
  kind: caller.kind,
  ...(caller.organisationId !== undefined && { org: caller.organisationId }),
  ...(caller.userId !== undefined && { uid: caller.userId }),
  ...(caller.userName !== undefined && { name: displayName(caller.userName) }),
  ...(caller.userEmail !== undefined && { email: caller.userEmail }),
  ...(caller.emailVerified !== undefined && { emv: caller.emailVerified }),
  ...(caller.apiKeyId !== undefined && { key: caller.apiKeyId }),
  ...(caller.clientGroupId !== undefined && { grp: caller.clientGroupId }),
  ...(caller.organisationRequired && { orq: true }),
  ...(caller.membershipSuspended && { sus: true }),
  ...(caller.level !== undefined && { lvl: caller.level }),
  ...(caller.scopes.length > 0 && { scp: caller.scopes }),
});

/** Reads claims that a trusted key signed; undefined when they are not a caller's all the same. */
export function callerFrom(claims: Readonly<Record<string, unknown>>, service: string): Caller | undefined {
  const { kind, org, uid, name, email, emv, key, grp, orq, sus, lvl, scp = [] } = claims;
  const knownKind = CALLER_KINDS.find((known) => known === kind);
  const level = PERMISSION_LEVELS.find((known) => known === lvl);
  if (!knownKind || (lvl !== undefined && !level)) return undefined;
  if (![org, uid, name, email, key, grp].every((claim) => claim === undefined || typeof claim === 'string'))
    return undefined;
  if (emv !== undefined && typeof emv !== 'boolean') return undefined;
  if ((orq !== undefined && orq !== true) || (sus !== undefined && sus !== true)) return undefined;
  if (!isListOfText(scp)) return undefined;
  // A user or key that nobody could name later in an audit log is no caller.
  if (knownKind === 'user' && uid === undefined) return undefined;
  if (knownKind === 'api_key' && (key === undefined || org === undefined)) return undefined;
  return Object.freeze({
    kind: knownKind,
    service,
    ...(typeof org === 'string' && { organisationId: org }),
    ...(typeof uid === 'string' && { userId: uid }),
    ...(typeof name === 'string' && { userName: name }),
    ...(typeof email === 'string' && { userEmail: email }),
    ...(emv !== undefined && { emailVerified: emv }),
    ...(typeof key === 'string' && { apiKeyId: key }),
    ...(typeof grp === 'string' && { clientGroupId: grp }),
    ...(orq === true && { organisationRequired: true }),
    ...(sus === true && { membershipSuspended: true }),
    ...(level && { level }),
    scopes: Object.freeze([...scp]),
  });
}

const isListOfText = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
