import { expiringCache } from '@platform-backend/core';
import type { PipelineVersion } from '../domain/pipeline.ts';
import type { Pipelines } from '../domain/pipelines.ts';

const MAX_VERSIONS = 200;
const HOUR_MS = 60 * 60_000;

/** Versions never change, and every run asks for its own again and again. */
export function rememberedVersions({ getVersion }: Pick<Pipelines, 'getVersion'>): Pipelines['getVersion'] {
  const versions = expiringCache<PipelineVersion>({ maxEntries: MAX_VERSIONS });
  return async (organisationId, pipelineId, versionId) => {
    const key = `${organisationId} ${pipelineId} ${versionId}`;
    const known = versions.get(key);
    if (known) return known;
    const version = await getVersion(organisationId, pipelineId, versionId);
    versions.set(key, version, Date.now() + HOUR_MS);
    return version;
  };
}
