import { describe, expect, it } from '@jest/globals';
import { nearestName } from './nearest-name.ts';

describe('the name that was meant', () => {
  it.each([
    ['stauts', 'status'],
    ['nam', 'name'],
    ['Name', 'name'],
    ['createdAfter', 'created_after'],
    ['limits', 'limit'],
    ['x', undefined],
    ['organisation', undefined],
    ['status'.repeat(20), undefined],
  ])('of %s is %s', (name, meant) => {
    expect(nearestName(name, ['name', 'status', 'limit', 'created_after'])).toBe(meant);
  });
});
