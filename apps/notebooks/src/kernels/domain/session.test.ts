import { describe, expect, it } from '@jest/globals';
import { notebookNameIn } from './session.ts';

describe('the notebook in whose folder a kernel works', () => {
  it.each([
    ['Sales.ipynb', 'Sales'],
    ['b ü.ipynb', 'b ü'],
    ['Sales/other.ipynb', 'Sales'],
    ['Sales/results/console-1', 'Sales'],
    ['Sales', undefined],
    ['/home/ada/Sales.ipynb', undefined],
  ])('is, by the path %j, %j', (path, name) => expect(notebookNameIn(path)).toBe(name));
});
