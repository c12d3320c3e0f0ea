import { describe, expect, it } from '@jest/globals';
import { document, KEY, minutesLater, noon } from '../test/document-examples.ts';
import { archiveDocument, changeDocument, deleteDocument, reprocessed, retryDocument } from './change-document.ts';
import { deleteVersion, recordVersionUpload, requestVersion, restoreVersion, versionsOf } from './document-versions.ts';
import { heldBytesOf, type Document, type IncomingVersion } from './document.ts';
import { claimDocument, completeProcessing, failProcessing, postponeProcessing } from './process-document.ts';
import { searchChange } from './source.ts';
import { recordMissingUpload, recordUpload, requestUpload } from './upload-document.ts';

const ann = { type: 'user', id: 'ann', name: 'Ann' };
const ours = { holder: 'ours', leaseMs: 60_000 };
const bytes = { sizeBytes: 10, checksum: 'abc', mediaType: 'text/plain' };
const ready = document({ status: 'READY', ...bytes, nextPollAt: null });
const failure = { code: 'damaged', message: 'Save it anew' };

const asked = (present: Document, key: string, at = noon) =>
  requestVersion(
    present,
    { actor: ann, name: '', contentType: 'text/plain', newKey: key, nextPollAt: minutesLater(1, at) },
    at,
  ).state;
const uploaded = (present: Document, key: string, size = 20) =>
  recordUpload(present, { objectKey: key, bytes: size, maxBytes: 100, checksum: `sum of ${key}` }, noon).state;
const claimed = (present: Document) => claimDocument(present, ours, noon).result ?? ready;
const facts = {
  ...{ ...bytes, language: 'en', pageCount: null, numTokens: 7, description: 'D', detailedDescription: 'DD' },
  ...{ contentIsCut: false, pagesWithoutText: [], indexedAs: { name: ready.name, collection: '' } },
};
const completed = (present: Document, { maxVersions = 20, sizeBytes = 20 } = {}) =>
  completeProcessing(present, ours, { ...facts, sizeBytes }, { maxVersions, at: minutesLater(1) });
const withVersion = (present: Document, key: string, limits = {}): Document =>
  completed(claimed(uploaded(asked(present, key), key)), limits).state ?? ready;
const numbers = (present: Document) => versionsOf(present).map(({ number }) => number);

describe('a new version of a document', () => {
  it('is awaited, uploaded and read while the document stays what it is', () => {
    const awaited = asked(ready, 'second');
    expect(awaited).toMatchObject({
      status: 'READY',
      objectKey: KEY,
      incoming: { number: 2, status: 'PENDING_UPLOAD' },
    });
    const came = uploaded(awaited, 'second');
    expect(came).toMatchObject({
      status: 'READY',
      objectKey: KEY,
      nextAttemptAt: noon,
      incoming: { status: 'UPLOADED' },
    });
    const reading = claimed(came);
    expect(reading).toMatchObject({ status: 'READY', objectKey: KEY, lease: { holder: 'ours' } });
    expect(reading.incoming).toMatchObject({ status: 'PROCESSING', progress: { stage: 'READING' } });
    expect(claimDocument(reading, { holder: 'theirs', leaseMs: 1 }, noon).result).toBeUndefined();
  });

  it('takes the place of what was there at once, which is an earlier version', () => {
    const reading = claimed(uploaded(asked(ready, 'second'), 'second'));
    const { state, events, followUp } = completed(reading);
    expect(state).toMatchObject({
      status: 'READY',
      objectKey: 'second',
      current: { number: 2, actor: ann },
      lease: null,
    });
    expect(state?.earlier).toMatchObject([{ number: 1, objectKey: KEY, sizeBytes: 10 }]);
    expect(state).not.toHaveProperty('incoming');
    expect(events).toMatchObject([
      {
        name: 'document.version_ready',
        data: { version: 2 },
        change: { before: { version: 1 }, after: { version: 2 } },
      },
    ]);
    expect([followUp, searchChange(reading, state)]).toEqual([undefined, undefined]);
  });

  it('that cannot be read leaves the document as it was, and says why until another one is asked for', () => {
    const reading = claimed(uploaded(asked(ready, 'second'), 'second'));
    const { state, events } = failProcessing(reading, ours, { failure, mediaType: 'image/gif' }, noon);
    expect(state).toMatchObject({ ...bytes, status: 'READY', failure: null, objectKey: KEY, nextAttemptAt: null });
    expect(state?.incoming).toMatchObject({ status: 'FAILED', failure, mediaType: 'image/gif', progress: null });
    expect(events).toMatchObject([{ name: 'document.version_failed', data: { version: 2, ...failure } }]);
    const again = requestVersion(
      state,
      { actor: ann, name: 'new.txt', contentType: 'text/plain', newKey: 'third', nextPollAt: noon },
      noon,
    );
    expect(again).toMatchObject({
      state: { name: ready.name, incoming: { number: 3, name: 'new.txt' } },
      followUp: { objectKeys: ['second'] },
    });
  });

  it('that failed is tried once more where its bytes are there', () => {
    const failed = failProcessing(claimed(uploaded(asked(ready, 'b'), 'b')), ours, { failure }, noon).state ?? ready;
    const retried = retryDocument(failed, noon).state;
    expect(retried).toMatchObject({
      status: 'READY',
      nextAttemptAt: noon,
      incoming: { status: 'UPLOADED', failure: null },
    });
    expect(retryDocument(retried, noon).state).toBe(retried);
    const large = uploaded(asked(ready, 'b'), 'b', 101);
    expect(large.incoming).toMatchObject({ status: 'FAILED', failure: { code: 'too_large_upload' } });
    expect(() => retryDocument(large, noon)).toThrow('not kept');
    expect(heldBytesOf(large)).toBe(10);
  });

  it('that never comes fails once its URL is over, and not before', () => {
    const awaited = asked(ready, 'second');
    expect(recordMissingUpload(awaited, minutesLater(3), minutesLater(2)).state).toMatchObject({
      nextPollAt: minutesLater(3),
      incoming: { status: 'PENDING_UPLOAD' },
    });
    const { state, followUp } = recordMissingUpload(awaited, noon, minutesLater(21));
    expect(state).toMatchObject({
      status: 'READY',
      nextPollAt: null,
      incoming: { failure: { code: 'upload_expired' } },
    });
    expect(followUp).toMatchObject({ objectKeys: ['second'] });
    // Whoever brings it all the same hears that nobody reads it.
    expect(() => uploaded(state ?? ready, 'second')).toThrow('expired');
  });

  it('is called as the document is, also where that gets another name meanwhile, unless it has one of its own', () => {
    const renamed = changeDocument(asked(ready, 'second'), { name: 'plan.pdf' }, noon).state;
    const { state } = completed(claimed(uploaded(renamed, 'second')));
    expect(state?.name).toBe('plan.pdf');
    expect(state?.earlier).toMatchObject([{ name: 'plan.pdf' }]);
    const named = { actor: ann, name: 'own.pdf', contentType: '', newKey: 'third', nextPollAt: noon };
    const own = changeDocument(requestVersion(ready, named, noon).state, { name: 'plan.pdf' }, noon).state;
    expect(own.incoming?.name).toBe('own.pdf');
  });

  it('has its passages say what it is called and what it is, whoever has described them as the document before', () => {
    const named = { actor: ann, name: 'own.pdf', contentType: '', newKey: 'second', nextPollAt: noon };
    const reading = claimed(uploaded(requestVersion(ready, named, noon).state, 'second'));
    const indexedAs = { ...facts.indexedAs, name: 'own.pdf' };
    const swap = completeProcessing(reading, ours, { ...facts, indexedAs }, { maxVersions: 20, at: noon });
    expect(swap.followUp).toEqual({ documentId: 'document-1', objectKeys: [], againAt: null });
    const otherType = claimed(uploaded(asked(ready, 'second'), 'second'));
    const typed = completeProcessing(
      otherType,
      ours,
      { ...facts, mediaType: 'text/csv' },
      { maxVersions: 20, at: noon },
    );
    expect(typed.followUp).toEqual(swap.followUp);
  });

  it('is the same one where it is asked for again before bytes have come, and refused while another one is read', () => {
    const awaited = asked(ready, 'second');
    expect(asked(awaited, 'third')).toMatchObject({ incoming: { number: 2, objectKey: 'second' } });
    expect(() => asked(uploaded(awaited, 'second'), 'third')).toThrow('Another version');
    expect(() => asked(document({ status: 'PROCESSING' }), 'x')).toThrow('not read yet');
    expect(() => asked(document({ status: 'ARCHIVED' }), 'x')).toThrow('archived');
  });

  it('is begun again later where it was not to be had now, and goes on after the document itself was read once more', () => {
    const reading = claimed(uploaded(asked(ready, 'second'), 'second'));
    const later = postponeProcessing(reading, ours, { failure }, noon).state;
    expect(later).toMatchObject({ status: 'READY', lease: null, incoming: { status: 'PROCESSING' } });
    expect(later?.nextAttemptAt?.getTime()).toBeGreaterThan(noon.getTime());
    const anew = reprocessed(reading, noon).state;
    expect(failProcessing(anew, ours, { failure }, noon).state).toBe(anew);
    const own = claimed(anew);
    expect(own).toMatchObject({ status: 'PROCESSING', objectKey: KEY });
    const back = completed(own).state;
    expect(back).toMatchObject({ status: 'READY', objectKey: KEY, nextAttemptAt: minutesLater(1), attempts: 0 });
    expect(back?.incoming).toMatchObject({ number: 2 });
  });

  it('has its bytes copied elsewhere where a URL could still change them', () => {
    const awaited = asked(ready, 'second');
    const incoming = awaited.incoming as IncomingVersion;
    const received = { objectKey: 'second', settledKey: 'copy', bytes: 5, maxBytes: 100, checksum: '' };
    expect(recordVersionUpload(awaited, incoming, received, noon)).toMatchObject({
      state: { incoming: { objectKey: 'copy' } },
      followUp: { objectKeys: ['second'] },
    });
    expect(recordUpload(uploaded(awaited, 'second'), received, noon).events).toEqual([]);
  });
});

describe('versions of a document', () => {
  it('are so many at most, the oldest go first with their bytes, and all count', () => {
    let present = ready;
    for (const key of ['b', 'c']) present = withVersion(present, key);
    expect([numbers(present), heldBytesOf(present)]).toEqual([[3, 2, 1], 50]);
    const reading = claimed(uploaded(asked(present, 'd'), 'd'));
    expect(heldBytesOf(reading)).toBe(70);
    const { state = ready, followUp } = completed(reading, { maxVersions: 2 });
    expect([numbers(state), followUp?.objectKeys]).toEqual([
      [4, 3],
      [KEY, 'b'],
    ]);
    expect(numbers(withVersion(state, 'e', { maxVersions: 1 }))).toEqual([5]);
  });

  it('stand in the audit log with each change', () => {
    const present = { actor: ann, name: '', contentType: 'text/plain', newKey: 'second', nextPollAt: noon };
    const requested = requestVersion(ready, present, noon);
    const none = { before: { incoming_version: null }, after: { incoming_version: { version: 2 } } };
    expect(requested.events).toMatchObject([{ name: 'document.version_requested', change: none }]);
    const gone = { before: none.after, after: none.before };
    expect(deleteVersion(requested.state, 2, noon).events).toMatchObject([{ change: gone }]);
    const two = { before: { earlier_versions: [1] }, after: { earlier_versions: [] } };
    expect(deleteVersion(withVersion(ready, 'second'), 1, noon).events).toMatchObject([{ change: two }]);
  });

  it('that have failed are read once more when they are restored, if they have bytes', () => {
    const failed = failProcessing(claimed(uploaded(asked(ready, 'second'), 'second')), ours, { failure }, noon).state;
    expect(failed?.incoming).toMatchObject({ number: 2, status: 'FAILED' });
    const again = restoreVersion(failed, 2, ann, minutesLater(1)).state;
    expect(again.incoming).toMatchObject({ number: 2, status: 'UPLOADED', failure: null, objectKey: 'second' });
    expect(again.nextAttemptAt).toEqual(minutesLater(1));
    expect(restoreVersion(again, 2, ann, minutesLater(2)).state).toBe(again);
    const tooLarge = uploaded(asked(ready, 'third'), 'third', 101);
    expect(() => restoreVersion(tooLarge, 2, ann, noon)).toThrow('The file was not kept');
  });

  it('of a document that failed stay when it is uploaded anew, but for the bytes of what failed', () => {
    const second = withVersion(ready, 'second');
    const failed: Document = { ...second, status: 'FAILED', failure };
    const upload = {
      ...{ id: failed.id, name: failed.name, contentType: 'text/plain', collection: '', made: {} },
      ...{ newKey: 'anew', nextPollAt: noon },
    };
    const { state, followUp } = requestUpload(failed, upload, minutesLater(2));
    expect(numbers(state)).toEqual([3, 1]);
    expect(state).toMatchObject({
      status: 'PENDING_UPLOAD',
      objectKey: 'anew',
      earlier: [{ number: 1, objectKey: KEY }],
    });
    expect(followUp).toMatchObject({ objectKeys: ['second'] });
    const restored = requestUpload({ ...failed, objectKey: KEY }, upload, minutesLater(2));
    expect(restored.followUp).toMatchObject({ objectKeys: [] });
  });

  it('are restored as new ones whose bytes are there once, and stay as long as any has them', () => {
    const second = withVersion(ready, 'second');
    expect(restoreVersion(second, 2, ann, noon).state).toBe(second);
    expect(() => restoreVersion(second, 7, ann, noon)).toThrow('Version not found');
    const restoring = restoreVersion(second, 1, ann, noon).state;
    expect(restoring.incoming).toMatchObject({ number: 3, restoredFrom: 1, objectKey: KEY, status: 'UPLOADED' });
    expect(restoreVersion(restoring, 1, ann, noon).state).toBe(restoring);
    const three = restoreVersion(withVersion(second, 'third'), 1, ann, noon).state;
    expect(() => restoreVersion(three, 2, ann, noon)).toThrow('Another version');
    const { state = ready } = completed(claimed(restoring), { sizeBytes: 10 });
    expect([numbers(state), state.objectKey, heldBytesOf(state)]).toEqual([[3, 2, 1], KEY, 30]);
    expect(restoreVersion(state, 1, ann, noon).state).toBe(state);
    const without = deleteVersion(state, 1, noon);
    expect([numbers(without.state), without.followUp]).toEqual([[3, 2], undefined]);
    expect(deleteVersion(without.state, 2, noon).followUp).toMatchObject({ objectKeys: ['second'] });
    expect(() => deleteVersion(state, 3, noon)).toThrow('what the document has');
  });

  it('go with the document, and one that is coming with its archive or when it is deleted', () => {
    const present = asked(withVersion(ready, 'second'), 'third');
    expect(deleteDocument(present, noon).followUp?.objectKeys.toSorted()).toEqual([KEY, 'second', 'third'].toSorted());
    const archived = archiveDocument(present, noon);
    expect(archived.followUp).toMatchObject({ objectKeys: ['third'] });
    expect(numbers(archived.state)).toEqual([2, 1]);
    const without = deleteVersion(claimed(uploaded(present, 'third')), 3, noon);
    expect(without).toMatchObject({ state: { lease: null, nextAttemptAt: null }, followUp: { objectKeys: ['third'] } });
    expect(asked(without.state, 'fourth').incoming?.number).toBe(4);
  });
});
