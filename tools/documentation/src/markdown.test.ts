import { describe, expect, it } from '@jest/globals';
import { headings, namedPaths, pathPattern, relativeLinks, wordCount } from './markdown.ts';

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

  it('names files and folders: by an ending, a slash behind, or a folder from which they are', () => {
    const page =
      '`a.ts`, `npm test -- apps/notes`, `domain/`, `apps/notes`, `src/AREA/*.ts`; `core/logger`, `@scope/a`, `.home/`, ' +
      '`http://a.com/b.md`, `text/plain`, `/metrics`, `f(a.ts)`, `{a}/b.ts`\n\n```ts b.ts\nconst c = `c.ts`;\n```\n';
    const named = ['a.ts', 'apps/notes', 'domain/', 'apps/notes', 'src/AREA/*.ts'];
    expect(namedPaths(page, new Set(['apps']))).toEqual(named);
  });

  it.each([
    ['domain/', 'apps/a/domain', true],
    ['domain/', 'apps/a/subdomain', false],
    ['domain', 'apps/a/domain/b.ts', false],
    ['a.ts', 'libs/b/a.ts', true],
    ['a.ts', 'libs/b/axts', false],
    ['src/AREA/store/*-rows.ts', 'apps/a/src/b/store/c-d-rows.ts', true],
    ['src/AREA/store/*-rows.ts', 'apps/a/src/b/c/store/d-rows.ts', false],
    ['NNNN-WHAT-IT-IS.md', 'docs/0001-a-b-c.md', true],
    ['NNNN-WHAT-IT-IS.md', 'docs/0001-a.md', false],
  ])('means by %s: %s (%s)', (named, path, isMeant) => {
    expect(pathPattern(named).test(path)).toBe(isMeant);
  });

  it('has as many words as are separated by spaces and lines', () => {
    expect(wordCount('one  two\n| three |\n')).toBe(5);
  });
});
