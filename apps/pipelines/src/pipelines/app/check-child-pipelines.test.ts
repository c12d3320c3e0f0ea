import { describe, expect, it } from '@jest/globals';
import { DomainError, notFound } from '@platform-backend/core';
import type { NewStep } from '../../steps/domain/step.ts';
import { step } from '../../steps/test/examples.ts';
import type { Pipeline, PipelineVersion } from '../domain/pipeline.ts';
import { requireChildPipelines } from './check-child-pipelines.ts';

const starts = (pipelineId: string, pipelineVersionId: string | null = null): NewStep =>
  step(`starts ${pipelineId}`, [], [], { queryType: 'PIPELINE', query: pipelineId, pipelineVersionId });

/** Pipelines with these steps, by version where the name has one: `a` or `a@1`. Counts how often the steps of one are looked through. */
function pipelinesOf(steps: Readonly<Record<string, readonly NewStep[]>>) {
  const looks: string[] = [];
  const pipelines = {
    get: (_organisationId: string, id: string) =>
      Promise.resolve({ archived: false, currentVersionId: id } as Pipeline),
    getVersion(_organisationId: string, pipelineId: string, id: string) {
      const own = steps[id];
      if (!own) return Promise.reject(notFound('Version'));
      const version = {
        ...{ id, pipelineId, parameters: [] },
        get steps() {
          looks.push(id);
          return own;
        },
      };
      return Promise.resolve(version as unknown as PipelineVersion);
    },
  };
  const check = (pipelineId: string | undefined, wanted: readonly NewStep[]) =>
    requireChildPipelines(pipelines, 'org', pipelineId, { steps: wanted }).then(
      () => [],
      (error: unknown) => (error instanceof DomainError ? error.violations : undefined)?.map(({ msg }) => msg),
    );
  return { looks, check };
}

describe('pipelines that steps start', () => {
  const many = (id: string, length = 9) => Array.from({ length }, () => starts(id));

  it('are walked through once each, however many steps start them', async () => {
    const { looks, check } = pipelinesOf({ a: many('b'), b: many('c'), c: [step('last', [], ['x'])] });
    expect(await check('top', many('a'))).toEqual([]);
    expect(looks.filter((id) => id === 'c')).toHaveLength(1);
    expect(looks.filter((id) => id === 'b')).toHaveLength(1);
  });

  it('are refused where one run would start more than a thousand with all that those start', async () => {
    const { check } = pipelinesOf({ a: many('b', 199), b: many('c', 4), c: [] });
    expect(await check('top', [starts('a')])).toEqual([]);
    expect(await check('top', [starts('a'), starts('b')])).toEqual([
      'Value error, more than 1000 runs would be started by one',
    ]);
  });

  it('are held against the chain above them wherever they are met again', async () => {
    const chain = { d1: [starts('d2')], d2: [starts('d3')], d3: [], a: [starts('b')], b: [starts('d1')] };
    const { check } = pipelinesOf(chain);
    expect(await check('top', [starts('d1'), starts('b')])).toEqual([]);
    expect(await check('top', [starts('d1'), starts('b'), starts('a')])).toEqual([
      'Value error, more than 5 pipelines would start each other',
    ]);
  });

  it('are refused in a circle that goes through another version of one that was walked through', async () => {
    const { check } = pipelinesOf({ q: [starts('x')], x: [starts('q', 'q@1')], 'q@1': [] });
    expect(await check('top', [starts('x'), starts('q')])).toEqual([
      'Value error, the pipelines start each other in a circle',
    ]);
  });
});
