import { fieldViolation, invalid, type Violation } from './domain-error.ts';

/** INVALID: a text of which nothing can be seen. What was not given is null or undefined. */
export function requireVisible(
  where: 'body' | 'query' | Violation['loc'],
  texts: Readonly<Record<string, string | null | undefined>>,
): void {
  const blank = Object.entries(texts).filter(([, text]) => typeof text === 'string' && !VISIBLE.test(text));
  if (blank.length > 0)
    throw invalid(
      blank.map(([field, input]) =>
        fieldViolation([...[where].flat(), field], 'this has to have something that can be read in it', input),
      ),
    );
}

/** Neither a space nor a character that controls or formats others. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;
