import { includesLevel, type PermissionLevel } from '@platform-backend/core';
import type { Caller } from './caller.ts';

export type CredentialKind = 'TOKEN' | 'API_KEY' | 'API_KEY_HEADER' | 'ANONYMOUS';

/** Who may call an operation, as its rpc says in the contract. */
export interface AccessRule {
  /** Empty for an operation that only services call. */
  readonly credentials: readonly CredentialKind[];
  /** The least level. Absent: any verified user, member of an organisation or not. */
  readonly level?: PermissionLevel | undefined;
  /** The area that an API key's scopes name. */
  readonly area?: string | undefined;
  /** Services that may call on their own behalf. */
  readonly services: readonly string[];
  /** It changes or spends something, for which a key needs a scope that writes, whatever the level. */
  readonly writes?: boolean | undefined;
  /** A deployment may open it to callers without a credential; see `opened`. */
  readonly openable?: boolean | undefined;
}

/** The rule of an operation that is open here to callers without a credential. Others keep theirs. */
export const opened = <Rule extends AccessRule>(access: Rule): Rule =>
  access.openable ? { ...access, credentials: [...access.credentials, 'ANONYMOUS'] } : access;

/** `forbidden`: this kind of caller never may. */
export type Verdict =
  | 'allowed'
  | 'unauthenticated'
  | 'no_organisation'
  | 'organisation_required'
  | 'membership_suspended'
  | 'level_required'
  | 'scope_required'
  | 'token_required'
  | 'credential_not_accepted'
  | 'forbidden';

/** Decides by D13 and D14 whether a verified caller may call an operation. */
export function authorise(caller: Caller, access: AccessRule): Verdict {
  switch (caller.kind) {
    case 'anonymous':
      return access.credentials.includes('ANONYMOUS') ? 'allowed' : 'unauthenticated';
    case 'service':
      return access.services.includes(caller.service) ? 'allowed' : 'forbidden';
    case 'user':
      return authoriseUser(caller, access);
    case 'api_key':
      return authoriseKey(caller, access);
  }
}

function authoriseUser(caller: Caller, access: AccessRule): Verdict {
  if (!access.credentials.includes('TOKEN')) return withoutCredential(access);
  if (access.level === undefined) return 'allowed';
  if (caller.organisationId === undefined) {
    if (caller.organisationRequired) return 'organisation_required';
    return caller.membershipSuspended ? 'membership_suspended' : 'no_organisation';
  }
  return includesLevel(caller.level, access.level) ? 'allowed' : 'level_required';
}

/** What nobody needs a credential for is told from what only services call. */
const withoutCredential = ({ credentials }: AccessRule): Verdict =>
  credentials.length > 0 && credentials.every((kind) => kind === 'ANONYMOUS') ? 'credential_not_accepted' : 'forbidden';

/** A key needs both: a creator who may still do this, and a scope that names it. */
function authoriseKey(caller: Caller, access: AccessRule): Verdict {
  if (!access.credentials.some((kind) => kind === 'API_KEY' || kind === 'API_KEY_HEADER'))
    return access.credentials.includes('TOKEN') ? 'token_required' : withoutCredential(access);
  if (caller.organisationId === undefined) return 'no_organisation';
  const { area } = access;
  // What any user may call says something about the caller alone, and is no area's.
  if (access.level === undefined && area === undefined) return caller.scopes.length > 0 ? 'allowed' : 'scope_required';
  const { level = 'VIEWER' } = access;
  if (level === 'OWNER') return 'token_required';
  if (!includesLevel(caller.level, level)) return 'level_required';
  return includesLevel(scopeLevel(caller.scopes, area), levelOfScope(access)) ? 'allowed' : 'scope_required';
}

const levelOfScope = ({ level = 'VIEWER', writes }: AccessRule): PermissionLevel =>
  writes && level === 'VIEWER' ? 'EDITOR' : level;

/** The least scope that opens an operation to keys: `client_groups:admin`. */
export function scopeFor(access: AccessRule): string {
  const [verb] = Object.entries(LEVEL_OF_VERB).find(([, level]) => level === levelOfScope(access)) ?? ['admin'];
  return `${access.area ?? '*'}:${verb}`;
}

/** OWNER is missing on purpose: a key never acts as one, whoever made it. */
const LEVEL_OF_VERB: Readonly<Record<string, PermissionLevel>> = { read: 'VIEWER', write: 'EDITOR', admin: 'ADMIN' };

/** The highest level that the scopes give in an area; an unknown scope gives nothing. */
function scopeLevel(scopes: readonly string[], area: string | undefined): PermissionLevel | undefined {
  let highest: PermissionLevel | undefined;
  for (const scope of scopes) {
    const [scopeArea, verb = '', ...rest] = scope.split(':');
    if (rest.length > 0 || (scopeArea !== '*' && (area === undefined || scopeArea !== area))) continue;
    const level = Object.hasOwn(LEVEL_OF_VERB, verb) ? LEVEL_OF_VERB[verb] : undefined;
    if (level !== undefined && (highest === undefined || includesLevel(level, highest))) highest = level;
  }
  return highest;
}
