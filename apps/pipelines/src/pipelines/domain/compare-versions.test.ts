import { describe, expect, it } from '@jest/globals';
import type { NewStep } from '../../steps/domain/step.ts';
import { step } from '../../steps/test/examples.ts';
import { settings } from '../test/examples.ts';
import { compareVersions } from './compare-versions.ts';
import { createPipeline } from './pipeline.ts';

function version(...steps: NewStep[]) {
  const wanted = { id: 'v', stepIds: steps.map(({ name }) => name), stepOrder: 'DATASETS', steps } as const;
  const { published } = createPipeline('p', settings, wanted, new Date()).state;
  if (!published) throw new Error('nothing was published');
  return published;
}

describe('comparing versions', () => {
  it('tells step by step what is the same, other, new and gone', () => {
    const older = version(step('a', ['r'], ['x']), step('b', ['x'], ['y']), step('c', ['y'], ['z']));
    const newer = version(
      step('A', ['r'], ['x']),
      step('d', ['x'], ['w']),
      step('b', ['x'], ['y'], { query: 'SELECT 2' }),
    );
    const changes = compareVersions(older, newer).map(({ name, change, changedFields }) => [
      name,
      change,
      changedFields,
    ]);
    expect(changes).toEqual([
      ['A', 'SAME', []],
      ['d', 'ADDED', []],
      ['b', 'CHANGED', ['query', 'position']],
      ['c', 'REMOVED', []],
    ]);
  });
});
