import { describe, expect, it } from '@jest/globals';
import type { Dataset } from './dataset.ts';
import { MAX_ATTEMPTS } from './limits.ts';
import {
  beginReading,
  failReading,
  finishReading,
  renewReading,
  recordUpload,
  requestUpload,
} from './upload-dataset.ts';

const noon = new Date('2026-01-01T12:00:00Z');
const minutesLater = (minutes: number) => new Date(noon.getTime() + minutes * 60_000);

const wanted = {
  id: 'd',
  name: 'Sales',
  description: '',
  format: 'csv',
  csv: null,
  newUpload: { id: 'u', objectKey: 'key' },
  nextPollAt: minutesLater(1),
} as const;
const uploaded = (): Dataset => {
  const { state } = requestUpload(undefined, wanted, noon);
  return recordUpload(state, { objectKey: 'key', bytes: 10, maxBytes: 100 }, noon).state;
};
const made = { versionId: 'v', columns: [], rows: 0, bytes: 1, objectKey: 'v', checksum: '', statistics: [] };

describe('the upload of a dataset', () => {
  it('is asked for again with the same place, and refused while the one before is being read', () => {
    const { state } = requestUpload(undefined, wanted, noon);
    const again = requestUpload(state, { ...wanted, newUpload: { id: 'w', objectKey: 'other' } }, minutesLater(5));
    expect(again.state.upload).toMatchObject({ id: 'u', objectKey: 'key', expiresAt: minutesLater(20) });
    expect(() => requestUpload(uploaded(), wanted, noon)).toThrow('still being read');
  });

  it('that is too large fails at once', () => {
    const { state } = requestUpload(undefined, wanted, noon);
    const large = recordUpload(state, { objectKey: 'key', bytes: 101, maxBytes: 100 }, noon).state;
    expect(large.upload).toMatchObject({ status: 'FAILED', failure: { code: 'too_large' }, nextAttemptAt: null });
  });

  it('is read by one at a time; whoever was thought dead changes nothing any more', () => {
    const first = beginReading(uploaded(), minutesLater(1), noon).state;
    expect(beginReading(first, minutesLater(1), noon).state).toBe(first);
    const second = beginReading(first, minutesLater(3), minutesLater(2)).state;
    const late = { id: 'u', attempts: 1 };
    expect(renewReading(second, late, minutesLater(9)).state).toBe(second);
    expect(failReading(second, late, { code: 'x', message: 'x' }).state).toBe(second);
    expect(finishReading(second, late, made, minutesLater(2)).state).toBe(second);
    const done = finishReading(second, { id: 'u', attempts: 2 }, made, minutesLater(3));
    expect(done.state).toMatchObject({ versionCount: 1, currentVersion: { id: 'v' }, upload: { status: 'READY' } });
    expect(done.events.map(({ name }) => name)).toEqual(['dataset.updated']);
  });

  it('is given up when all its readers were lost', () => {
    let dataset: Dataset | undefined = uploaded();
    for (let attempt = 0; attempt <= MAX_ATTEMPTS; attempt += 1)
      dataset = beginReading(dataset, minutesLater(attempt + 1), minutesLater(attempt + 1)).state;
    expect(dataset?.upload).toMatchObject({ status: 'FAILED', failure: { code: 'reader_failed' } });
  });
});
