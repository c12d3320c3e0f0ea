import { describe, expect, it } from '@jest/globals';
import { PERMISSION_LEVELS, type PermissionLevel } from '@platform-backend/core';
import { authorise, opened, scopeFor, type AccessRule, type CredentialKind } from './authorise.ts';
import { CALLER_KINDS, type Caller } from './caller.ts';

const LEVELS: readonly (PermissionLevel | undefined)[] = [undefined, ...PERMISSION_LEVELS];
const rank = (level: PermissionLevel | undefined): number => LEVELS.indexOf(level);

const EVERY_CREDENTIAL: readonly CredentialKind[] = ['TOKEN', 'API_KEY', 'API_KEY_HEADER', 'ANONYMOUS'];
const operation = (rule: Partial<AccessRule>): AccessRule => ({
  credentials: ['TOKEN', 'API_KEY'],
  area: 'things',
  services: [],
  ...rule,
});
const user = (level: PermissionLevel | undefined): Caller => ({
  kind: 'user',
  service: 'gateway',
  userId: 'user_1',
  organisationId: 'org_1',
  ...(level && { level }),
  scopes: [],
});
const key = (level: PermissionLevel | undefined, scopes: readonly string[]): Caller => ({
  kind: 'api_key',
  service: 'gateway',
  organisationId: 'org_1',
  apiKeyId: 'key_1',
  ...(level && { level }),
  scopes,
});
const homeless: Caller = { kind: 'user', service: 'gateway', userId: 'user_1', scopes: [] };

describe('a user who calls an operation', () => {
  it.each(LEVELS.flatMap((has) => PERMISSION_LEVELS.map((needs) => ({ has, needs }))))(
    'with level $has at an operation that needs $needs is allowed exactly when the level is high enough',
    ({ has, needs }) => {
      expect(authorise(user(has), operation({ level: needs }))).toBe(
        rank(has) >= rank(needs) ? 'allowed' : 'level_required',
      );
    },
  );

  it.each(PERMISSION_LEVELS)('without an organisation is told so at an operation that needs %s', (level) => {
    expect(authorise(homeless, operation({ level }))).toBe('no_organisation');
  });

  it('without an organisation may call what needs no level', () => {
    expect(authorise(homeless, operation({}))).toBe('allowed');
  });

  it('of several organisations who named none is told to name one, and only where one is needed', () => {
    const undecided: Caller = { ...homeless, organisationRequired: true };
    expect(authorise(undecided, operation({ level: 'VIEWER' }))).toBe('organisation_required');
    expect(authorise(undecided, operation({}))).toBe('allowed');
  });

  it('who is suspended wherever they are a member is told so, and only where an organisation is needed', () => {
    const suspended: Caller = { ...homeless, membershipSuspended: true };
    expect(authorise(suspended, operation({ level: 'VIEWER' }))).toBe('membership_suspended');
    expect(authorise(suspended, operation({}))).toBe('allowed');
  });

  it('is refused where only keys or only services may call', () => {
    expect(authorise(user('OWNER'), operation({ credentials: ['API_KEY', 'API_KEY_HEADER', 'ANONYMOUS'] }))).toBe(
      'forbidden',
    );
    expect(authorise(user('OWNER'), operation({ credentials: [], services: ['gateway'] }))).toBe('forbidden');
    expect(authorise(user('OWNER'), operation({ credentials: ['ANONYMOUS'] }))).toBe('credential_not_accepted');
  });

  it('gains nothing from scopes', () => {
    expect(authorise({ ...user('VIEWER'), scopes: ['*:admin'] }, operation({ level: 'ADMIN' }))).toBe('level_required');
  });
});

describe('an API key', () => {
  const VERBS = [
    { verb: 'read', gives: 'VIEWER' },
    { verb: 'write', gives: 'EDITOR' },
    { verb: 'admin', gives: 'ADMIN' },
  ] as const;
  const AREAS = [
    { area: 'things', covers: true },
    { area: '*', covers: true },
    { area: 'others', covers: false },
  ];
  const verdictOf = (
    needs: PermissionLevel,
    { covers, creator, gives }: { covers: boolean; creator: PermissionLevel | undefined; gives: PermissionLevel },
  ) => {
    if (needs === 'OWNER') return 'token_required';
    if (rank(creator) < rank(needs)) return 'level_required';
    return covers && rank(gives) >= rank(needs) ? 'allowed' : 'scope_required';
  };
  const table = LEVELS.flatMap((creator) =>
    VERBS.flatMap(({ verb, gives }) =>
      AREAS.flatMap(({ area, covers }) =>
        PERMISSION_LEVELS.map((needs) => ({
          creator,
          scope: `${area}:${verb}`,
          needs,
          verdict: verdictOf(needs, { covers, creator, gives }),
        })),
      ),
    ),
  );

  it.each(table)('of a creator with level $creator and scope $scope, where $needs is needed, is $verdict', (row) => {
    expect(authorise(key(row.creator, [row.scope]), operation({ level: row.needs }))).toBe(row.verdict);
  });

  it('never acts as an OWNER, whatever it says', () => {
    for (const scopes of [['*:admin'], ['things:owner'], ['*:owner'], ['*:*'], ['*:OWNER']]) {
      expect(authorise(key('OWNER', scopes), operation({ level: 'OWNER' }))).toBe('token_required');
    }
  });

  it('with an empty list of scopes opens nothing, not even what needs no level', () => {
    expect(authorise(key('OWNER', []), operation({ level: 'VIEWER' }))).toBe('scope_required');
    expect(authorise(key('OWNER', []), operation({}))).toBe('scope_required');
  });

  it('uses the highest of its scopes', () => {
    const scopes = ['others:admin', 'things:read', 'things:write', '*:read'];
    expect(authorise(key('ADMIN', scopes), operation({ level: 'EDITOR' }))).toBe('allowed');
    expect(authorise(key('ADMIN', scopes), operation({ level: 'ADMIN' }))).toBe('scope_required');
  });

  it('that only reads may not call what writes, also where that is for readers', () => {
    const writing = operation({ level: 'VIEWER', writes: true });
    expect(authorise(key('VIEWER', ['things:read']), writing)).toBe('scope_required');
    expect(authorise(key('OWNER', ['*:read']), writing)).toBe('scope_required');
    expect(authorise(key('VIEWER', ['things:write']), writing)).toBe('allowed');
    expect(authorise(user('VIEWER'), writing)).toBe('allowed');
  });

  it.each([
    [{ level: 'VIEWER' }, 'things:read'],
    [{ level: 'VIEWER', writes: true }, 'things:write'],
    [{ level: 'EDITOR', writes: true }, 'things:write'],
    [{ level: 'ADMIN' }, 'things:admin'],
    [{ area: undefined, writes: true }, '*:write'],
  ] as const)('is told the least scope that would open %j: %s', (rule, scope) => {
    expect(scopeFor(operation(rule))).toBe(scope);
    expect(authorise(key('ADMIN', [scope]), operation(rule))).toBe('allowed');
  });

  it.each([
    '',
    'things',
    ':read',
    'things:',
    'things:constructor',
    'things:__proto__',
    'things:read:x',
    'Things:read',
    ' things:read',
    'thing:read',
    'things:READ',
  ])('gains nothing from the scope "%s"', (scope) =>
    expect(authorise(key('OWNER', [scope]), operation({ level: 'VIEWER' }))).toBe('scope_required'),
  );

  it('reaches an operation without an area only by a scope for every area', () => {
    expect(
      authorise(
        key('ADMIN', ['undefined:read', 'things:admin', ':admin']),
        operation({ area: undefined, level: 'VIEWER' }),
      ),
    ).toBe('scope_required');
    expect(authorise(key('ADMIN', ['*:read']), operation({ area: undefined, level: 'VIEWER' }))).toBe('allowed');
  });

  it('reaches what any user may call by any scope, and by none not', () => {
    const anyUser = operation({ area: undefined, level: undefined });
    expect(authorise(key('VIEWER', ['documents:read']), anyUser)).toBe('allowed');
    expect(authorise(key('OWNER', []), anyUser)).toBe('scope_required');
  });

  it('is refused where only tokens may call, and accepted in either header otherwise', () => {
    const all = key('ADMIN', ['*:admin']);
    expect(authorise(all, operation({ credentials: ['TOKEN', 'ANONYMOUS'], level: 'VIEWER' }))).toBe('token_required');
    expect(authorise(all, operation({ credentials: [], level: 'VIEWER' }))).toBe('forbidden');
    expect(authorise(all, operation({ credentials: ['API_KEY_HEADER'], level: 'VIEWER' }))).toBe('allowed');
  });

  it('without an organisation opens nothing', () => {
    const { organisationId: _, ...lost } = key('ADMIN', ['*:admin']);
    expect(authorise(lost, operation({}))).toBe('no_organisation');
  });
});

describe('a service that calls an operation', () => {
  const billing: Caller = { kind: 'service', service: 'billing', scopes: [] };
  it('may call on its own behalf exactly where it is named', () => {
    expect(authorise(billing, operation({ services: ['billing'] }))).toBe('allowed');
    expect(authorise(billing, operation({ services: ['content'] }))).toBe('forbidden');
    expect(authorise(billing, operation({ credentials: EVERY_CREDENTIAL }))).toBe('forbidden');
  });

  it('gains nothing from a level or scopes', () => {
    const boasting: Caller = { ...billing, organisationId: 'org_1', level: 'OWNER', scopes: ['*:admin'] };
    expect(authorise(boasting, operation({ level: 'VIEWER' }))).toBe('forbidden');
  });
});

describe('an operation opened here', () => {
  const nobody: Caller = { kind: 'anonymous', service: 'gateway', scopes: [] };

  it('lets in callers without a credential, if its contract allows that', () => {
    expect(authorise(nobody, opened(operation({ level: 'ADMIN', openable: true })))).toBe('allowed');
    expect(authorise(nobody, opened(operation({ level: 'ADMIN' })))).toBe('unauthenticated');
  });

  it('asks as much of everybody else as before', () => {
    expect(authorise(user('EDITOR'), opened(operation({ level: 'ADMIN', openable: true })))).toBe('level_required');
  });
});

describe('nobody, calling an operation', () => {
  it('may call only what is open to everybody, and is asked to authenticate elsewhere', () => {
    const nobody: Caller = { kind: 'anonymous', service: 'gateway', scopes: [] };
    for (const level of LEVELS) {
      expect(authorise(nobody, operation({ level }))).toBe('unauthenticated');
      expect(authorise(nobody, operation({ level, credentials: ['TOKEN', 'ANONYMOUS'] }))).toBe('allowed');
    }
  });
});

it('an operation that nobody is named for is closed to everybody', () => {
  for (const kind of CALLER_KINDS) {
    const caller: Caller = { kind, service: 'gateway', organisationId: 'org_1', level: 'OWNER', scopes: ['*:admin'] };
    expect(authorise(caller, operation({ credentials: [], services: [] }))).not.toBe('allowed');
  }
});
