import { fieldViolation, invalid } from '@platform-backend/core';

/** INVALID: a scope of an area that does not exist would open nothing, and nobody would notice. */
export function requireKnownAreas(scopes: readonly string[], areas: ReadonlySet<string>): void {
  const reason = `there is no such area; there are ${[...areas].toSorted().join(', ')}, and * for all of them`;
  const violations = scopes.flatMap((scope, index) => {
    const [area = ''] = scope.split(':');
    if (area === '*' || areas.has(area)) return [];
    return fieldViolation(['body', 'scopes', index], reason, scope, { error: reason });
  });
  if (violations.length > 0) throw invalid(violations);
}

/** What a scope may end with, lowest first; each includes those before it. */
const verbs = ['read', 'write', 'admin'];

/** Whether all that `narrower` opens is open to `wider` as well: `*:admin` ⊇ `members:write` ⊇ `members:read`. */
export const includesScopes = (wider: readonly string[], narrower: readonly string[]): boolean =>
  narrower.every((wanted) => wider.some((scope) => includesScope(scope, wanted)));

function includesScope(scope: string, wanted: string): boolean {
  const [area, verb = ''] = scope.split(':');
  const [wantedArea, wantedVerb = ''] = wanted.split(':');
  if (!verbs.includes(wantedVerb)) return false;
  return (area === '*' || area === wantedArea) && verbs.indexOf(verb) >= verbs.indexOf(wantedVerb);
}
