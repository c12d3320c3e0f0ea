import { invalid } from '@platform/core';

/** INVALID: a scope of an area that does not exist would open nothing, and nobody would notice. */
export function requireKnownAreas(scopes: readonly string[], areas: ReadonlySet<string>): void {
  const violations = scopes.flatMap((scope, index) => {
    const [area = ''] = scope.split(':');
    if (area === '*' || areas.has(area)) return [];
    return {
      type: 'value_error',
      loc: ['body', 'scopes', index],
      msg: 'Value error, there is no such area',
      input: scope,
      ctx: { error: 'there is no such area' },
    };
  });
  if (violations.length > 0) throw invalid(violations);
}
