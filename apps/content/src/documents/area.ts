import { newId } from '@platform-backend/core';
import { fileTransfers, openObjects } from '@platform-backend/objects';
import type { Area, PeriodicJob, RunningJob } from '@platform-backend/service';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { AccessExports } from '../access/area.ts';
import type { PassagesExports } from '../passages/area.ts';
import type { SandboxExports } from '../sandbox/area.ts';
import type { ContentContext, service } from '../service.ts';
import { collectionHandlers } from './api/collection-handlers.ts';
import { documentHandlers } from './api/document-handlers.ts';
import { fileHandlers } from './api/file-handlers.ts';
import { collectionUseCases } from './app/collections.ts';
import { documentChunks } from './app/document-chunks.ts';
import { documentVersions } from './app/document-versions.ts';
import { documentUseCases } from './app/documents.ts';
import { followUpDocuments } from './app/follow-up-documents.ts';
import { importedDocuments } from './app/imported-documents.ts';
import { pollUploads } from './app/poll-uploads.ts';
import { fileSlots, readFile } from './app/read-file.ts';
import { uploadOwner } from './app/upload-owner.ts';
import { lanesOf, processDueDocuments } from './app/work-on-documents.ts';
import type { UploadedBytes } from './domain/files.ts';
import { compiledCode } from './extraction/compiled-code.ts';
import type { documentReaders } from './extraction/document-readers.ts';
import { installedOcr, ocrNotice } from './models/installed-ocr.ts';
import { tesseractOcr } from './models/tesseract.ts';
import { documentFiles } from './store/document-files.ts';
import { documentTextsStore } from './store/document-texts-store.ts';
import { documentsStore } from './store/documents-store.ts';

export type DocumentsExports = Awaited<ReturnType<typeof documentsArea>>['exports'];

/** How often work is looked for of which nobody has told this process, in milliseconds. */
const POLL_EVERY_MS = 5_000;

/** Where clients bring bytes to the platform itself, they are lost sight of only when a process dies. */
const POLL_FOR_LOST_EVERY_MS = 60_000;

/** Documents: uploaded, read whatever their format, kept with their bytes and texts; and what goes on beside the calls. */
export const documentsArea = async (
  { settings, storage, clock, logger, repeat, defer, metrics }: ContentContext,
  {
    access: { admitAccess, collections },
    passages: { passages, passageStore, model },
    sandbox: { sandbox, run },
    openReaders,
  }: {
    readonly access: AccessExports;
    readonly passages: PassagesExports;
    readonly sandbox: SandboxExports;
    readonly openReaders: typeof documentReaders;
  },
) => {
  const { database } = storage;
  const objects = await openObjects(settings, clock, 'content');
  defer(() => objects.store.close());
  const copies = join(tmpdir(), `platform-content-${String(userInfo().uid)}`);
  const files = await documentFiles(objects, copies);
  const [documents, texts] = [documentsStore(database, passages), documentTextsStore(database)];
  const lanes = lanesOf(settings.CONTENT_DOCUMENT_WORKERS);
  const processes = Math.max(1, lanes.length);
  const compiled = compiledCode(logger);
  const installed = await installedOcr(settings);
  logger.info(ocrNotice(installed, settings));
  const ocr =
    installed &&
    tesseractOcr(run, installed, {
      slots: settings.CONTENT_OCR_PROCESSES,
      maxPages: settings.CONTENT_OCR_MAX_PAGES,
      folder: copies,
      logger,
      count: metrics.counter(
        'content_ocr_pages_total',
        'Scanned pages and pictures by what has become of them: a text (read), none (empty, failed), or too many of them (left_out).',
        ['outcome'],
      ),
    });
  const readers = openReaders(
    async () => {
      const own = await sandbox();
      return { sandbox: own, compiled: await compiled.folder(own) };
    },
    { processes, ocr },
  );
  defer(readers.close);
  defer(compiled.close);

  const loops: RunningJob[] = [];
  const wake = (): void => loops.forEach((loop) => loop.wake());
  const ports = {
    documents,
    admitAccess,
    collections,
    texts,
    files,
    passages,
    passageStore,
    model,
    extract: readers.extract,
    clock,
    newId,
    logger,
    maxBytes: settings.CONTENT_DOCUMENT_MAX_BYTES,
    maxStorageBytes: settings.CONTENT_STORAGE_MAX_BYTES,
    maxVersions: settings.CONTENT_DOCUMENT_VERSIONS,
    pollEveryMs: objects.localEndpoint ? POLL_FOR_LOST_EVERY_MS : POLL_EVERY_MS,
    wake,
    leaseMs: settings.CONTENT_DOCUMENT_LEASE_SECONDS * 1000,
    deadlineMs: settings.CONTENT_DOCUMENT_DEADLINE_SECONDS * 1000,
  };
  const begin = (what: string, work: PeriodicJob['run'], due?: Pick<PeriodicJob, 'untilDueMs'>): void => {
    loops.push(repeat({ name: what, everyMs: POLL_EVERY_MS, run: work, ...due }));
  };
  // Without a worker a replica answers calls and leaves all else to others.
  if (lanes.length > 0) {
    begin('the look for uploads', (stopping) => pollUploads(ports, logger, stopping), {
      untilDueMs: () => documents.untilPoll(clock.now()),
    });
    begin('the following up of documents', (stopping) => followUpDocuments(ports, logger, stopping));
  }
  for (const lane of lanes)
    begin('the processing of documents', (stopping) => processDueDocuments(ports, lane, stopping), {
      untilDueMs: () => documents.untilProcessing(clock.now()),
    });

  const useCases = documentUseCases(ports);
  for (const queue of ['processing', 'follow_up'] as const) {
    metrics.observe(
      'content_documents_due',
      'Documents that wait to be processed or followed up; up to 100,000 are counted.',
      () => documents.countDue(queue, clock.now()),
      { queue },
    );
    metrics.observe(
      'content_documents_oldest_due_age_seconds',
      'How long what has waited longest has been due; 0: nothing is.',
      async () => {
        const at = clock.now();
        return (at.getTime() - ((await documents.oldestDue(queue, at)) ?? at).getTime()) / 1000;
      },
      { queue },
    );
  }
  return {
    handlers: {
      CollectionService: collectionHandlers(collectionUseCases(ports)),
      DocumentService: documentHandlers({ ...useCases, ...documentChunks(ports), ...documentVersions(ports) }),
      FileService: fileHandlers(fileTransfers(objects, uploadOwner(ports))),
    },
    exports: {
      documents: useCases,
      imported: importedDocuments(ports),
      storedDocuments: documents,
      readFile: readFile({ files, extract: readers.extract, slots: fileSlots(processes) }),
      recordingOf: (...call: Parameters<typeof useCases.recordingOf>) => useCases.recordingOf(...call),
      /** Runs the work on a file with these bytes, which is gone afterwards. */
      withBytes: (uploaded: UploadedBytes, signal: AbortSignal, work: (path: string) => Promise<void>): Promise<void> =>
        files.withCopy(uploaded, signal, ({ path }) => work(path)),
      find: (organisationId: string, id: string) => documents.find(organisationId, id),
      idsAmong: (organisationId: string, ids: readonly string[]) => documents.idsAmong(organisationId, ids),
      /** Bytes last: whoever still uploads finds no document any more. */
      removeAll: async (organisationId: string): Promise<void> => {
        for (const kind of [documents, texts, files]) await kind.removeAll(organisationId);
      },
    },
  } satisfies Area<typeof service.declaration>;
};
