import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@platform-backend/auth';
import type { Operation } from '@platform-backend/contract';
import { includesLevel, newId, PERMISSION_LEVELS, type PermissionLevel } from '@platform-backend/core';
import { repetitions } from '@platform-backend/testing';
import { member, service } from '../starters/callers.ts';
import {
  caller,
  outcomeOf,
  type Call,
  type KnownOperation,
  type KnownOperations,
  type RunningServiceUnderTest,
} from './service-under-test.ts';

type Verdict = 'allowed' | 'forbidden' | 'unauthenticated';

/** The level that each verb of a scope reaches; none reaches OWNER. */
const SCOPES: Readonly<Record<string, PermissionLevel>> = { read: 'VIEWER', write: 'EDITOR', admin: 'ADMIN' };

/** In an organisation that does not exist: whoever gets past the permission finds nothing. */
const nowhere = 'org_nowhere';
const person = (level: PermissionLevel): Caller => member(nowhere, level).caller;
const keyOf = (level: PermissionLevel, ...scopes: string[]): Caller => ({
  ...person(level),
  kind: 'api_key',
  apiKeyId: newId(),
  scopes,
});
const outsider = (): Caller => {
  const { organisationId: _none, level: _neither, ...rest } = person('OWNER');
  return rest;
};

/**
 * Every operation with every level and kind of credential, against what was written down about it by hand. Keys in the usual form
 * of a run: every scope of a key of an OWNER, and of every lower level the widest; in the long one every scope of every level.
 */
export function permissionSuite(known: KnownOperations<never>, running: () => RunningServiceUnderTest): void {
  const services = [...new Set(['gateway', ...known.flatMap(({ operation }) => operation.access.services)])];

  describe('permission', () => {
    let call: Call;
    beforeAll(() => {
      call = caller(running());
    });
    const verdict = async (operation: Operation, by: Caller): Promise<Verdict> => {
      const { kind } = await outcomeOf(call(operation, {}, by));
      // A service has proved who it is: when it hears this, it is about somebody it asked for.
      if (kind === 'unauthenticated' && by.kind === 'service') return 'allowed';
      return kind === 'forbidden' || kind === 'unauthenticated' ? kind : 'allowed';
    };

    it.each(known.map((one) => [one.name, one] as const))(
      'is given by level and kind of credential: %s',
      async (_, { operation, rule }) => {
        const callers = everyCaller(services, operation);
        const verdicts = await Promise.all(callers.map(({ by }) => verdict(operation, by)));
        const shown = (of: readonly Verdict[]) => Object.fromEntries(callers.map(({ what }, n) => [what, of[n]]));
        expect(shown(verdicts)).toEqual(shown(callers.map((of) => expected(rule, of, writes(operation)))));
      },
    );
  });
}

interface TriedCaller {
  readonly what: string;
  readonly by: Caller;
  readonly level?: PermissionLevel;
  /** What the scopes of a key reach in the area of the operation. */
  readonly scope?: PermissionLevel | undefined;
}

/** Everybody there can be. */
function everyCaller(services: readonly string[], { access }: Operation): TriedCaller[] {
  const people = PERMISSION_LEVELS.map((level) => ({ what: level, by: person(level), level }));
  const inScope = (level: PermissionLevel, areas: readonly string[], verbs: readonly string[]): TriedCaller[] =>
    areas.flatMap((area) =>
      verbs.map((verb) => {
        const what = `key of ${level} for ${area}:${verb}`;
        return { what, by: keyOf(level, `${area}:${verb}`), level, scope: SCOPES[verb] };
      }),
    );
  const keys = PERMISSION_LEVELS.flatMap((level): TriedCaller[] =>
    level === 'OWNER' || repetitions({ usual: 0, long: 1 }) > 0
      ? [
          ...inScope(level, ['*', ...(access.area ? [access.area] : [])], Object.keys(SCOPES)),
          { what: `key of ${level} for nothing`, by: keyOf(level) },
          { what: `key of ${level} for elsewhere`, by: keyOf(level, 'elsewhere:admin') },
        ]
      : inScope(level, ['*'], ['admin']),
  );
  return [
    ...people,
    ...keys,
    { what: 'member of no organisation', by: outsider() },
    { what: 'nobody', by: { kind: 'anonymous', service: 'gateway', scopes: [] } },
    ...services.map((name) => ({ what: `service ${name}`, by: service(name, nowhere).caller })),
  ];
}

/** What is not bound to GET, but for what says that it has no side effects, which all that reads by POST does. */
const writes = ({ access }: Operation): boolean => access.writes === true;

function expected([who, keys, , more]: KnownOperation<never>, tried: TriedCaller, isWriting: boolean): Verdict {
  const { by, level, scope } = tried;
  const services = [...(typeof who === 'string' ? [] : who), ...(more?.services ?? [])];
  if (by.kind === 'service') return services.includes(by.service) ? 'allowed' : 'forbidden';
  if (by.kind === 'anonymous') {
    if (who === 'anybody' || more?.openable) return 'allowed';
    // For whom the gateway may not speak at all, it may not speak for nobody either.
    return typeof who === 'string' || services.includes(by.service) ? 'unauthenticated' : 'forbidden';
  }
  if (typeof who !== 'string' || who === 'anybody') return 'forbidden';
  // A key is always one of a member; whatever it may do, it may be told who it is.
  if (who === 'anybody signed in')
    return by.kind === 'user' || (keys === 'key' && by.scopes.length > 0) ? 'allowed' : 'forbidden';
  const reaches = (given: PermissionLevel | undefined) => includesLevel(given, who);
  const isInScope = reaches(scope) && (!isWriting || includesLevel(scope, 'EDITOR'));
  return reaches(level) && (by.kind === 'user' || (keys === 'key' && isInScope)) ? 'allowed' : 'forbidden';
}
