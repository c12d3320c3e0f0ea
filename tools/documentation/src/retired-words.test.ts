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
| \`~gate\` | \`endpoint\` |
`;

describe('words that the glossary retires', () => {
  const retired = retiredWords(glossary);
  const found = (text: string) => retiredNamesIn('a.ts', text, retired);

  it.each([
    ['an interface', 'export interface FrobRun {}', ['FrobRun']],
    ['a type', 'type RunFrob = string;', ['RunFrob']],
    ['a function', 'export const isGone = () => false;', ['isGone']],
    ['a field', 'interface A { isGone: boolean }', ['isGone']],
    ['a key of an object', 'f({ isGone: true });', ['isGone']],
    ['a parameter', 'const f = (isGone: boolean) => 1;', ['isGone']],
    ['what is taken out of an object', 'const { state: { isGone } } = a;', ['isGone']],
  ])('are found as the name of %s', (_what, text, names) => {
    expect(found(text)).toEqual(names);
  });

  it.each(['gate', 'gates', 'FileGate', 'gateOf', 'hasGateOpen', 'MAX_GATES'])('are found within %s', (name) => {
    expect(found(`const ${name} = 1;`)).toEqual([name]);
  });

  it.each(['gateway', 'negate', 'delegates', 'isGoneTeam'])('are not found in %s', (name) => {
    expect(found(`const ${name} = 1;`)).toEqual([]);
  });

  it('may be said in comments and texts', () => {
    expect(found(`/** Frob by isGone */ const input = 'isGone';`)).toEqual([]);
  });
});
