/** What a statement does, and to which table. */
export interface StatementName {
  /** `SELECT`; that of the change where a statement reads and changes. */
  readonly operation: string;
  readonly collection: string | undefined;
}

/** Statements of programs are constants, few of them and seen again and again; but for long ones, made for as many rows as there are. */
const known = new Map<string, StatementName>();
const MAX_KNOWN = 2_000;
const MAX_KNOWN_LENGTH = 4_096;

/** Names a statement by its own words. Values that somebody has written into it are no part of that. */
export function nameOfStatement(statement: string): StatementName {
  const found = known.get(statement);
  if (found) return found;
  const name = named(withoutTexts(statement));
  if (known.size < MAX_KNOWN && statement.length <= MAX_KNOWN_LENGTH) known.set(statement, name);
  return name;
}

const TABLE = String.raw`((?:"[^"]+"|[a-z_][\w$]*)(?:\.(?:"[^"]+"|[a-z_][\w$]*))*)`;
const CHANGES: readonly (readonly [string, RegExp])[] = [
  ['INSERT', new RegExp(String.raw`\binsert\s+into\s+${TABLE}`, 'i')],
  [
    'UPDATE',
    new RegExp(
      String.raw`(?<!\bfor\s+(?:no\s+key\s+)?)(?<!\bdo\s+)\bupdate\s+(?:only\s+)?${TABLE}(?=[\s\S]*?\bset\b)`,
      'i',
    ),
  ],
  ['DELETE', new RegExp(String.raw`\bdelete\s+from\s+(?:only\s+)?${TABLE}`, 'i')],
  ['MERGE', new RegExp(String.raw`\bmerge\s+into\s+${TABLE}`, 'i')],
];
const FROM = new RegExp(String.raw`\b(?:from|join)\s+(?:only\s+)?${TABLE}(?!\s*\(|\w)`, 'gi');
const PART =
  /(?:\bwith\s+(?:recursive\s+)?|,\s*)("[^"]+"|[a-z_]\w*)\s*(?:\([^()]*\)\s*)?as\s+(?:not\s+)?(?:materialized\s+)?\(/gi;
const SETTINGS = /^\s*select\s+set_config\s*\(/i;
const FIRST_WORD = /^[\s(]*([a-z]+)/i;

function named(statement: string): StatementName {
  if (SETTINGS.test(statement)) return { operation: 'SET', collection: undefined };
  const changes = CHANGES.flatMap(([operation, change]) => {
    const found = change.exec(statement);
    return found?.[1] === undefined ? [] : [{ at: found.index, operation, collection: plain(found[1]) }];
  }).sort((one, other) => one.at - other.at);
  const [first] = changes;
  if (first) return { operation: first.operation, collection: first.collection };
  const word = FIRST_WORD.exec(statement)?.[1]?.toUpperCase() ?? 'QUERY';
  const operation = word === 'WITH' ? 'SELECT' : word;
  if (operation !== 'SELECT') return { operation, collection: undefined };
  const parts = new Set([...statement.matchAll(PART)].map(([, part = '']) => plain(part)));
  const tables = [...statement.matchAll(FROM)].map(([, table = '']) => plain(table));
  return { operation, collection: tables.find((table) => !parts.has(table)) };
}

const plain = (name: string): string => name.replaceAll('"', '').toLowerCase();

/** Without comments and without what stands between apostrophes. */
const withoutTexts = (statement: string): string =>
  statement.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'/g, "''");
