import { describe, expect, it } from '@jest/globals';
import { document, minutesLater, noon } from '../test/document-examples.ts';
import { MAX_ATTEMPTS } from './limits.ts';
import {
  claimDocument,
  completeProcessing,
  failProcessing,
  postponeProcessing,
  continueProcessing,
  releaseDocument,
} from './process-document.ts';

const ours = { holder: 'ours', leaseMs: 60_000 };
const theirs = { holder: 'theirs', leaseMs: 60_000 };
const uploaded = document({ status: 'UPLOADED', nextAttemptAt: noon });
const claimed = claimDocument(uploaded, ours, noon).result;
const failure = { code: 'damaged', message: 'Save it anew' };
const facts = {
  mediaType: 'application/pdf',
  sizeBytes: 10,
  checksum: 'abc',
  language: 'en',
  pageCount: 3,
  numTokens: 7,
  description: 'A report',
  detailedDescription: 'A report on foxes',
  contentIsCut: false,
  pagesWithoutText: [2],
};
const indexedAs = { name: uploaded.name, collection: uploaded.collection };
const read = { ...facts, indexedAs };

describe('a document that waits', () => {
  it('is taken by one worker, for as long as its lease', () => {
    expect(claimed).toMatchObject({
      status: 'PROCESSING',
      attempts: 1,
      lease: { holder: 'ours', until: minutesLater(1) },
    });
    expect(claimDocument(claimed, theirs, minutesLater(0.5)).result).toBeUndefined();
    expect(claimDocument(claimed, theirs, minutesLater(1)).result).toMatchObject({
      lease: { holder: 'theirs' },
      attempts: 2,
    });
  });

  it('is taken by nobody before its time, nor when there is nothing to do', () => {
    expect(
      claimDocument(document({ status: 'UPLOADED', nextAttemptAt: minutesLater(1) }), ours, noon).result,
    ).toBeUndefined();
    expect(claimDocument(document(), ours, noon).result).toBeUndefined();
    expect(claimDocument(undefined, ours, noon)).toMatchObject({ state: undefined, result: undefined });
  });

  it('is given up when it was begun too often, as one that ends every process that reads it', () => {
    const { state, events, result } = claimDocument({ ...uploaded, attempts: MAX_ATTEMPTS }, ours, noon);
    expect(state).toMatchObject({ status: 'FAILED', failure: { code: 'reader_failed' }, nextAttemptAt: null });
    expect(events.map(({ name }) => name)).toEqual(['document.failed']);
    expect(result).toBeUndefined();
  });
});

describe('work on a document', () => {
  it('goes on under a longer lease, and tells what is new', () => {
    const progress = { stage: 'INDEXING', percent: 60 } as const;
    const { state, events } = continueProcessing(claimed, ours, progress, minutesLater(0.5));
    expect(state).toMatchObject({ progress, lease: { until: minutesLater(1.5) }, nextAttemptAt: minutesLater(1.5) });
    expect(events).toMatchObject([{ name: 'document.progressed', data: { stage: 'INDEXING', percent: 60 } }]);
    expect(continueProcessing(state, ours, progress, noon).events).toEqual([]);
    expect(continueProcessing(state, ours, undefined, noon).events).toEqual([]);
  });

  it('ends with what was read', () => {
    const { state, events } = completeProcessing(claimed, ours, read, { maxVersions: 20, at: minutesLater(1) });
    expect(state).toMatchObject({ ...facts, status: 'READY', lease: null, nextAttemptAt: null, progress: null });
    expect(events).toMatchObject([{ name: 'document.ready', data: { page_count: 3, size_bytes: 10 } }]);
  });

  it('has the search follow where its name or collection was changed while it was read', () => {
    const { id } = uploaded;
    expect(completeProcessing(claimed, ours, read, { maxVersions: 20, at: noon }).followUp).toBeUndefined();
    for (const change of [{ name: 'another.pdf' }, { collection: 'hr' }]) {
      const changed = claimed && { ...claimed, ...change };
      const followUp = { documentId: id, objectKeys: [], againAt: null };
      expect(completeProcessing(changed, ours, read, { maxVersions: 20, at: noon })).toMatchObject({
        state: change,
        followUp,
      });
    }
  });

  it('leaves a description alone that somebody wrote', () => {
    const described = claimed && { ...claimed, description: 'Ours', describedByHand: true };
    expect(completeProcessing(described, ours, read, { maxVersions: 20, at: noon }).state).toMatchObject({
      description: 'Ours',
    });
  });

  it('ends with a reason, or begins anew later', () => {
    expect(failProcessing(claimed, ours, { failure }, noon).state).toMatchObject({ status: 'FAILED', failure });
    const { state, events } = postponeProcessing(claimed, ours, { failure }, noon);
    expect(state).toMatchObject({ status: 'PROCESSING', attempts: 1, lease: null, failure: null });
    expect(state?.nextAttemptAt?.getTime()).toBeGreaterThan(noon.getTime());
    expect(events).toEqual([]);
    const last = claimed && { ...claimed, attempts: MAX_ATTEMPTS };
    expect(postponeProcessing(last, ours, { failure }, noon).state).toMatchObject({ status: 'FAILED', failure });
  });

  it('says what its bytes are where they could not be read, as far as that was found out', () => {
    const known = { failure, mediaType: 'image/png' };
    expect(failProcessing(claimed, ours, known, noon).state).toMatchObject({ mediaType: 'image/png' });
    expect(failProcessing(claimed, ours, { failure }, noon).state?.mediaType).toBe(claimed?.mediaType);
    expect(failProcessing(claimed, ours, known, noon).events).toMatchObject([{ data: { ...failure } }]);
  });

  it('that its process gives back counts as no attempt', () => {
    expect(releaseDocument(claimed, ours, noon).state).toMatchObject({
      status: 'PROCESSING',
      attempts: 0,
      nextAttemptAt: noon,
      lease: null,
    });
  });

  it('is nothing any more once somebody else has the document, or it is gone', () => {
    for (const present of [
      undefined,
      document({ status: 'ARCHIVED' }),
      claimDocument(claimed, theirs, minutesLater(2)).result,
    ]) {
      const outcomes = [
        continueProcessing(present, ours, undefined, noon),
        completeProcessing(present, ours, read, { maxVersions: 20, at: noon }),
        failProcessing(present, ours, { failure }, noon),
        postponeProcessing(present, ours, { failure }, noon),
        releaseDocument(present, ours, noon),
      ];
      for (const { state, result, events } of outcomes)
        expect([state, result, events]).toEqual([present, undefined, []]);
    }
  });
});
