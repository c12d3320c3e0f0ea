import { describe, expect, it } from '@jest/globals';
import { headings, relativeLinks, wordCount } from './markdown.ts';

const PAGE = `# A page
See [another](other/page.md#part-two), [here](#a-page), [web](https://example.com).

\`\`\`ts a.ts
const link = '[none](nowhere.md)';
\`\`\`

## \`npm start\`: what it does
`;

describe('a page', () => {
  it('has links within the repository, those in code apart', () => {
    expect(relativeLinks(PAGE)).toEqual([
      { path: 'other/page.md', heading: 'part-two' },
      { path: '', heading: 'a-page' },
    ]);
  });

  it('has headings that links may name', () => {
    expect(headings(PAGE)).toEqual(new Set(['a-page', 'npm-start-what-it-does']));
  });

  it('has words', () => {
    expect(wordCount('one  two\n| three |\n')).toBe(5);
  });
});
