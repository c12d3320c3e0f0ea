import { describe, expect, it } from '@jest/globals';
import { createFromSource, refreshDataset } from './read-from-source.ts';
import { beginReading, failReading, finishReading, requestUpload } from './upload-dataset.ts';

const noon = new Date('2026-01-01T12:00:00Z');
const later = new Date('2026-01-01T13:00:00Z');
const source = { kind: 'POSTGRESQL', connectionId: 'c', query: 'SELECT 1 AS one' } as const;
const wanted = { id: 'd', name: 'Sales', description: '', source, newUpload: { id: 'u', objectKey: 'key' } };
const another = { id: 'w', objectKey: 'other' };
const reading = { id: 'u', attempts: 1 };
const made = { versionId: 'v', columns: [], rows: 0, bytes: 1, objectKey: 'v', checksum: '', statistics: [] };
const { state: waiting } = createFromSource(undefined, wanted, noon);
const { state: begun } = beginReading(waiting, later, noon);

describe('a dataset that is read from a connection', () => {
  it('is made once, waits for its turn, and is refused as something else', () => {
    expect(waiting).toMatchObject({ source, upload: { id: 'u', status: 'UPLOADED', source, nextAttemptAt: noon } });
    expect(createFromSource(waiting, { ...wanted, newUpload: another }, later).state).toBe(waiting);
    const other = { ...wanted, source: { ...source, query: 'SELECT 2' } };
    expect(() => createFromSource(waiting, other, later)).toThrow(
      expect.objectContaining({ code: 'dataset_read_otherwise' }),
    );
    expect(() => createFromSource(waiting, { ...wanted, name: 'Other' }, later)).toThrow(
      expect.objectContaining({ code: 'dataset_exists' }),
    );
  });

  it('is read once however often that is asked for meanwhile, and again afterwards', () => {
    expect(refreshDataset(begun, another, later).state).toBe(begun);
    const { state: read } = finishReading(begun, reading, made, later);
    expect(read?.currentVersion?.source).toEqual({ kind: 'CONNECTION', uploadId: 'u', connectionId: 'c' });
    expect(refreshDataset(read, another, later).state.upload).toMatchObject({
      id: 'w',
      status: 'UPLOADED',
      attempts: 0,
    });
    const { state: failed } = failReading(begun, reading, { code: 'unreachable', message: '' });
    expect(refreshDataset(failed, another, later).state.upload).toMatchObject({ id: 'w', failure: null });
  });

  it('is read as it was said when its reading was asked for', () => {
    const { state } = refreshDataset(finishReading(begun, reading, made, later).state, another, later);
    const changed = { ...state, source: { ...source, query: 'SELECT 2' } };
    expect(beginReading(changed, later, later).state?.upload?.source).toEqual(source);
  });

  it('gives way to a file that somebody brings, and one without a source has none to be read', () => {
    const upload = { ...wanted, format: 'csv', csv: null, newUpload: another, nextPollAt: later } as const;
    const { state: read } = finishReading(begun, reading, made, later);
    const { state: awaited } = requestUpload(read, upload, later);
    expect(() => refreshDataset(awaited, another, later)).toThrow(
      expect.objectContaining({ code: 'upload_being_read' }),
    );
    expect(() => refreshDataset({ ...awaited, source: null }, another, later)).toThrow(
      expect.objectContaining({ code: 'dataset_without_source' }),
    );
  });
});
