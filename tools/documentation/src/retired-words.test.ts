import { describe, expect, it } from '@jest/globals';
import { retiredNamesIn, retiredWords } from './retired-words.ts';

const glossary = `
| Word | What it is |
| --- | --- |
| \`input\` | what somebody gives |

## Words that are not used

| Not | But |
| --- | --- |
| \`Frob*\`, \`*Frob\` | \`*Input\` |
| \`isGone\` | \`isUnavailable\` |
`;

describe('words that the glossary retires', () => {
  const retired = retiredWords(glossary);

  it.each([
    ['an interface', 'export interface FrobRun {}', ['FrobRun']],
    ['a type', 'type RunFrob = string;', ['RunFrob']],
    ['a function', 'export const isGone = () => false;', ['isGone']],
    ['a field', 'interface A { readonly isGone: boolean }', ['isGone']],
  ])('are found as the name of %s', (_what, text, names) => {
    expect(retiredNamesIn(text, retired)).toEqual(names);
  });

  it('may be said in comments and texts, and be part of another word', () => {
    expect(retiredNamesIn(`/** Frob by isGone */ const isGoneTeam = 'isGone', input = 1;`, retired)).toEqual([]);
  });
});
