import { describe, expect, it } from '@jest/globals';
import { fixedClock, serviceActorContext, unavailable } from '@platform-backend/core';
import type { Document } from '../domain/document.ts';
import type { DocumentRef } from '../domain/documents.ts';
import { documentNotFound } from '../domain/errors.ts';
import type { Files } from '../domain/files.ts';
import { document, KEY, noon } from '../test/document-examples.ts';
import { recordSettled, settleUpload } from './settle-upload.ts';

const SETTLED = 'org_1/documents/document-1/settled';

/** What is removed of a copy where this becomes of the document. */
async function removedWhere(record: () => Promise<Document | undefined>, settledKey = SETTLED) {
  const removed: string[] = [];
  const files = { remove: (keys: readonly string[]) => Promise.resolve(void removed.push(...keys)) };
  const received = { objectKey: KEY, settledKey, bytes: 10, maxBytes: 100, checksum: '' };
  const failure = await recordSettled({ files }, received, record).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { removed, failure };
}

describe('the copy of an upload', () => {
  it('is noted down before it is made, so that it goes where its process is killed', async () => {
    const done: string[] = [];
    const ports = {
      clock: fixedClock(noon),
      newId: () => 'new',
      maxBytes: 100,
      documents: {
        noteCopy: (ref: DocumentRef, key: string, dueAt: Date) =>
          Promise.resolve(
            void done.push(`${ref.id}: ${key} in ${(dueAt.getTime() - noon.getTime()) / 60_000} minutes`),
          ),
      },
      files: {
        settle: async ({ newKey, beforeCopy }: { newKey: string; beforeCopy: () => Promise<void> }) => {
          await beforeCopy();
          done.push(`copied to ${newKey}`);
          throw new Error('killed');
        },
      } as unknown as Files,
    };
    const by = serviceActorContext('content', 'org_1', 'request');
    await expect(settleUpload(ports, by, { id: 'document-1', objectKey: KEY })).rejects.toThrow('killed');
    expect(done).toEqual([expect.stringMatching(/^document-1: .*new in 60 minutes$/), expect.stringContaining('new')]);
    expect(done[0]).toContain(done[1]?.replace('copied to ', ''));
  });

  it('stays where it is the document’s, and goes where somebody else was faster', async () => {
    expect((await removedWhere(() => Promise.resolve(document({ objectKey: SETTLED })))).removed).toEqual([]);
    expect((await removedWhere(() => Promise.resolve(document({ objectKey: 'other' })))).removed).toEqual([SETTLED]);
    expect((await removedWhere(() => Promise.resolve(document({ objectKey: 'other' })), KEY)).removed).toEqual([]);
  });

  it('goes where the document was deleted meanwhile, and stays where nobody knows what became of it', async () => {
    const gone = await removedWhere(() => Promise.reject(documentNotFound()));
    expect(gone).toMatchObject({ removed: [SETTLED], failure: { kind: 'not_found' } });
    const lost = await removedWhere(() => Promise.reject(unavailable(new Error('connection lost at the commit'))));
    expect(lost).toMatchObject({ removed: [], failure: { kind: 'unavailable' } });
  });
});
