import { serviceActorContext, unchanged, type Logger } from '@platform-backend/core';
import type { Passages } from '../../passages/domain/passage.ts';
import { reprocessed } from '../domain/change-document.ts';
import { objectKeysOf } from '../domain/document.ts';
import type { DueFollowUp } from '../domain/documents.ts';
import { isSearchedAlike, sourceOf } from '../domain/source.ts';
import type { DocumentPorts } from './documents.ts';

export type FollowUpPorts = Pick<DocumentPorts, 'documents' | 'texts' | 'files' | 'clock' | 'newId' | 'wake'> & {
  readonly passages: Passages;
  /** For how long nobody else takes what somebody has begun with. */
  readonly leaseMs: number;
};

/** What could not be done lets others go before it, in milliseconds. */
const RETRY_MS = 30_000;

/** Does what follows from changes of documents: of each organisation one, round and round. Each step may be repeated. */
export async function followUpDocuments(ports: FollowUpPorts, logger: Logger, stopping: AbortSignal): Promise<void> {
  const { documents, clock, leaseMs } = ports;
  let last = '';
  while (!stopping.aborted) {
    const at = clock.now();
    const due = await documents.takeFollowUp(last, at, new Date(at.getTime() + leaseMs));
    if (!due) return;
    last = due.organisationId;
    try {
      await followUp(ports, due);
    } catch (error) {
      const { organisationId, documentId } = due;
      logger.warn(
        { event: 'document_follow_up.failed', err: error, organisationId, documentId },
        'a change of a document could not be followed up',
      );
      await documents.followedUp(due, new Date(clock.now().getTime() + RETRY_MS));
    }
  }
}

async function followUp({ files, texts, documents, clock, ...ports }: FollowUpPorts, due: DueFollowUp): Promise<void> {
  const { organisationId, documentId, objectKeys, againAt } = due;
  if (due.isCopy) {
    const present = await documents.find(organisationId, documentId);
    const kept = new Set(present ? objectKeysOf(present) : []);
    await files.remove(objectKeys.filter((key) => !kept.has(key)));
    await documents.followedUp(due, undefined);
    return;
  }
  await alignPassages({ documents, clock, ...ports }, due);
  await texts.remove(organisationId, objectKeys);
  // Last, as they are elsewhere: what keeps them waiting keeps nothing else.
  await files.remove(objectKeys);
  await documents.followedUp(due, againAt && againAt > clock.now() ? againAt : undefined);
}

/** What can be found of a document is what it says now; of one that is archived or gone, nothing. */
async function alignPassages(
  {
    documents,
    passages,
    clock,
    newId,
    wake,
  }: Pick<FollowUpPorts, 'documents' | 'passages' | 'clock' | 'newId' | 'wake'>,
  { organisationId, documentId }: DueFollowUp,
): Promise<void> {
  let present = await documents.find(organisationId, documentId);
  for (let described; present?.status === 'READY' && !(described && isSearchedAlike(present, described));) {
    described = present;
    await passages.describe(organisationId, sourceOf(described));
    // Whoever followed up a later change may have been faster, and this would be what it was called before.
    present = await documents.find(organisationId, documentId);
  }
  if (present && present.status !== 'ARCHIVED') return;
  await passages.remove(organisationId, 'DOCUMENT', [documentId]);
  // Should somebody have been faster in restoring it or in putting another one in its place, it has lost its passages.
  const then = await documents.find(organisationId, documentId);
  if (then?.status !== 'READY') return;
  await documents.update(serviceActorContext('content', organisationId, newId()), documentId, (document) =>
    document?.status === 'READY' ? reprocessed(document, clock.now()) : unchanged(document),
  );
  wake();
}
