import { describe, expect, it } from '@jest/globals';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const pages = readdirSync(join(ROOT, 'docs/decisions')).filter((name) => /^\d{4}-/.test(name));

type Manifest = Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string> | undefined>;

const manifests = [
  'package.json',
  ...globSync('{apps,libs,tools}/*/package.json', { cwd: ROOT }),
  'e2e/package.json',
  'bench/package.json',
];

describe('the decisions', () => {
  it('have numbers of their own and stand in the list', () => {
    expect(new Set(pages.map((name) => name.slice(0, 4))).size).toBe(pages.length);
    const list = read('docs/decisions/README.md');
    expect(pages.filter((name) => !list.includes(`(${name})`))).toEqual([]);
  });

  it('leave out no number but those that the list explains', () => {
    const list = read('docs/decisions/README.md');
    const [, explained = ''] = /^No page ever had the numbers (.+?), so/m.exec(list) ?? [];
    const numbers = new Set([...pages.map((name) => name.slice(0, 4)), ...(explained.match(/\d{4}/g) ?? [])]);
    const all = Array.from({ length: numbers.size }, (_, index) => String(index + 1).padStart(4, '0'));
    expect([...numbers].sort()).toEqual(all);
  });

  it('say in the list and at their head alike what has been superseded, and by which pages', () => {
    const statusAtHead = (page: string): string => {
      const [head = ''] = read(`docs/decisions/${page}`).split('**Situation.**');
      const [, status] = /^\*\*Status\.\*\* (.+?)\./m.exec(head) ?? [];
      const by = [...head.matchAll(/\]\((\d{4})-/g)].map(([, number]) => number).sort();
      return status === undefined ? 'accepted' : `${status.toLowerCase()} by ${by.join(' and ')}`;
    };
    const rows = read('docs/decisions/README.md').matchAll(/^\| \[\d{4}\]\((\S+)\) .*\| (\w.*?) +\|$/gm);
    expect(Object.fromEntries([...rows].map(([, page, status]) => [page, status]))).toEqual(
      Object.fromEntries(pages.map((page) => [page, statusAtHead(page)])),
    );
  });

  it('give the reason of every dependency', () => {
    const reasons = read('docs/decisions/0002-dependencies.md');
    // A scope's packages with one reason share a line: `@types/*`.
    const named = (dependency: string) =>
      reasons.includes(dependency) || reasons.includes(dependency.replace(/\/.*/, '/*'));
    const dependencies = manifests.flatMap((path) => {
      const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = JSON.parse(read(path)) as Manifest;
      return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
    });
    const foreign = [...new Set(dependencies)].filter((name) => !name.startsWith('@platform-backend/'));
    expect(foreign.filter((name) => !named(name))).toEqual([]);
  });
});
