import { newId } from '@platform-backend/core';
import { openObjects } from '@platform-backend/objects';
import { repeat, type ServiceContext, type RunningJob } from '@platform-backend/service';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { documentHandlers } from '../documents/api/document-handlers.ts';
import { fileHandlers } from '../documents/api/file-handlers.ts';
import { documentChunks } from '../documents/app/document-chunks.ts';
import { documentUseCases } from '../documents/app/documents.ts';
import { followUpDocuments } from '../documents/app/follow-up-documents.ts';
import { pollUploads } from '../documents/app/poll-uploads.ts';
import { fileUseCases } from '../documents/app/transfer-files.ts';
import { workOnDocuments } from '../documents/app/work-on-documents.ts';
import { documentReaders } from '../documents/extraction/document-readers.ts';
import { documentFiles } from '../documents/store/document-files.ts';
import { documentTextsStore } from '../documents/store/document-texts-store.ts';
import { documentsStore } from '../documents/store/documents-store.ts';
import type { PassageStore } from '../passages/domain/passage-store.ts';
import type { Passages } from '../passages/domain/passage.ts';
import type { service } from '../service.ts';

/** How often work is looked for of which nobody has told this process, in milliseconds. */
const LOOK_EVERY_MS = 5_000;

/** Where clients bring bytes to the platform itself, they are lost sight of only when a process dies. */
const LOOK_FOR_LOST_EVERY_MS = 60_000;

/** Documents: their handlers, and what goes on beside the calls. */
export async function composeDocuments(
  { settings, storage, clock, logger, defer }: ServiceContext<typeof service.declaration>,
  { passages, passageStore }: { readonly passages: Passages; readonly passageStore: PassageStore },
) {
  const { database } = storage;
  const objects = await openObjects(settings, clock);
  defer(() => objects.store.close());
  const files = await documentFiles(objects, join(tmpdir(), `platform-content-${String(userInfo().uid)}`));
  const [documents, texts] = [documentsStore(database), documentTextsStore(database)];
  const readers = documentReaders({ processes: Math.max(1, settings.CONTENT_DOCUMENT_WORKERS) });
  defer(readers.close);

  const loops: RunningJob[] = [];
  const wake = (): void => loops.forEach((loop) => loop.wake());
  const ports = {
    documents,
    texts,
    files,
    passages,
    passageStore,
    extract: readers.extract,
    clock,
    newId,
    logger,
    maxBytes: settings.CONTENT_DOCUMENT_MAX_BYTES,
    lookEveryMs: files.door ? LOOK_FOR_LOST_EVERY_MS : LOOK_EVERY_MS,
    wake,
    leaseMs: settings.CONTENT_DOCUMENT_LEASE_SECONDS * 1000,
    deadlineMs: settings.CONTENT_DOCUMENT_DEADLINE_SECONDS * 1000,
  };
  const turns = { last: '' };
  const begin = (what: string, work: (stopping: AbortSignal) => Promise<void>): void => {
    const loop = repeat({ name: what, everyMs: LOOK_EVERY_MS, run: work }, logger);
    loops.push(loop);
    defer(() => loop.stop());
  };
  const workers = settings.CONTENT_DOCUMENT_WORKERS;
  // Without a worker a replica answers calls and leaves all else to others.
  if (workers > 0) {
    begin('the look for uploads', (stopping) => pollUploads(ports, logger, stopping));
    begin('the following up of documents', (stopping) => followUpDocuments(ports, logger, stopping));
  }
  for (let worker = 1; worker <= workers; worker += 1)
    begin('the processing of documents', (stopping) => workOnDocuments(ports, turns, stopping));

  return {
    documents,
    handlers: {
      DocumentService: documentHandlers({ ...documentUseCases(ports), ...documentChunks(ports) }),
      FileService: fileHandlers(fileUseCases(ports)),
    },
    /** Bytes last: whoever still uploads finds no document any more. */
    removers: [documents, texts, files].map((kind) => (organisationId: string) => kind.removeAll(organisationId)),
  };
}
