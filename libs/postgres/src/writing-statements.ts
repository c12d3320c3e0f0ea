const WRITING =
  /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate|update\s+(?:only\s+)?[\w".]+(?:\s+(?:as\s+)?[\w"]+)?\s+set)\b/i;

/** Statements of programs are constants, few of them and seen again and again. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 2_000;

/** Whether a statement changes rows by its own words, and not merely locks them or calls a function that does. */
export function writes(statement: string): boolean {
  let answer = known.get(statement);
  if (answer !== undefined) return answer;
  answer = WRITING.test(statement);
  if (known.size < MAX_KNOWN) known.set(statement, answer);
  return answer;
}
