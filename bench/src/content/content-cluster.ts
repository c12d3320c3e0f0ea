/** The content service on MongoDB, and whoever works through it and without it. */
import { contentContract } from '@platform-backend/contract-content';
import { embedded, realEngine, throwawayMongoOn } from '@platform-backend/mongo/testing';
import { callers as clientsFor, newOrganisation } from '@platform-backend/service/testing';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startCallers, type Done } from '../caller-process.ts';
import { programOf, startCluster } from '../cluster.ts';
import { migrateService } from '../migrate-service.ts';
import { processCpu } from '../process-cpu.ts';
import type { TaskLoad } from './caller.ts';
import { makeDocuments, makeMessages } from './seed.ts';
import { measureUploads, type UploadFigures } from './uploads.ts';
import { variants, type Variant, type VariantParts } from './variants.ts';

/** Connections to MongoDB: as many as the service opens unless told otherwise, and the same for the driver. */
export const POOL = 10;

export interface ContentCluster {
  /** Which MongoDB it is. */
  readonly engine: string;
  /** Works from a process that does nothing else. */
  work(variant: Variant, load: TaskLoad): Promise<Done>;
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
  const cluster = await startCluster({ services: ['gateway', 'content'], profiles });
  const { directory, keys } = cluster;
  // The compatible server of the tests sorts all that a query matches, which takes seconds here.
  const engine = realEngine() ?? embedded;
  const database = await throwawayMongoOn(engine);
  cluster.atStop(() => database.drop());
  await migrateService(programOf('content'), database);
  const encoder = await startEncoder();
  cluster.atStop(() => encoder.close());
  const start = (workers: number, args?: readonly string[]) =>
    cluster.startService(
      'content',
      {
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
        PIPELINES_ADDRESS: '127.0.0.1:1',
      },
      args,
    );
  const organisationId = newOrganisation();

  const preparing = await start(2, []);
  const by = clientsFor({ of: contentContract, address: preparing.ready, as: 'gateway', keys });
  const documentIds = await makeDocuments(by, organisationId);
  const said = await makeMessages(by, database.url, { organisationId, count: messages });
  by.close();
  await preparing.stop();

  const content = await start(0);
  const options: VariantParts = {
    databaseUrl: database.url,
    poolMax: POOL,
    contentAddress: content.ready,
    keys,
    organisationId,
    documentIds,
    said,
  };
  const program = join(import.meta.dirname, 'caller.ts');
  const callers = startCallers<Variant, TaskLoad>(program, { variants, options, profiling: cluster.profiling });
  cluster.atStop(() => callers.stop());
  return {
    engine: engine.name,
    work: callers.work,
    async uploads() {
      const uploading = clientsFor({ of: contentContract, address: content.ready, as: 'gateway', keys });
      try {
        return await measureUploads(uploading, { organisationId, pid: content.pid, directory });
      } finally {
        uploading.close();
      }
    },
    cpu: (variant) => callers.cpu(variant) + (variant === 'service' ? processCpu(content.pid) : 0),
    stop: cluster.stop,
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
