import { fieldViolation, invalid } from '@platform-backend/core';
import type { Json } from '../../notebooks/domain/json.ts';
import { pythonLiteral } from './python-literal.ts';

/** Variables of a program. */
export type Parameters = Readonly<Record<string, Json>>;

/** Python's own words, which no variable can be called. */
const KEYWORDS = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

/** Lines that give the variables their values. INVALID: a name that no variable can have. */
export function assignmentsOf(parameters: Parameters): string {
  const names = Object.keys(parameters);
  const wrong = names.filter((name) => !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) || KEYWORDS.has(name));
  if (wrong.length > 0) {
    throw invalid(
      wrong.map((name) =>
        fieldViolation(['body', 'parameters', name], 'a parameter is called as a variable of Python may be'),
      ),
    );
  }
  return names.map((name) => `${name} = ${pythonLiteral(parameters[name] ?? null)}`).join('\n');
}
