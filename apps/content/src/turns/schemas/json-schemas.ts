import { DomainError } from '@platform-backend/core';
import { workerPool } from '@platform-backend/worker-threads';
import { schemaTooComplex } from '../domain/errors.ts';
import type { JsonSchemas } from '../domain/structured-output.ts';
import type { SchemaResult, SchemaTask } from './schema-worker.ts';

export interface JsonSchemaThreads extends JsonSchemas {
  /** Ends the threads; whoever still waits is refused. */
  readonly close: () => Promise<void>;
}

/** On a busy machine a thread takes seconds to start; whoever waits for an answer waits for longer. */
const TASK_TIMEOUT_MS = 15_000;

/** Schemas come from clients, and a pattern in one may take hours: threads hold answers against them, and end where it takes too long. */
export function jsonSchemas({ taskCpuMs = 1_000, taskTimeoutMs = TASK_TIMEOUT_MS } = {}): JsonSchemaThreads {
  const { run, close } = workerPool<SchemaTask, SchemaResult>({
    worker: new URL('schema-worker.ts', import.meta.url),
    threads: 2,
    maxWaitingOfOne: 16,
    maxWaiting: 64,
    waitTimeoutMs: 5_000,
    taskTimeoutMs,
    taskCpuMs,
    maxMemoryMb: 64,
    limitError: schemaTooComplex,
  });
  return {
    async problemOf(organisationId, schema) {
      try {
        return (await run(organisationId, { schema })).problem;
      } catch (error) {
        if (error instanceof DomainError && error.code === schemaTooComplex.code) return error.message;
        throw error;
      }
    },
    async errorsIn(organisationId, schema, json) {
      const { problem, errors = [] } = await run(organisationId, { schema, json });
      return problem === undefined ? errors : [problem];
    },
    close,
  };
}
