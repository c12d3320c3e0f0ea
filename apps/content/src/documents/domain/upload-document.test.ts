import { describe, expect, it } from '@jest/globals';
import { document, KEY, minutesLater, noon } from '../test/document-examples.ts';
import { currentVersion } from './document-versions.ts';
import type { DocumentStatus } from './document.ts';
import { recordMissingUpload, recordUpload, requestUpload } from './upload-document.ts';

const wanted = {
  id: 'document-1',
  name: 'report.pdf',
  contentType: 'application/pdf',
  collection: '',
  newKey: 'org_1/documents/document-1/second',
  nextPollAt: minutesLater(1),
  made: { createdBy: 'ann' },
};
const received = { objectKey: KEY, bytes: 10, maxBytes: 100, checksum: 'abc' };

describe('asking for an upload', () => {
  it('makes the document and tells so', () => {
    const { state, events } = requestUpload(undefined, wanted, noon);
    expect(state).toMatchObject({ status: 'PENDING_UPLOAD', objectKey: wanted.newKey, createdAt: noon });
    expect(state.uploadExpiresAt).toEqual(minutesLater(15));
    expect(events).toMatchObject([
      {
        name: 'document.upload_requested',
        subject: 'document-1',
        change: { before: null, after: { name: 'report.pdf' } },
      },
    ]);
  });

  it('notes who brings the bytes, as of every later version', () => {
    const [ann, bob] = ['ann', 'bob'].map((id) => ({ type: 'user', id, name: id.toUpperCase() }));
    const isNew = requestUpload(undefined, { ...wanted, actor: ann }, noon).state;
    expect(currentVersion(isNew)).toMatchObject({ number: 1, createdAt: noon, actor: ann });
    const anew = requestUpload({ ...isNew, status: 'EXPIRED' }, { ...wanted, actor: bob }, minutesLater(60)).state;
    expect(currentVersion(anew)).toMatchObject({ number: 1, createdAt: noon, actor: bob });
    const later = requestUpload({ ...isNew, status: 'FAILED', lastVersion: 4 }, { ...wanted, actor: bob }, noon).state;
    expect(currentVersion(later)).toMatchObject({ number: 5, actor: bob });
  });

  it('again lets the document wait longer, in its place', () => {
    const { state } = requestUpload(document(), wanted, minutesLater(10));
    expect(state).toMatchObject({ objectKey: KEY, createdAt: noon, uploadExpiresAt: minutesLater(25) });
  });

  it('under another name is refused', () => {
    expect(() => requestUpload(document({ name: 'other.pdf' }), wanted, noon)).toThrow('another name');
  });

  it.each<DocumentStatus>(['UPLOADED', 'PROCESSING', 'READY'])('of a document that is %s changes nothing', (status) => {
    const present = document({ status });
    expect(requestUpload(present, wanted, noon).state).toBe(present);
  });

  it.each<DocumentStatus>(['FAILED', 'EXPIRED'])(
    'of a document that is %s begins anew, and gives up its bytes',
    (status) => {
      const failed = document({
        status,
        failure: { code: 'damaged', message: '' },
        description: 'Theirs',
        attempts: 5,
      });
      const { state, followUp } = requestUpload({ ...failed, describedByHand: true }, wanted, minutesLater(60));
      expect(state).toMatchObject({ status: 'PENDING_UPLOAD', objectKey: wanted.newKey, failure: null, attempts: 0 });
      expect(state).toMatchObject({ createdAt: noon, description: 'Theirs' });
      expect(followUp).toMatchObject({ objectKeys: [KEY] });
    },
  );

  it('of an archived document is refused', () => {
    expect(() => requestUpload(document({ status: 'ARCHIVED' }), wanted, noon)).toThrow('archived');
  });
});

describe('bytes that are there', () => {
  it('have the document processed, once', () => {
    const { state, events } = recordUpload(document(), received, noon);
    expect(state).toMatchObject({
      status: 'UPLOADED',
      sizeBytes: 10,
      checksum: 'abc',
      nextAttemptAt: noon,
      nextPollAt: null,
    });
    expect(events.map(({ name }) => name)).toEqual(['document.uploaded']);
    expect(recordUpload(state, received, minutesLater(1)).state).toBe(state);
  });

  it.each<DocumentStatus>(['UPLOADED', 'PROCESSING', 'READY', 'FAILED', 'ARCHIVED'])(
    'change nothing of a document that is %s with those that somebody else has settled first',
    (status) => {
      const present = document({ status, objectKey: 'settled-by-another' });
      expect(recordUpload(present, { ...received, settledKey: 'settled-here' }, noon).state).toBe(present);
    },
  );

  it('are those of no document that is gone, has begun anew or has expired', () => {
    expect(() => recordUpload(undefined, received, noon)).toThrow('not found');
    expect(() => recordUpload(document({ objectKey: 'another' }), received, noon)).toThrow('not found');
    expect(() => recordUpload(document({ status: 'EXPIRED' }), received, noon)).toThrow('expired');
  });

  it('fail where there are too many of them, and are given up', () => {
    const { state, events, followUp } = recordUpload(document(), { ...received, bytes: 101 }, noon);
    expect(state).toMatchObject({ status: 'FAILED', failure: { code: 'too_large_upload' }, nextAttemptAt: null });
    expect(events.map(({ name }) => name)).toEqual(['document.failed']);
    expect(followUp).toMatchObject({ objectKeys: [KEY] });
  });
});

describe('bytes that are missing', () => {
  it('are looked for again until the URL has expired and an upload has had time to end', () => {
    const { state, events } = recordMissingUpload(document(), minutesLater(3), minutesLater(2));
    expect([state?.status, state?.nextPollAt, events]).toEqual(['PENDING_UPLOAD', minutesLater(3), []]);
    const late = recordMissingUpload(document(), minutesLater(30), minutesLater(20));
    expect(late.state).toMatchObject({ status: 'EXPIRED', nextPollAt: null });
    expect(late.events.map(({ name }) => name)).toEqual(['document.expired']);
  });

  it('are nothing to a document that has gone on', () => {
    const present = document({ status: 'UPLOADED' });
    expect(recordMissingUpload(present, noon, minutesLater(60)).state).toBe(present);
    expect(recordMissingUpload(undefined, noon, noon).state).toBeUndefined();
  });
});
