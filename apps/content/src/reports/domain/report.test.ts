import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import {
  changeReport,
  createReport,
  deleteReport,
  purgeReport,
  restorableMs,
  restoreReport,
  sourceOf,
  titleOf,
  type Report,
} from './report.ts';

const noon = new Date('2026-01-01T12:00:00Z');
const later = (ms: number) => new Date(noon.getTime() + ms);

const report: Report = {
  id: 'r1',
  title: 'Quarter',
  markdown: 'Revenue grew.',
  authorId: 'u1',
  messageId: null,
  runId: null,
  revision: 1,
  createdAt: noon,
  updatedAt: noon,
  deletedAt: null,
};

const refusalCode = (act: () => unknown): string => {
  try {
    act();
    return 'none';
  } catch (error) {
    return error instanceof DomainError ? error.code : 'another';
  }
};

describe('a report', () => {
  it('is told of without what it says', () => {
    const { events } = createReport(report);
    expect(events).toMatchObject([{ name: 'report.created', data: { report_id: 'r1', title: 'Quarter' } }]);
    expect(JSON.stringify(events)).not.toContain('Revenue grew.');
  });

  it('has one more version after each change, and none when nothing is changed', () => {
    const { state, events } = changeReport(report, { markdown: 'Revenue fell.' }, 1, later(1));
    expect(state).toMatchObject({ markdown: 'Revenue fell.', revision: 2, updatedAt: later(1) });
    expect(events).toMatchObject([{ data: { version: 2, changed_fields: ['markdown'] } }]);
    expect(changeReport(report, { title: 'Quarter' }, undefined, later(1))).toMatchObject({
      state: report,
      events: [],
    });
  });

  it('is not changed by somebody who knows another version', () => {
    expect(refusalCode(() => changeReport({ ...report, revision: 2 }, { title: 'Mine' }, 1, noon))).toBe(
      'report_changed',
    );
  });

  it('comes back within 30 days after it was deleted, and is gone after them', () => {
    const deleted = deleteReport(report, noon).state;
    expect(restoreReport(deleted, later(restorableMs - 1)).state).toEqual(report);
    expect(refusalCode(() => restoreReport(deleted, later(restorableMs)))).toBe('report_not_found');
    expect(purgeReport(deleted, later(restorableMs - 1)).state).toBe(deleted);
    expect(purgeReport(deleted, later(restorableMs))).toMatchObject({
      state: undefined,
      events: [{ name: 'report.purged' }],
    });
  });

  it('that was restored meanwhile is not ended', () => {
    expect(purgeReport(report, later(restorableMs * 2)).state).toBe(report);
    expect(restoreReport(report, noon).events).toEqual([]);
  });
});

describe('what a report is made of', () => {
  it('is Markdown, a message or a run, and one of them only', () => {
    expect(sourceOf({ markdown: 'x' })).toEqual({ markdown: 'x' });
    expect(sourceOf({ messageId: 'm1' })).toEqual({ messageId: 'm1' });
    const run = { pipelineId: 'p1', runId: 'r1' };
    expect(sourceOf({ run })).toEqual({ run });
    for (const wanted of [{}, { markdown: 'x', messageId: 'm1' }, { markdown: 'x', run }]) {
      expect(refusalCode(() => sourceOf(wanted))).toBe('validation_failed');
    }
  });

  it('is refused with what was sent, of a long text its beginning', () => {
    expect.assertions(1);
    try {
      sourceOf({ title: 'T', markdown: 'x'.repeat(5_000), run: { pipelineId: 'p1', runId: 'r1' } });
    } catch (error) {
      expect(error).toMatchObject({
        violations: [
          {
            loc: ['body'],
            input: { title: 'T', markdown: `${'x'.repeat(1_024)}…`, run: { pipeline_id: 'p1', run_id: 'r1' } },
          },
        ],
      });
    }
  });

  it.each([
    ['## The *third* quarter ##\n\nText', 'The third quarter'],
    ['\n\nPlain text.\nMore', 'Plain text.'],
    ['---\n> quoted', 'quoted'],
    ['***', 'Report'],
  ])('gives it a title where it has none: %j', (markdown, title) => {
    expect(titleOf(markdown)).toBe(title);
  });

  it('has a title at once from a first line as long as a report may be, whatever it is made of', () => {
    for (const mark of [' ', '#', '# ', '*'])
      expect(titleOf(`Sales${mark.repeat(200_000 / mark.length)}2026`)).toMatch(/^Sales/);
  });
});
