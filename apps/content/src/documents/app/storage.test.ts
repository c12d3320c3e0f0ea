import { describe, expect, it } from '@jest/globals';
import { fixedClock, serviceActorContext } from '@platform-backend/core';
import type { Document } from '../domain/document.ts';
import type { Documents } from '../domain/documents.ts';
import { document, noon } from '../test/document-examples.ts';
import { documentUseCases, type DocumentPorts } from './documents.ts';

const MAX_STORAGE = 3_000;
const by = serviceActorContext('content', 'org_1', 'request');

/** An upload asked for again, where so much is taken when there is room looked for, and afterwards. */
async function askedAgain(pending: Document, bytes: number, taken: readonly number[]) {
  const counts = [...taken];
  let kept: Document | undefined = pending;
  const documents: Partial<Documents> = {
    find: () => Promise.resolve(kept),
    storage: () => Promise.resolve({ bytes: counts.shift() ?? 0, documents: 1 }),
    updateWithFollowUp: (_by, _id, _at, decide) => {
      const { state, result } = decide(kept);
      kept = state;
      return Promise.resolve(result);
    },
  };
  const ports = {
    ...{ documents, clock: fixedClock(noon), newId: () => 'new', wake: () => undefined },
    ...{ maxBytes: 5_000, maxStorageBytes: MAX_STORAGE, pollEveryMs: 1_000 },
    files: { presignUpload: () => Promise.resolve({ url: 'https://example.com/' }) },
  } as unknown as DocumentPorts;
  const { id, name, contentType, collection } = pending;
  const asked = await documentUseCases(ports)
    .uploadDocument(by, { id, name, contentType, collection, bytes })
    .catch((error: unknown) => error);
  return { asked, kept };
}

describe('an upload that was granted', () => {
  it('is not taken back where it is asked for again while another one takes too much', async () => {
    const { asked, kept } = await askedAgain(document({ reservedBytes: 1_000 }), 1_000, [2_000, 3_500]);
    expect(asked).toMatchObject({ url: 'https://example.com/' });
    expect(kept).toMatchObject({ status: 'PENDING_UPLOAD', reservedBytes: 1_000 });
  });

  it('is taken back where it asks for more than there is after all', async () => {
    const { asked, kept } = await askedAgain(document({ reservedBytes: 1_000 }), 2_000, [2_000, 3_500]);
    expect(asked).toMatchObject({ code: 'storage_quota_exceeded' });
    expect(kept).toMatchObject({ status: 'EXPIRED' });
  });

  it('holds what its URL may bring, also where it is asked for again with less', async () => {
    const { kept } = await askedAgain(document({ reservedBytes: 3_000 }), 1, [3_000, 3_000]);
    expect(kept).toMatchObject({ reservedBytes: 3_000 });
  });
});
