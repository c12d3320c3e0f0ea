import { describe, expect, it } from '@jest/globals';
import { document, KEY, noon } from '../test/document-examples.ts';
import { archiveDocument, changeDocument, deleteDocument, restoreDocument, retryDocument } from './change-document.ts';
import { heldBytesOf, type DocumentStatus } from './document.ts';

describe('what is known of a document', () => {
  it('is told to the audit log, also where it is taken away', () => {
    const known = document({ metadata: { region: 'eu' } });
    const { state, events } = changeDocument(known, { metadata: {} }, noon);
    expect(state).not.toHaveProperty('metadata');
    expect(events).toMatchObject([
      {
        data: { changed_fields: ['metadata'] },
        change: { before: { metadata: { region: 'eu' } }, after: { metadata: {} } },
      },
    ]);
    expect(changeDocument(state, { metadata: {} }, noon).events).toEqual([]);
  });
});

describe('changing a document', () => {
  it('keeps the fields that are not given, tells which have changed, and has the search follow', () => {
    const { state, events, followUp } = changeDocument(document(), { name: 'new.pdf', collection: '' }, noon);
    expect(state).toMatchObject({ name: 'new.pdf', describedByHand: false });
    expect(events).toMatchObject([{ name: 'document.updated', data: { changed_fields: ['name'] } }]);
    expect(followUp).toEqual({ documentId: 'document-1', objectKeys: [], againAt: null });
  });

  it('changes nothing and tells nothing when all is so already', () => {
    const before = document();
    expect(changeDocument(before, { name: before.name }, noon).state).toBe(before);
  });

  it('remembers that somebody wrote the description, until it is emptied', () => {
    const { state } = changeDocument(document(), { description: 'Ours' }, noon);
    expect(state).toMatchObject({ description: 'Ours', describedByHand: true });
    expect(changeDocument(state, { description: '' }, noon).state).toMatchObject({ describedByHand: false });
  });

  it('is refused in the archive, and where there is none', () => {
    expect(() => changeDocument(document({ status: 'ARCHIVED' }), { name: 'x' }, noon)).toThrow('archived');
    expect(() => changeDocument(undefined, { name: 'x' }, noon)).toThrow('not found');
  });
});

describe('the archive of documents', () => {
  it.each<[DocumentStatus, DocumentStatus]>([
    ['READY', 'PROCESSING'],
    ['PROCESSING', 'PROCESSING'],
    ['UPLOADED', 'UPLOADED'],
    ['PENDING_UPLOAD', 'PENDING_UPLOAD'],
    ['FAILED', 'FAILED'],
    ['EXPIRED', 'EXPIRED'],
  ])('takes a document that is %s, once, and gives it back %s', (status, then) => {
    const lease = { holder: 'somebody', until: noon };
    const { state, events } = archiveDocument(document({ status, lease, nextAttemptAt: noon }), noon);
    expect(state).toMatchObject({ status: 'ARCHIVED', lease: null, nextAttemptAt: null, nextPollAt: null });
    expect(events.map(({ name }) => name)).toEqual(['document.archived']);
    expect(archiveDocument(state, noon).state).toBe(state);

    const restored = restoreDocument(state, noon);
    expect(restored.state).toMatchObject({ status: then, archivedFrom: null });
    expect(restored.state.nextAttemptAt).toEqual(then === 'UPLOADED' || then === 'PROCESSING' ? noon : null);
    expect(restored.state.nextPollAt).toEqual(then === 'PENDING_UPLOAD' ? noon : null);
    expect(restoreDocument(restored.state, noon).state).toBe(restored.state);
  });
});

describe('the room of an upload that is awaited', () => {
  it('is held in the archive as well, where the bytes may still come, and afterwards', () => {
    const awaited = document({ reservedBytes: 70 });
    const archived = archiveDocument(awaited, noon).state;
    expect(heldBytesOf(archived)).toBe(70);
    expect(heldBytesOf(restoreDocument(archived, noon).state)).toBe(70);
    expect(heldBytesOf(archiveDocument(document({ status: 'READY', reservedBytes: 70 }), noon).state)).toBe(0);
  });
});

describe('retrying a document', () => {
  it('has a document that failed processed from the beginning, and may be said twice', () => {
    const damaged = { code: 'damaged', message: '' };
    const failed = document({ status: 'FAILED', failure: damaged, sizeBytes: 10, attempts: 5 });
    const { state, events } = retryDocument(failed, noon);
    expect(state).toMatchObject({ status: 'PROCESSING', failure: null, attempts: 0, nextAttemptAt: noon });
    expect(events.map(({ name }) => name)).toEqual(['document.retried']);
    expect(retryDocument(state, noon).state).toBe(state);
  });

  it('is refused where there is nothing to retry', () => {
    for (const status of ['READY', 'PENDING_UPLOAD', 'EXPIRED', 'ARCHIVED'] as const)
      expect(() => retryDocument(document({ status }), noon)).toThrow('has not failed');
    const failure = { code: 'too_large_upload', message: '' };
    expect(() => retryDocument(document({ status: 'FAILED', failure }), noon)).toThrow('not kept');
  });
});

describe('deleting a document', () => {
  it('gives up its bytes, whatever it was doing', () => {
    const { state, events, followUp } = deleteDocument(document({ status: 'PROCESSING' }), noon);
    expect(state).toBeUndefined();
    expect(events).toMatchObject([{ name: 'document.deleted', change: { after: null } }]);
    expect(followUp).toMatchObject({ documentId: 'document-1', objectKeys: [KEY] });
    expect(() => deleteDocument(undefined, noon)).toThrow('not found');
  });
});
