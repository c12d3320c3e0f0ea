import { describe, expect, it } from '@jest/globals';
import { writeProblems } from './acknowledged-writes.ts';

const path = '/client-groups/';

describe('looking for what was acknowledged', () => {
  it('finds nothing amiss where all of it is there once, and others besides', () => {
    const writes = [
      { path, name: 'a', id: '1' },
      { path, name: 'b' },
      { path, name: 'c' },
      { path: '/notebooks/', name: 'd', id: '1' },
    ];
    const groups = [
      { id: '1', name: 'a' },
      { id: '2', name: 'b' },
      { id: '3', name: 'Default' },
      { id: '4', name: 'Default' },
    ];
    expect(writeProblems(writes, { [path]: groups, '/notebooks/': [{ id: '1', name: 'd' }] })).toEqual([]);
  });

  it('names what is missing, what is there by another name, and what is there twice, acknowledged or not', () => {
    const writes = [
      { path, name: 'a', id: '1' },
      { path, name: 'b', id: '2' },
      { path, name: 'c', id: '3' },
      { path, name: 'd' },
      { path: '/notebooks/', name: 'e', id: '9' },
    ];
    const groups = [
      { id: '2', name: 'x' },
      { id: '3', name: 'c' },
      { id: '4', name: 'c' },
      { id: '5', name: 'd' },
      { id: '6', name: 'd' },
    ];
    expect(writeProblems(writes, { [path]: groups })).toEqual([
      '2 writes to /client-groups/ are not there: a (1), b (2)',
      '2 writes to /client-groups/ are there more than once: c (3), d (not acknowledged)',
      '1 writes to /notebooks/ are not there: e (9)',
    ]);
  });
});
