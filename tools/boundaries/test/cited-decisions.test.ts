import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const known = new Set(
  [...read('docs/specification/decisions.md').matchAll(/^(?:- |\| )(D\d+) /gm)].map(([, number]) => number),
);

const citing = globSync(['{apps,libs,tools,e2e,bench,protos,docs}/**/*.{ts,mjs,proto,md}', '*.md'], {
  cwd: root,
  exclude: ['**/node_modules/**', '**/generated/**'],
});

describe('the decisions on the specification', () => {
  it('are all there, D1 to D38', () => {
    expect([...known].sort()).toEqual(Array.from({ length: 38 }, (_, index) => `D${index + 1}`).sort());
  });

  it('include every number that a comment, a test or a page cites', () => {
    const cited = citing.flatMap((path) =>
      [...read(path).matchAll(/\bD\d{1,2}\b/g)].map(([number]) => ({ path, number })),
    );
    expect(cited.length).toBeGreaterThan(0);
    expect(cited.filter(({ number }) => !known.has(number))).toEqual([]);
  });
});
