import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../notebooks/domain/json.ts';
import {
  cancelNotebookRun,
  finishNotebookRun,
  releaseNotebookRun,
  retryNotebookRun,
  renewNotebookRun,
  postponeNotebookRun,
  startNotebookRun,
  revisionOf,
  takeNotebookRun,
} from './notebook-run.ts';
import { shownCells } from './shown-cells.ts';

const noon = new Date('2026-07-01T12:00:00Z');
const after = (seconds: number) => new Date(noon.getTime() + seconds * 1000);
const started = startNotebookRun(
  {
    ...{ id: 'run', notebookId: 'n', notebookVersion: 3, parameters: {}, kernelName: '', cells: 2 },
    ...{ userId: 'ada', clientGroupId: null, apiKeyId: null },
  },
  noon,
);
const allowed = { leaseMs: 30_000, maxAttempts: 3 };
const taken = takeNotebookRun(started.state, 'first', allowed, noon).state;
const well = { cellsDone: 2, failure: undefined };

describe('a run of a notebook', () => {
  it('begins as soon as somebody takes it, which is told', () => {
    expect(started).toMatchObject({ state: { status: 'PENDING' }, events: [{ name: 'notebook_run.created' }] });
    expect(taken).toMatchObject({ status: 'RUNNING', attempts: 1, attemptId: 'first', startedAt: noon });
  });

  it('is carried out by one at a time, who has to say that it lives', () => {
    expect(takeNotebookRun(taken, 'second', allowed, after(29)).state).toBe(taken);
    const longer = renewNotebookRun(taken, 'first', 1, allowed, after(20)).state;
    expect(longer).toMatchObject({ cellsDone: 1, nextAttemptAt: after(50) });
    const again = takeNotebookRun(longer, 'second', allowed, after(50)).state;
    expect(again).toMatchObject({ attempts: 2, attemptId: 'second', cellsDone: 0 });
    expect(renewNotebookRun(again, 'first', 2, allowed, after(51)).state).toBe(again);
    expect(finishNotebookRun(again, 'first', well, after(51))).toMatchObject({ state: again, events: [] });
  });

  it('ends once, which is told', () => {
    const ended = finishNotebookRun(taken, 'first', well, after(1));
    expect(ended).toMatchObject({
      state: { status: 'SUCCEEDED', cellsDone: 2, finishedAt: after(1), nextAttemptAt: null },
      events: [{ name: 'notebook_run.finished', data: { status: 'SUCCEEDED' } }],
    });
    expect(cancelNotebookRun(ended.state, after(2))).toMatchObject({ state: ended.state, events: [] });
    const failure = { code: 'exception', message: 'No', cellIndex: 1 };
    expect(finishNotebookRun(taken, 'first', { cellsDone: 1, failure }, noon).state).toMatchObject({
      ...{ status: 'FAILED', code: 'exception', message: 'No', failedCell: 1 },
    });
    expect(cancelNotebookRun(taken, noon).state).toMatchObject({ status: 'CANCELLED', nextAttemptAt: null });
    const further = renewNotebookRun(taken, 'first', 1, allowed, after(20)).state;
    expect(cancelNotebookRun(further, after(21)).state).toMatchObject({ status: 'CANCELLED', cellsDone: 1 });
    expect(cancelNotebookRun(started.state, noon).state).toMatchObject({ status: 'CANCELLED', cellsDone: 0 });
  });

  it('waits for a kernel without having been begun', () => {
    expect(postponeNotebookRun(taken, 'first', noon).state).toMatchObject({
      ...{ status: 'PENDING', attempts: 0, nextAttemptAt: after(5) },
    });
  });

  it('uses up an attempt when it could not be carried out for no known reason', () => {
    expect(retryNotebookRun(taken, 'first', noon).state).toMatchObject({
      ...{ status: 'PENDING', attempts: 1, attemptId: null, nextAttemptAt: after(5) },
    });
  });

  it('is handed back as it was when what carries it out stops, and nothing else of it is', () => {
    const further = renewNotebookRun(taken, 'first', 1, allowed, after(20)).state;
    const waiting = { status: 'PENDING', attempts: 0, attemptId: null, cellsDone: 0, nextAttemptAt: after(21) };
    expect(releaseNotebookRun(further, 'first', after(21)).state).toMatchObject(waiting);
    expect(releaseNotebookRun(further, 'another', after(21)).state).toBe(further);
  });

  it('is at another step with each cell, attempt and status', () => {
    const further = renewNotebookRun(taken, 'first', 1, allowed, after(20)).state;
    const again = takeNotebookRun(further, 'second', allowed, after(50)).state;
    const ended = finishNotebookRun(again, 'second', well, after(51)).state;
    const steps = [started.state, taken, further, again, ended].map(revisionOf);
    expect(new Set(steps).size).toBe(5);
    expect(revisionOf(renewNotebookRun(further, 'first', 1, allowed, after(25)).state)).toBe(revisionOf(further));
  });

  it('fails when it was lost three times', () => {
    const lost = { ...taken, attempts: 3 };
    expect(takeNotebookRun(lost, 'fourth', allowed, after(31)).state).toMatchObject({ status: 'FAILED', code: 'lost' });
  });
});

describe('what a cell shows', () => {
  const word = (type: string, content: Readonly<Record<string, Json>>) => ({ type, parentId: 'p', content });
  const shownBy = (...words: readonly ReturnType<typeof word>[]) => {
    const shown = shownCells(2 ** 20);
    for (const one of words) shown.hear(0, one);
    return shown.all.outputs.get(0);
  };

  it('is text by its streams, what it displays, and its error', () => {
    const text = (name: string, shown: string) => word('stream', { name, text: shown });
    expect(
      shownBy(
        text('stdout', 'a'),
        text('stdout', 'b'),
        text('stderr', 'c'),
        word('display_data', { data: { 'text/plain': 'd' }, metadata: {}, transient: {} }),
        word('execute_result', { data: { 'text/plain': 'e' }, metadata: {}, execution_count: 2 }),
        word('error', { ename: 'E', evalue: 'v', traceback: ['line'] }),
        word('execute_input', { code: 'x' }),
      ),
    ).toEqual([
      { output_type: 'stream', name: 'stdout', text: 'ab' },
      { output_type: 'stream', name: 'stderr', text: 'c' },
      { output_type: 'display_data', data: { 'text/plain': 'd' }, metadata: {} },
      { output_type: 'execute_result', data: { 'text/plain': 'e' }, metadata: {}, execution_count: 2 },
      { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['line'] },
    ]);
  });

  it('is nothing any more when the cell says so', () => {
    expect(shownBy(word('stream', { name: 'stdout', text: 'a' }), word('clear_output', { wait: false }))).toEqual([]);
  });
});
