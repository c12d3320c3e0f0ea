import { describe, expect, it } from '@jest/globals';
import {
  addPart,
  claimJob,
  createJob,
  endJob,
  heardBy,
  isGivenUp,
  measureJob,
  partOf,
  postponeJob,
  releaseJob,
  renewJob,
  type TranscriptionJob,
} from './transcription-job.ts';

const noon = new Date('2026-01-31T12:00:00Z');
const later = (seconds: number) => new Date(noon.getTime() + seconds * 1000);
const [one, other] = [
  { holder: 'one', leaseMs: 60_000 },
  { holder: 'other', leaseMs: 60_000 },
];

const job = (over: Partial<TranscriptionJob> = {}): TranscriptionJob => ({
  ...createJob(
    {
      ...{ id: 'job', userId: 'ada', documentId: 'document', filename: 'meeting.mp3', language: null },
      ...{ recording: { key: 'key', bytes: 1, checksum: '' }, transcriptionId: 'transcription', debitId: 'debit' },
      payer: { memberId: 'ada', clientGroupId: null, apiKeyId: null },
    },
    noon,
  ).state,
  ...over,
});
const held = (over: Partial<TranscriptionJob> = {}) => {
  const { result } = claimJob(job(over), one, noon);
  if (!result) throw new Error('it is to be had');
  return result;
};
const part = (from: number, to: number, text: string, language = 'en') =>
  partOf({ text, seconds: to - from, language, segments: [] }, { from, to });

describe('a transcription job', () => {
  it('is worked on by one at a time, and by another one when the lease has run out', () => {
    const claimed = held();
    expect(claimed).toMatchObject({ status: 'RUNNING', attempts: 1, nextAttemptAt: later(60) });
    expect(claimJob(claimed, other, later(59)).result).toBeUndefined();
    const taken = claimJob(claimed, other, later(60)).result;
    expect(taken).toMatchObject({ lease: { holder: 'other' }, attempts: 2 });
    for (const change of [renewJob(one), addPart(one, part(0, 1, 'a')), measureJob(one, 9, 'r'), postponeJob(one)])
      expect(change(taken, later(61))).toMatchObject({ state: taken, result: undefined });
  });

  it('keeps each part, and counts attempts for the part that comes next alone', () => {
    const measured = measureJob(one, 240, 'reservation')(held({ attempts: 4 }), noon).result;
    const first = addPart(one, part(0, 118, 'Good morning.'))(measured, later(5)).result;
    expect(first).toMatchObject({ transcribedSeconds: 118, attempts: 1, seconds: 240, reservationId: 'reservation' });
    const released = releaseJob(one)(first, later(6)).result;
    expect(released).toMatchObject({ status: 'QUEUED', lease: null, attempts: 0, nextAttemptAt: later(6) });
    expect(released?.parts).toHaveLength(1);
  });

  it('is given up when nobody gets through with a part', () => {
    let now = job();
    let at = noon;
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      now = claimJob(now, one, at).result ?? now;
      expect(isGivenUp(now)).toBe(false);
      now = postponeJob(one)(now, at).result ?? now;
      at = now.nextAttemptAt ?? at;
    }
    expect(isGivenUp(claimJob(now, one, at).result ?? now)).toBe(true);
  });

  it('ends once, with what was heard in the language in which most was said', () => {
    const parts = [part(0, 100, 'Bonjour.', 'fr'), part(100, 110, ''), part(110, 200, 'Good morning to you all.')];
    const done = held({ parts, transcribedSeconds: 200, seconds: 200 });
    expect(heardBy(done)).toMatchObject({ text: 'Bonjour. Good morning to you all.', seconds: 200, language: 'en' });
    expect(heardBy(done).segments).toEqual([
      { start: 0, end: 100, text: 'Bonjour.' },
      { start: 110, end: 200, text: 'Good morning to you all.' },
    ]);
    const { state } = endJob(done, { status: 'SUCCEEDED' }, later(9));
    expect(state).toMatchObject({ hasTranscription: true, parts: [], nextAttemptAt: null, finishedAt: later(9) });
    expect(claimJob(state, other, later(999)).result).toBeUndefined();
    expect(endJob(held(), { status: 'CANCELLED' }, noon).state.hasTranscription).toBe(false);
    expect(endJob(done, { status: 'CANCELLED' }, noon).state.hasTranscription).toBe(true);
    const failure = { code: 'damaged_audio', message: 'damaged' };
    expect(endJob(done, { status: 'FAILED', failure }, noon).state).toMatchObject({ failure, hasTranscription: false });
  });

  it('has times from the beginning of the recording, all of them within their part', () => {
    const segments = [
      { start: -0.2, end: 0.8, text: 'Hello.' },
      { start: 2, end: 1, text: 'Yes?' },
      { start: 3, end: 99, text: 'Good.' },
    ];
    expect(partOf({ text: 'Hello. Yes? Good.', seconds: 20, segments }, { from: 100, to: 120 })).toMatchObject({
      segments: [
        { start: 100, end: 100.8, text: 'Hello.' },
        { start: 102, end: 102, text: 'Yes?' },
        { start: 103, end: 120, text: 'Good.' },
      ],
    });
  });
});
