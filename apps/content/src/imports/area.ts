import { secretBox } from '@platform-backend/core/secret-box';
import { overdueSeconds } from '@platform-backend/mongo';
import { addressPolicy, outboundFetch } from '@platform-backend/outbound';
import type { Area, RunningJob } from '@platform-backend/service';
import type { AccessExports } from '../access/area.ts';
import type { DocumentsExports } from '../documents/area.ts';
import type { ContentContext, service } from '../service.ts';
import { importHandlers } from './api/import-handlers.ts';
import { fetchDueItems, newLanes, refOf, type FetchPorts } from './app/fetch-items.ts';
import { importUseCases } from './app/imports.ts';
import { fetchAddress } from './clients/fetch-address.ts';
import { addressContext } from './domain/imports.ts';
import { importsStore } from './store/imports-store.ts';

interface ImportsNeeds {
  readonly access: AccessExports;
  readonly documents: DocumentsExports;
}

/** How often addresses are looked for of which nobody has told this process, in milliseconds. */
const POLL_EVERY_MS = 5_000;

/** For how long an address may say nothing, in milliseconds: it keeps a worker. */
const SILENCE_MS = 30_000;

/** Imports: documents that are fetched from addresses, one or many, while organisations take turns. */
export const importsArea = (
  { settings, storage, clock, logger, repeat, metrics }: ContentContext,
  { access: { admitAccess }, documents: { imported: documents } }: ImportsNeeds,
) => {
  const imports = importsStore(storage.database);
  const policy = addressPolicy(settings.OUTBOUND_ALLOWED_HOSTS);
  const maxBytes = settings.CONTENT_DOCUMENT_MAX_BYTES;
  const fetch = outboundFetch({ policy, maxBytes, silenceMs: SILENCE_MS });
  const box = secretBox({ key: settings.SECRETS_KEY, otherKey: settings.SECRETS_KEY_OTHER });
  const loops: RunningJob[] = [];
  const shared = { imports, documents, clock };
  const useCases = importUseCases({
    ...{ ...shared, admitAccess, wake: () => loops.forEach((loop) => loop.wake()) },
    urlRefusal: policy.urlRefusal,
    sealUrl: (organisationId, itemId, url) => box.seal(url, addressContext(organisationId, itemId)),
  });
  const ports: FetchPorts = {
    ...{ ...shared, logger },
    async fetchFor(by, item, request) {
      const url = box.open(item.sealedUrl, addressContext(item.organisationId, item.id));
      const content = await fetchAddress(fetch, { ...request, url, name: item.name, maxBytes });
      return documents.put(by, refOf(item), content);
    },
    leaseMs: settings.CONTENT_IMPORT_LEASE_SECONDS * 1000,
    timeoutMs: settings.CONTENT_IMPORT_TIMEOUT_SECONDS * 1000,
  };
  const untilDueMs = () => imports.untilDue(clock.now());
  const workers = settings.CONTENT_IMPORT_WORKERS;
  const lanes = newLanes(workers);
  for (let worker = 0; worker < workers; worker += 1) {
    const run = (stopping: AbortSignal) => fetchDueItems(ports, lanes, stopping);
    loops.push(repeat({ name: 'the import of documents', everyMs: POLL_EVERY_MS, run, untilDueMs }));
  }
  metrics.observe(
    'content_imports_oldest_due_age_seconds',
    'How long the address that waits longest to be fetched has been due; 0: none is.',
    () => overdueSeconds(storage.database, { collection: 'documentImportItems', field: 'nextAttemptAt' }, clock.now()),
  );
  return {
    handlers: { DocumentImportService: importHandlers(useCases) },
    jobs: [{ name: 'the removal of old imports', everyMs: 3_600_000, run: useCases.removeOld }],
    exports: { removeAll: imports.removeAll },
  } satisfies Area<typeof service.declaration>;
};
