import { DomainError, newId, serviceActorContext, type ActorContext, type Logger } from '@platform-backend/core';
import type { ImportedDocuments } from '../../documents/app/imported-documents.ts';
import type { Document, Failure } from '../../documents/domain/document.ts';
import { storageQuotaExceeded } from '../../documents/domain/errors.ts';
import type { FetchedBytes } from '../../documents/domain/import-document.ts';
import { retryDelay } from '../../documents/domain/limits.ts';
import { FetchFailure } from '../domain/fetch-failure.ts';
import type { HeldItem, ItemResult } from '../domain/imports.ts';
import { nameUntilFetched, startOf, type ImportPorts } from './imports.ts';

export interface FetchPorts extends Pick<ImportPorts, 'imports' | 'clock'> {
  /** What is at the address of an item, kept for its document. Rejects with a `FetchFailure`, or as `documents.put` does. */
  readonly fetchFor: (
    by: ActorContext,
    item: HeldItem,
    options: { readonly signal: AbortSignal; readonly report: (percent: number) => void },
  ) => Promise<FetchedBytes>;
  readonly documents: ImportedDocuments;
  readonly logger: Logger;
  /** For how long an item is ours without another word, in milliseconds. */
  readonly leaseMs: number;
  /** What one attempt may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** How often an address is asked. */
const MAX_ATTEMPTS = 5;

/** Progress is told no more often, in milliseconds. */
const TELL_EVERY_MS = 2_000;

/** An item that was cancelled meanwhile is given up after this, in milliseconds. */
const NOTICED_MS = 5_000;

/** What the workers of a process are at. */
export interface FetchLanes {
  /** Whose turn it was last. */
  last: string;
  /** The organisation of each address that is being fetched. */
  readonly busy: string[];
  /** So many of one organisation at once: addresses that say little keep nobody else waiting. */
  readonly maxPerOrganisation: number;
  /** One after the other takes an item, so that each knows what the others are at. */
  taken: Promise<unknown>;
}

export const newLanes = (workers: number): FetchLanes => ({
  ...{ last: '', busy: [], taken: Promise.resolve(), maxPerOrganisation: Math.max(1, Math.floor(workers / 2)) },
});

/** Fetches until nothing is due: of each organisation one address, round and round. Says how many it took. */
export async function fetchDueItems(ports: FetchPorts, lanes: FetchLanes, stopping: AbortSignal): Promise<number> {
  let count = 0;
  for (; !stopping.aborted; count += 1) {
    const taking = lanes.taken.then(() => takeItem(ports, lanes));
    lanes.taken = taking.catch(() => undefined);
    const item = await taking;
    if (!item) break;
    try {
      await fetchItem(ports, item, stopping);
    } finally {
      lanes.busy.splice(lanes.busy.indexOf(item.organisationId), 1);
    }
  }
  return count;
}

async function takeItem({ imports, clock, leaseMs }: FetchPorts, lanes: FetchLanes): Promise<HeldItem | undefined> {
  const at = clock.now();
  const lease = { holder: newId(), until: new Date(at.getTime() + leaseMs) };
  const after = { organisation: lanes.last, except: fullIn(lanes) };
  const item = await imports.take(after, at, lease);
  if (!item) return undefined;
  lanes.last = item.organisationId;
  lanes.busy.push(item.organisationId);
  return item;
}

const fullIn = ({ busy, maxPerOrganisation }: FetchLanes): readonly string[] =>
  [...new Set(busy)].filter((organisation) => busy.filter((one) => one === organisation).length >= maxPerOrganisation);

async function fetchItem(ports: FetchPorts, item: HeldItem, stopping: AbortSignal): Promise<void> {
  const { imports, clock, leaseMs, timeoutMs, logger } = ports;
  const by = serviceActorContext('content', item.organisationId, newId());
  const [lost, over] = [new AbortController(), new AbortController()];
  const renewal = setInterval(
    () => {
      imports.renew(item, new Date(clock.now().getTime() + leaseMs)).then(
        (isHeld) => {
          if (!isHeld) lost.abort(new Error('somebody else has it now'));
        },
        // The lease lasts for two more attempts at least; should it run out, the address is asked twice and one answer kept.
        (error: unknown) =>
          logger.warn({ event: 'document_import.lease_failed', err: error }, 'a lease was not renewed'),
      );
    },
    Math.min(leaseMs / 3, NOTICED_MS),
  );
  try {
    const signal = AbortSignal.any([stopping, lost.signal, over.signal, AbortSignal.timeout(timeoutMs)]);
    await attempt(ports, by, item, signal);
  } catch (error) {
    if (lost.signal.aborted) return;
    if (stopping.aborted) await postpone(ports, by, item, { delayMs: 0, counts: false });
    else await failOrPostpone(ports, by, item, error);
  } finally {
    clearInterval(renewal);
    // Whatever is left of an answer is not waited for.
    over.abort();
  }
}

async function attempt(ports: FetchPorts, by: ActorContext, item: HeldItem, signal: AbortSignal): Promise<void> {
  const { imports, documents, fetchFor } = ports;
  if (item.isCancelled) {
    await imports.end(item, async () => {
      await documents.fail(by, refOf(item), CANCELLED);
      return { status: 'CANCELLED' };
    });
    return;
  }
  // Nobody got through with it, also where each process died of it.
  if (item.attempts > MAX_ATTEMPTS) {
    await fail(ports, by, item, GIVEN_UP);
    return;
  }
  if (!(await isWanted(ports, by, item))) {
    await imports.end(item, () => Promise.resolve({ status: 'CANCELLED' }));
    return;
  }
  const report = teller((percent) => documents.progress(by, refOf(item), percent));
  const fetched = await fetchFor(by, item, { signal, report });
  const result = await imports.end(item, async (): Promise<ItemResult> => {
    const isTaken = await documents.receive(by, refOf(item), { ...fetched, nameBefore: nameUntilFetched(item) });
    return isTaken ? { status: 'IMPORTED', sizeBytes: fetched.bytes } : { status: 'CANCELLED' };
  });
  if (result?.status === 'IMPORTED') documents.wake();
  else await documents.discard(fetched);
}

async function failOrPostpone(ports: FetchPorts, by: ActorContext, item: HeldItem, error: unknown): Promise<void> {
  const failure = failureOf(error);
  if (failure && !(failure.canRetry && item.attempts < MAX_ATTEMPTS)) {
    await fail(ports, by, item, { code: failure.code, message: failure.message });
    return;
  }
  if (!failure)
    ports.logger.warn(
      { event: 'document_import.failed', err: error, organisationId: item.organisationId, itemId: item.id },
      'an address could not be imported now',
    );
  await postpone(ports, by, item, { delayMs: retryDelay(item.attempts), counts: true });
}

async function fail(ports: FetchPorts, by: ActorContext, item: HeldItem, failure: Failure): Promise<void> {
  await ports.imports.end(item, async () => {
    await ports.documents.fail(by, refOf(item), failure);
    return { status: 'FAILED', failure };
  });
}

async function postpone(
  { imports, documents, clock }: FetchPorts,
  by: ActorContext,
  item: HeldItem,
  { delayMs, counts }: { readonly delayMs: number; readonly counts: boolean },
): Promise<void> {
  const at = new Date(clock.now().getTime() + delayMs);
  await imports.postpone(item, { at, counts }, () => documents.release(by, refOf(item)));
}

const GIVEN_UP: Failure = {
  code: 'import_failed',
  message: 'A part of the platform failed in each of several attempts. Import it again later.',
};

const CANCELLED: Failure = {
  code: 'import_cancelled',
  message: 'The import was cancelled before the file had come. Import it again, or upload it.',
};

export const refOf = ({ documentId, id: importItemId }: HeldItem) => ({ documentId, importItemId });

/** Makes the document of an item whose turn has come first; one that was made before is never made again. False: nobody waits for it any more. CONFLICT: the id is taken. */
async function isWanted({ imports, documents }: FetchPorts, by: ActorContext, item: HeldItem): Promise<boolean> {
  if (item.begun && (await documents.find(item.organisationId, refOf(item)))) return true;
  const made = item.begun ? undefined : await imports.find(item.organisationId, item.importId);
  if (!item.begun && !made) return false;
  let document: Document | undefined;
  const isOurs = await imports.begin(item, async () => {
    document = await (made ? documents.begin(by, startOf(made, item)) : documents.resume(by, refOf(item)));
  });
  return isOurs && document !== undefined;
}

/** What an item fails with; undefined: it is none of its fault. */
function failureOf(error: unknown): (Failure & { readonly canRetry: boolean }) | undefined {
  if (error instanceof FetchFailure) return error;
  if (!(error instanceof DomainError) || error.kind !== 'conflict') return undefined;
  const { code, message } = error;
  return { code, message, canRetry: code === storageQuotaExceeded.code };
}

/** Tells every now and then, and lets nobody wait for that. */
function teller(tell: (percent: number) => Promise<void>): (percent: number) => void {
  let toldAt = performance.now();
  return (percent) => {
    if (performance.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = performance.now();
    tell(percent).catch(() => undefined);
  };
}
