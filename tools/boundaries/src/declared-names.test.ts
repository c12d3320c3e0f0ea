import { describe, expect, it } from '@jest/globals';
import { declaredNames } from './declared-names.ts';

describe('the names that a file declares', () => {
  it.each([
    ['variables', 'const a = 1; let b: c;', ['a', 'b']],
    ['functions and their parameters', 'function a(b: c, ...d: e[]) {}', ['a', 'b', 'd']],
    ['arrow functions', 'f((a, { b }) => a(b));', ['a', 'b']],
    [
      'types and their members',
      'interface A { readonly b: C; d(e: F): void } type G = { h: I };',
      ['A', 'b', 'd', 'e', 'G', 'h'],
    ],
    ['classes', 'class A { #b = 1; constructor(c: D) { super(c); } get e() { return 1; } }', ['A', 'b', 'c', 'e']],
    ['keys of objects', 'f({ a, b: c, d() {} });', ['a', 'b', 'd']],
    ['what is taken out of objects and lists', 'const { a, b: c, ...d } = e; const [g] = h;', ['a', 'c', 'd', 'g']],
    ['other names for imports', `import { a as b, c } from 'd';`, ['b']],
  ])('are those of %s', (_what, text, names) => {
    expect(declaredNames('a.ts', text)).toEqual(names);
  });

  it('are not read from comments, texts and uses', () => {
    expect(declaredNames('a.ts', '/** const a = 1 */ f("const b", `const c`, d.e, import.meta.url); // let g')).toEqual(
      [],
    );
  });
});
