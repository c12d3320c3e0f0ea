import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import type { Pipeline, PipelineVersion, PublishedPipeline } from './pipeline.ts';

export interface PipelineFilter {
  readonly archived: boolean;
  /** Part of the name or of a tag. */
  readonly search: string;
  /** All of these. */
  readonly tags: readonly string[];
  readonly order: 'asc' | 'desc';
}

/** Where pipelines and their versions are kept. A schedule and its pipeline change together, or not at all. */
export interface Pipelines {
  add(by: ActorContext, created: Decision<PublishedPipeline, PipelinesEvent>): Promise<PublishedPipeline>;
  /** `decide` sees the locked pipeline. NOT_FOUND: none, or another organisation's. */
  update(
    by: ActorContext,
    id: string,
    decide: (pipeline: Pipeline) => Decision<Pipeline, PipelinesEvent>,
  ): Promise<Pipeline>;
  /** As `update`. */
  publish(
    by: ActorContext,
    id: string,
    decide: (pipeline: Pipeline) => Decision<PublishedPipeline & { published: PipelineVersion }, PipelinesEvent>,
  ): Promise<PublishedPipeline & { published: PipelineVersion }>;
  /** NOT_FOUND: none, or another organisation's. */
  get(organisationId: string, id: string): Promise<Pipeline>;
  /** As `get`, and whether there is a run with this id already: what is asked before each start. */
  getForRun(organisationId: string, id: string, runId: string): Promise<{ pipeline: Pipeline; isKnown: boolean }>;
  /** When the schedules of these are due next; those that are never due are missing. */
  nextTimes(organisationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Date>>;
  list(organisationId: string, filter: PipelineFilter, page: PageRequest): Promise<Page<Pipeline>>;
  /** NOT_FOUND: no such version of this pipeline. */
  getVersion(organisationId: string, pipelineId: string, versionId: string): Promise<PipelineVersion>;
  /** Newest first. NOT_FOUND: no such pipeline. */
  listVersions(organisationId: string, pipelineId: string, page: PageRequest): Promise<Page<PipelineVersion>>;
}
