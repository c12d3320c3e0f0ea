/** Starts everything that the measurements of content need, with nothing kept afterwards. */
import { generateServiceKeys } from '@platform-backend/auth';
import { contentContract } from '@platform-backend/contract-content';
import { setUpStreams } from '@platform-backend/events/set-up';
import { embedded, realEngine, throwawayMongoOn } from '@platform-backend/mongo/testing';
import { callers, newOrganisation } from '@platform-backend/service/testing';
import { throwawayNats } from '@platform-backend/testing';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endCaller, startCaller } from '../caller-process.ts';
import { migrateService } from '../migrate-service.ts';
import { processCpu } from '../process-cpu.ts';
import { processStarter } from '../start-process.ts';
import type { CallerOptions, Load, Outcome } from './caller.ts';
import { makeDocuments, makeMessages } from './seed.ts';
import { measureUploads, type UploadFigures } from './uploads.ts';
import { variants, type Variant } from './variants.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CONTENT = join(ROOT, 'apps/content/src/main.ts');
const CALLER = join(import.meta.dirname, 'caller.ts');
/** Connections to MongoDB: as many as the service opens unless told otherwise, and the same for the driver. */
export const POOL = 10;

export interface ContentCluster {
  /** Which MongoDB it is. */
  readonly engine: string;
  /** Works from a process that does nothing else. */
  work(variant: Variant, load: Load): Promise<{ done: number; seconds: number }>;
  uploads(): Promise<UploadFigures>;
  /** CPU time of a variant's process so far, and of the service where it is one of its, in microseconds. */
  cpu(variant: Variant): number;
  stop(): Promise<void>;
}

export interface ContentClusterOptions {
  readonly messages: number;
  /** The folder in which service and callers leave a CPU profile. */
  readonly profiles?: string | undefined;
}

export async function startContentCluster({ messages, profiles }: ContentClusterOptions): Promise<ContentCluster> {
  const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const directory = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  // The compatible server of the tests sorts all that a query matches, which takes seconds here.
  const engine = realEngine() ?? embedded;
  const database = await throwawayMongoOn(engine);
  await migrateService(CONTENT, database);
  const nats = await throwawayNats();
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(20_000) });
  const encoder = await startEncoder();
  const keys = await generateServiceKeys(['gateway', 'content']);
  const startProcess = processStarter(directory);
  const start = (workers: number, args: readonly string[] = []) =>
    startProcess('content', [...args, CONTENT], {
      CONTENT_LISTEN: '127.0.0.1:0',
      CONTENT_DATABASE_URL: database.appUrl,
      CONTENT_DATABASE_POOL: String(POOL),
      // There is one organisation here.
      CONTENT_DATABASE_MAX_PER_ORGANISATION: String(POOL),
      CONTENT_DOCUMENT_WORKERS: String(workers),
      OBJECTS_DIRECTORY: join(directory, 'objects'),
      OBJECTS_KEY: 'a secret of the benchmark',
      PLATFORM_PUBLIC_URL: 'http://127.0.0.1:8080',
      EMBEDDINGS_BASE_URL: encoder.baseUrl,
      LLM_MICROS_PER_1000_TOKENS: '0',
      BILLING_ADDRESS: '127.0.0.1:1',
      NATS_URL: nats.url,
      SERVICE_PRIVATE_KEY: JSON.stringify(keys.privateKeys.content),
      SERVICE_PUBLIC_KEYS: JSON.stringify(keys.publicKeys),
    });
  const organisationId = newOrganisation();

  const preparing = await start(2);
  const by = callers({ of: contentContract, address: preparing.ready, as: 'gateway', keys });
  const documentIds = await makeDocuments(by, organisationId);
  const said = await makeMessages(by, database.url, { organisationId, count: messages });
  by.close();
  await preparing.stop();

  const content = await start(0, profiling);
  const parts = { databaseUrl: database.url, poolMax: POOL, contentAddress: content.ready, keys };
  const running = new Map(
    variants.map((variant) => {
      const options: CallerOptions = { ...parts, organisationId, documentIds, said, variant };
      return [variant, startCaller(CALLER, options, profiling)];
    }),
  );
  return {
    engine: engine.name,
    async work(variant, load) {
      const caller = running.get(variant) as ChildProcess;
      caller.send(load);
      const [outcome] = (await once(caller, 'message')) as [Outcome];
      if ('failure' in outcome) throw new Error(`${load.task} by ${variant}: ${outcome.failure}`);
      return outcome;
    },
    async uploads() {
      const uploading = callers({ of: contentContract, address: content.ready, as: 'gateway', keys });
      try {
        return await measureUploads(uploading, { organisationId, pid: content.pid, directory });
      } finally {
        uploading.close();
      }
    },
    cpu: (variant) =>
      processCpu((running.get(variant) as ChildProcess).pid ?? 0) +
      (variant === 'service' ? processCpu(content.pid) : 0),
    async stop() {
      await Promise.all([...running.values()].map(endCaller));
      await content.stop();
      await encoder.close();
      await nats.drop();
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Speaks OpenAI's protocol, and finds everything equally near: what an encoder takes is no part of what is measured. */
async function startEncoder() {
  const embedding = Buffer.from(new Float32Array(16).fill(0.25).buffer).toString('base64');
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: readonly string[] };
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: input.map((_, index) => ({ index, embedding })) }));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
