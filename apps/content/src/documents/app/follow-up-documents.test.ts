import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import type { Source } from '../../passages/domain/passage.ts';
import type { Document } from '../domain/document.ts';
import type { DueFollowUp } from '../domain/documents.ts';
import { document, noon } from '../test/document-examples.ts';
import { followUpDocuments, type FollowUpPorts } from './follow-up-documents.ts';

const due: DueFollowUp = { id: 'f', organisationId: 'org_1', documentId: 'document-1', objectKeys: [], againAt: null };

/** Follows one change up, of a document that is another one each time that it is looked up; answers what the search was told. */
async function followedUp(...states: readonly (Document | undefined)[]) {
  return toldOf({ states });
}

async function toldOf({
  states,
  areFilesAway = false,
  of = due,
}: {
  states: readonly (Document | undefined)[];
  areFilesAway?: boolean;
  of?: DueFollowUp;
}) {
  const left = [...states];
  const told: string[] = [];
  const waiting = [of];
  const ports: Pick<FollowUpPorts, 'clock' | 'newId' | 'wake' | 'leaseMs'> &
    Record<'documents' | 'texts' | 'files' | 'passages', object> = {
    documents: {
      takeFollowUp: (after: string, at: Date, until: Date) => {
        // Behind whoever had the last turn, and for as long as the lease says.
        expect([after, until.getTime() - at.getTime()]).toEqual([waiting.length > 0 ? '' : of.organisationId, 60_000]);
        return Promise.resolve(waiting.shift());
      },
      find: () => Promise.resolve(left.length > 1 ? left.shift() : left[0]),
      followedUp: (_due: DueFollowUp, again?: Date) =>
        Promise.resolve(void told.push(again ? 'comes again' : 'followed up')),
    },
    texts: { remove: () => Promise.resolve() },
    files: {
      remove: (keys: readonly string[]) => {
        told.push(...keys.map((key) => `${key} is removed`));
        return areFilesAway ? Promise.reject(new Error('the store is away')) : Promise.resolve();
      },
    },
    passages: {
      describe: (_organisationId: string, { title }: Source) => Promise.resolve(void told.push(`is called ${title}`)),
      remove: () => Promise.resolve(void told.push('is gone')),
    },
    clock: { now: () => noon },
    newId: () => 'id',
    wake: () => undefined,
    leaseMs: 60_000,
  };
  const logger = createLogger({ service: 'content', level: 'silent' });
  await followUpDocuments(ports as unknown as FollowUpPorts, logger, new AbortController().signal);
  return told;
}

describe('what follows from a change of a document', () => {
  const ready = (name: string) => document({ name, status: 'READY' });

  it('is that the search knows its latest name, however many follow up changes at the same time', async () => {
    expect(await followedUp(ready('old'))).toEqual(['is called old', 'followed up']);
    expect(await followedUp(ready('old'), ready('new'))).toEqual(['is called old', 'is called new', 'followed up']);
  });

  it('is that what is archived or deleted is not found any more', async () => {
    expect(await followedUp(document({ status: 'ARCHIVED' }))).toEqual(['is gone', 'followed up']);
    expect(await followedUp(undefined)).toEqual(['is gone', 'followed up']);
    expect(await followedUp(ready('old'), undefined)).toEqual(['is called old', 'is gone', 'followed up']);
  });

  it('waits for no bytes: while the object store is away all but these are gone', async () => {
    expect(await toldOf({ states: [undefined], areFilesAway: true })).toEqual(['is gone', 'comes again']);
  });

  it('is that a copy goes which nobody took, and stays where it is what the document has', async () => {
    const of = { ...due, objectKeys: ['copy'], isCopy: true };
    const ofOther = ready('report');
    expect(await toldOf({ states: [ofOther], of })).toEqual(['copy is removed', 'followed up']);
    expect(await toldOf({ states: [undefined], of })).toEqual(['copy is removed', 'followed up']);
    expect(await toldOf({ states: [{ ...ofOther, objectKey: 'copy' }], of })).toEqual(['followed up']);
  });
});
