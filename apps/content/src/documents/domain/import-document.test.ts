import { describe, expect, it } from '@jest/globals';
import { document, minutesLater, noon } from '../test/document-examples.ts';
import { archiveDocument, changeDocument, restoreDocument, retryDocument } from './change-document.ts';
import { heldBytesOf, type Document } from './document.ts';
import {
  beginImport,
  failImport,
  progressImport,
  receiveImport,
  resumeImport,
  type ReceivedImport,
} from './import-document.ts';
import { requestUpload } from './upload-document.ts';

const start = {
  ...{
    importItemId: 'item-1',
    importId: 'import-1',
    id: 'document-1',
    name: 'report.pdf',
    collection: 'hr',
    metadata: {},
  },
  ...{ newKey: 'org_1/documents/document-1/first', made: { createdBy: 'ann' } },
};
const begun = beginImport(undefined, start, noon).state;
const fetched: ReceivedImport = {
  nameBefore: start.name,
  ...{ name: 'Year.txt', contentType: 'text/plain', settledKey: 'org_1/documents/document-1/second' },
  ...{ bytes: 10, maxBytes: 100, checksum: 'abc' },
};
const { importItemId, importId: _import, ...asUploaded } = start;
const upload = { ...asUploaded, contentType: 'application/pdf', nextPollAt: minutesLater(1) };
const failure = { code: 'address_answered', message: 'No.' };
const incoming: Document['incoming'] = {
  ...{ number: 2, createdAt: noon, name: 'report.pdf', contentType: 'application/pdf', mediaType: 'application/pdf' },
  ...{ sizeBytes: 0, checksum: '', objectKey: 'org_1/documents/document-1/third', status: 'PENDING_UPLOAD' },
  ...{ failure: null, progress: null },
};

describe('a document that is fetched', () => {
  it('waits for its bytes and for nobody who uploads them, and is begun once', () => {
    expect(begun).toMatchObject({ status: 'PENDING_UPLOAD', contentType: 'application/pdf', nextPollAt: null });
    expect(begun).toMatchObject({ progress: { stage: 'FETCHING', percent: 0 }, importId: 'import-1' });
    expect(beginImport(begun, start, noon)).toMatchObject({ state: begun, events: [] });
    expect(() => beginImport(begun, { ...start, importItemId: 'item-2' }, noon)).toThrow('another name');
    expect(() => beginImport(document(), start, noon)).toThrow('another name');
  });

  it('has room set aside while it comes, and none when it failed', () => {
    const coming = progressImport(begun, 'item-1', { reservedBytes: 50 }).state;
    const further = progressImport(coming, 'item-1', { percent: 40 }).state;
    if (!further) throw new Error('it is there');
    expect(further.progress?.percent).toBe(40);
    expect(heldBytesOf(further)).toBe(50);
    const failed = failImport(further, 'item-1', failure, noon).state;
    expect(failed).toMatchObject({ status: 'FAILED', failure, progress: null });
    if (!failed) throw new Error('it is there');
    expect(heldBytesOf(failed)).toBe(0);
    expect(() => retryDocument(failed, noon)).toThrow('Nothing was uploaded');
  });

  it('that failed is fetched once more by the same item alone, and not where a version is coming', () => {
    const failed = failImport(begun, 'item-1', failure, noon).state;
    if (!failed) throw new Error('it is there');
    const again = resumeImport(failed, 'item-1', minutesLater(1));
    expect(again.state).toMatchObject({ ...begun, updatedAt: minutesLater(1), failure: null });
    expect(again.events).toMatchObject([{ name: 'document.retried' }]);
    expect(resumeImport(again.state, 'item-1', noon)).toMatchObject({ state: again.state, result: again.state });
    const others: (Document | undefined)[] = [
      undefined,
      { ...failed, importItemId: 'item-2' },
      { ...failed, incoming },
      document({ status: 'FAILED', importItemId: 'item-1', sizeBytes: 10 }),
      archiveDocument(failed, noon).state,
    ];
    for (const state of others)
      expect(resumeImport(state, 'item-1', noon)).toEqual({ state, events: [], result: undefined });
  });

  it('holds the room that its upload asks for and no other, once somebody uploads it', () => {
    const coming = progressImport(begun, 'item-1', { reservedBytes: 5_000 }).state;
    const uploaded = (bytes: number | undefined) =>
      requestUpload(coming, { ...upload, reservedBytes: bytes }, noon).state;
    expect([heldBytesOf(uploaded(10)), heldBytesOf(uploaded(undefined))]).toEqual([10, 0]);
    expect(uploaded(10)).not.toHaveProperty('importId');
  });

  it('is called and taken for what has come, and is to be read', () => {
    const { state, events, followUp } = receiveImport(begun, 'item-1', fetched, minutesLater(1));
    expect(state).toMatchObject({
      ...{ status: 'UPLOADED', name: 'Year.txt', mediaType: 'text/plain', sizeBytes: 10, progress: null },
      ...{ objectKey: fetched.settledKey, nextAttemptAt: minutesLater(1) },
    });
    expect([state?.importItemId, state?.importId]).toEqual([undefined, undefined]);
    expect(events).toMatchObject([{ name: 'document.uploaded' }]);
    expect(followUp?.objectKeys).toEqual([start.newKey]);
    expect(receiveImport(state, 'item-1', fetched, minutesLater(2))).toMatchObject({ state, events: [] });
  });

  it('keeps a name that somebody gave it while it came, also where it failed before', () => {
    const renamed = changeDocument(begun, { name: 'Mine.txt' }, noon).state;
    expect(receiveImport(renamed, 'item-1', fetched, noon).state).toMatchObject({
      ...{ status: 'UPLOADED', name: 'Mine.txt', mediaType: 'text/plain' },
    });
    const failed = failImport(renamed, 'item-1', failure, noon).state;
    const again = resumeImport(failed, 'item-1', noon).state;
    expect(receiveImport(again, 'item-1', fetched, noon).state?.name).toBe('Mine.txt');
  });

  it('holds no room in the archive, as nothing comes for it there', () => {
    const coming = progressImport(begun, 'item-1', { reservedBytes: 50 }).state;
    const archived = archiveDocument(coming, noon).state;
    expect([heldBytesOf(archived), heldBytesOf(restoreDocument(archived, noon).state)]).toEqual([0, 0]);
  });

  it.each([
    ['deleted', undefined],
    ['archived', archiveDocument(begun, noon).state],
    ['restored since', restoreDocument(archiveDocument(begun, noon).state, noon).state],
    ['uploaded by hand', requestUpload(begun, upload, noon).state],
  ])('takes nothing more when it is %s', (_what, state) => {
    const unchanged = { state, events: [] };
    expect(receiveImport(state, importItemId, fetched, noon)).toMatchObject(unchanged);
    expect(progressImport(state, importItemId, { percent: 1 })).toMatchObject(unchanged);
    expect(failImport(state, importItemId, failure, noon)).toMatchObject(unchanged);
    expect(state?.nextPollAt ?? null).toEqual(state?.status === 'PENDING_UPLOAD' ? expect.any(Date) : null);
  });
});
