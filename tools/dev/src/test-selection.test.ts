import { describe, expect, it } from '@jest/globals';
import { testPathPatterns } from './test-selection.ts';

const there = ['apps/identity', 'apps/identity/test/members.test.ts'].map((path) => `/repository/${path}`);
const paths = [
  'apps/identity/test/members.test.ts',
  'apps/identity/test/limits.test.ts',
  'apps/identity2/test/a.test.ts',
];

function found(selected: readonly string[], project?: string): string[] {
  const patterns = testPathPatterns('/repository', selected, project, (path) => there.includes(path));
  return paths.filter((path) => patterns.some((pattern) => new RegExp(pattern).test(`/repository/${path}`)));
}

describe('what npm test runs', () => {
  it('is everything in a folder, and nothing in one whose name only begins alike', () => {
    expect(found(['apps/identity'])).toEqual([paths[0], paths[1]]);
  });

  it('is one file, where its path is given', () => {
    expect(found(['apps/identity/test/members.test.ts'])).toEqual([paths[0]]);
  });

  it('is every file whose path contains a given part of its name', () => {
    expect(found(['limits', 'a.test'])).toEqual([paths[1], paths[2]]);
  });

  it('is only what matches in one project, where that is named', () => {
    expect(found([], 'apps/identity')).toEqual([paths[0], paths[1]]);
    expect(found(['a.test'], 'apps/identity')).toEqual([]);
    expect(found(['members'], 'apps/identity')).toEqual([paths[0]]);
    expect(found(['test/members.test.ts'], 'apps/identity')).toEqual([paths[0]]);
  });
});
