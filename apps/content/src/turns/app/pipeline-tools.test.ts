import { describe, expect, it } from '@jest/globals';
import { conflict, idOf, unavailable, type ActorContext } from '@platform-backend/core';
import type { PipelineRun, Pipelines } from '../domain/pipelines.ts';
import { pipelineTools } from './pipeline-tools.ts';

const by: ActorContext = {
  organisationId: 'org_1',
  actor: { type: 'user', id: 'ada', name: 'Ada', userId: 'ada', level: 'EDITOR' },
  requestId: 'r',
};
const nightly = { id: 'p', name: 'Nightly', description: 'Cleans orders' };
const running: PipelineRun = {
  ...{ id: 'r1', status: 'Running', isOver: false, message: '', makes: ['clean orders'] },
  steps: [{ name: 'clean', status: 'Running', message: '' }],
};
const succeeded: PipelineRun = {
  ...{ ...running, status: 'Succeeded', isOver: true },
  steps: [{ name: 'clean', status: 'Succeeded', message: '' }],
};

function use(name: string, own: Partial<Pipelines>, pause: () => Promise<void> = () => Promise.resolve()) {
  const pipelines: Pipelines = {
    find: (_by, id) => Promise.resolve(id === 'p' ? nightly : undefined),
    list: () => Promise.resolve([nightly]),
    start: () => Promise.resolve(running),
    readRun: () => Promise.resolve(succeeded),
    ...own,
  };
  return (given: Readonly<Record<string, string>>) =>
    pipelineTools(pipelines, { by, turnId: 'turn', pause })
      .find((tool) => tool.name === name)
      ?.run(given, new AbortController().signal);
}

describe('pipelines as tools', () => {
  it('are shown with the ids by which they are run', async () => {
    expect(await use('list_pipelines', {})({})).toBe('p: "Nightly": Cleans orders');
    expect(await use('list_pipelines', { list: () => Promise.resolve([]) })({})).toBe('There are none.');
  });

  it('are shown in whole characters alone: half of one is no text that a model takes', async () => {
    const message = '😀'.repeat(10_000);
    const list = () => Promise.resolve([{ ...nightly, name: `.${message}` }]);
    const readRun = () => Promise.resolve({ ...succeeded, message });
    const texts = [
      await use('list_pipelines', { list })({}),
      await use('run_pipeline', { readRun })({ pipeline_id: 'p' }),
    ];
    expect(texts.map((text = '') => [text.length, text.isWellFormed()])).toEqual(Array(2).fill([15_999, true]));
  });

  it('are run once in a turn and waited for', async () => {
    const started: string[] = [];
    const start: Pipelines['start'] = (_by, _id, taskId) => {
      started.push(taskId);
      return Promise.resolve(running);
    };
    const run = use('run_pipeline', { start });
    const shown = 'Run r1: Succeeded\nStep "clean": Succeeded\nIt made the datasets clean orders.';
    expect(await run({ pipeline_id: 'p' })).toBe(shown);
    await run({ pipeline_id: 'p' });
    expect(started).toEqual(Array(2).fill(idOf(['task', 'turn', 'p'])));
  });

  it('are left to go on when they take long', async () => {
    const shown = await use('run_pipeline', { readRun: () => Promise.resolve(running) })({ pipeline_id: 'p' });
    expect(shown).toContain('It goes on; its end is not known yet.');
  });

  it('stop being waited for when the turn is stopped', async () => {
    const stopped = new Error('stopped');
    const run = use('run_pipeline', {}, () => Promise.reject(stopped));
    await expect(run({ pipeline_id: 'p' })).rejects.toBe(stopped);
  });

  it('say to the model why they do not run, and leave to others what nobody in the conversation can mend', async () => {
    expect(await use('run_pipeline', {})({ pipeline_id: 'q' })).toBe('There is no such pipeline.');
    const archived = conflict('pipeline_archived', 'The pipeline is archived');
    const refused = use('run_pipeline', { start: () => Promise.reject(archived) });
    expect(await refused({ pipeline_id: 'p' })).toBe('It was not run: The pipeline is archived');
    const away = unavailable(new Error('away'));
    await expect(use('run_pipeline', { start: () => Promise.reject(away) })({ pipeline_id: 'p' })).rejects.toBe(away);
  });
});
