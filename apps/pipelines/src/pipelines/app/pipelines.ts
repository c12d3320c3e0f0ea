import {
  invalid,
  invalidField,
  newId,
  type ActorContext,
  type Clock,
  type Page,
  type PageRequest,
} from '@platform-backend/core';
import type { NotificationSetting } from '../../notifications/domain/notification.ts';
import { requireTimes } from '../../schedules/domain/schedule.ts';
import type { Timetable } from '../../schedules/domain/timetable.ts';
import { checkSteps, type CheckPorts } from '../../steps/app/check-steps.ts';
import type { SealHeaders } from '../../steps/app/http-headers.ts';
import { givenViolations, type Parameter, type ParameterValues } from '../../steps/domain/parameters.ts';
import type { NewStep, StepsInput } from '../../steps/domain/step.ts';
import { compareVersions, type VersionComparison } from '../domain/compare-versions.ts';
import {
  archivePipeline,
  changePipeline,
  createPipeline,
  publishVersion,
  restorePipeline,
  type Pipeline,
  type PipelineSettings,
  type PipelineVersion,
  type VersionInput,
} from '../domain/pipeline.ts';
import type { PipelineFilter, Pipelines } from '../domain/pipelines.ts';
import { requireChildPipelines } from './check-child-pipelines.ts';

export interface PipelinePorts extends CheckPorts {
  readonly pipelines: Pipelines;
  /** INVALID: settings name a webhook that is none of the organisation. */
  readonly requireWebhooks: (organisationId: string, settings: readonly NotificationSetting[]) => Promise<void>;
  readonly sealHeaders: SealHeaders;
  readonly timetable: Timetable;
  readonly clock: Clock;
}

/** A pipeline as it is shown where one is read. */
export interface WholePipeline {
  readonly pipeline: Pipeline;
  readonly version: PipelineVersion | null;
  readonly nextRunAt: Date | null;
}

/** As it is shown in a list. */
export interface ListedPipeline {
  readonly pipeline: Pipeline;
  readonly nextRunAt: Date | null;
}

export type PipelineUseCases = ReturnType<typeof pipelineUseCases>;

export function pipelineUseCases(ports: PipelinePorts) {
  const { pipelines, requireWebhooks, sealHeaders, timetable, clock } = ports;

  async function checked(
    organisationId: string,
    wanted: StepsInput,
    before: { readonly pipelineId: string; readonly version: PipelineVersion | null } | undefined,
  ): Promise<VersionInput> {
    const { steps } = await checkSteps(ports, organisationId, wanted);
    await requireChildPipelines(pipelines, organisationId, before?.pipelineId, { ...wanted, steps });
    return wantedVersion(sealHeaders(organisationId, steps, before?.version?.steps ?? []), wanted);
  }

  const wantedVersion = (
    steps: readonly NewStep[],
    { stepOrder, parameters = [] }: Pick<StepsInput, 'stepOrder' | 'parameters'>,
  ): VersionInput => ({
    ...{ id: newId(), stepIds: steps.map(() => newId()) },
    ...{ stepOrder, parameters, steps },
  });

  /** INVALID: its schedule would start runs with what their version does not know. */
  function requireScheduleParameters(given: ParameterValues, declared: readonly Parameter[]): void {
    const found = givenViolations(declared, given, ['schedule_parameters']);
    if (found.length > 0) throw invalid(found);
  }

  async function currentParameters(
    organisationId: string,
    { id, currentVersionId }: Pick<Pipeline, 'id' | 'currentVersionId'>,
  ): Promise<readonly Parameter[]> {
    if (currentVersionId === null) return [];
    return (await pipelines.getVersion(organisationId, id, currentVersionId)).parameters;
  }

  function requireSchedule({ cronSchedule, timeZone }: Pick<PipelineSettings, 'cronSchedule' | 'timeZone'>): void {
    // A time zone is checked without a schedule as well: it waits for one.
    requireTimes({ cron: cronSchedule ?? '0 0 * * *', timeZone }, timetable, {
      cron: 'cron_schedule',
      timeZone: 'time_zone',
    });
  }

  async function whole(organisationId: string, pipeline: Pipeline): Promise<WholePipeline> {
    const { id, currentVersionId } = pipeline;
    const [version, nextTimes] = await Promise.all([
      currentVersionId === null ? null : pipelines.getVersion(organisationId, id, currentVersionId),
      pipelines.nextTimes(organisationId, [id]),
    ]);
    return { pipeline, version, nextRunAt: nextTimes.get(id) ?? null };
  }

  async function publish(by: ActorContext, pipelineId: string, wanted: VersionInput): Promise<PipelineVersion> {
    const { published } = await pipelines.publish(by, pipelineId, (pipeline) =>
      publishVersion(pipeline, wanted, clock.now()),
    );
    return published;
  }

  const get = (organisationId: string, pipelineId: string): Promise<Pipeline> =>
    pipelines.get(organisationId, pipelineId);

  return {
    /** INVALID: a schedule that never comes true, steps that could not run. */
    async createPipeline(by: ActorContext, settings: PipelineSettings, wanted: StepsInput): Promise<WholePipeline> {
      requireSchedule(settings);
      await requireWebhooks(by.organisationId, settings.notificationSettings);
      if (wanted.steps.length === 0 && (wanted.parameters ?? []).length > 0)
        throw invalidField(['body', 'parameters'], 'a version has them, and without steps there is none', null);
      const version = wanted.steps.length > 0 ? await checked(by.organisationId, wanted, undefined) : undefined;
      requireScheduleParameters(settings.scheduleParameters, version?.parameters ?? []);
      const created = await pipelines.add(by, createPipeline(newId(), settings, version, clock.now()));
      return whole(by.organisationId, created.pipeline);
    },

    async listPipelines(
      organisationId: string,
      filter: PipelineFilter,
      page: PageRequest,
    ): Promise<Page<ListedPipeline>> {
      const found = await pipelines.list(organisationId, filter, page);
      const nextTimes = await pipelines.nextTimes(
        organisationId,
        found.items.map(({ id }) => id),
      );
      const listed = (pipeline: Pipeline) => ({ pipeline, nextRunAt: nextTimes.get(pipeline.id) ?? null });
      return { ...found, items: found.items.map(listed) };
    },

    async getPipeline(organisationId: string, pipelineId: string): Promise<WholePipeline> {
      return whole(organisationId, await get(organisationId, pipelineId));
    },

    async updatePipeline(
      by: ActorContext,
      pipelineId: string,
      wanted: Partial<PipelineSettings>,
    ): Promise<WholePipeline> {
      await requireWebhooks(by.organisationId, wanted.notificationSettings ?? []);
      const { scheduleParameters = {} } = wanted;
      if (Object.keys(scheduleParameters).length > 0) {
        const found = await get(by.organisationId, pipelineId);
        requireScheduleParameters(scheduleParameters, await currentParameters(by.organisationId, found));
      }
      const pipeline = await pipelines.update(by, pipelineId, (before) => {
        requireSchedule({ ...before, ...wanted });
        return changePipeline(before, wanted, clock.now());
      });
      return whole(by.organisationId, pipeline);
    },

    async archivePipeline(by: ActorContext, pipelineId: string): Promise<WholePipeline> {
      const pipeline = await pipelines.update(by, pipelineId, (before) => archivePipeline(before, clock.now()));
      return whole(by.organisationId, pipeline);
    },

    async restorePipeline(by: ActorContext, pipelineId: string): Promise<WholePipeline> {
      const pipeline = await pipelines.update(by, pipelineId, (before) => restorePipeline(before, clock.now()));
      return whole(by.organisationId, pipeline);
    },

    /** A pipeline with the same settings and steps, without a schedule. */
    async clonePipeline(by: ActorContext, pipelineId: string, name: string): Promise<WholePipeline> {
      const { pipeline, version } = await whole(by.organisationId, await get(by.organisationId, pipelineId));
      const settings = { ...settingsOf(pipeline), name, cronSchedule: null, runsOnNewData: false };
      const steps = version?.steps.map(({ name: step, config }) => ({ name: step, config }));
      const wanted = version && steps ? wantedVersion(steps, version) : undefined;
      const created = await pipelines.add(by, createPipeline(newId(), settings, wanted, clock.now()));
      return whole(by.organisationId, created.pipeline);
    },

    async publishVersion(by: ActorContext, pipelineId: string, wanted: StepsInput): Promise<PipelineVersion> {
      // Before the steps are looked at: whose pipeline it is.
      const { version } = await whole(by.organisationId, await get(by.organisationId, pipelineId));
      return publish(by, pipelineId, await checked(by.organisationId, wanted, { pipelineId, version }));
    },

    /** Publishes an earlier version once more. */
    async rollBack(by: ActorContext, pipelineId: string, versionId: string): Promise<PipelineVersion> {
      const { steps, stepOrder, parameters } = await pipelines.getVersion(by.organisationId, pipelineId, versionId);
      const same = { steps: steps.map(({ name, config }) => ({ name, config })), stepOrder, parameters };
      await requireChildPipelines(pipelines, by.organisationId, pipelineId, same);
      return publish(by, pipelineId, wantedVersion(same.steps, same));
    },

    getVersion: (organisationId: string, pipelineId: string, versionId: string): Promise<PipelineVersion> =>
      pipelines.getVersion(organisationId, pipelineId, versionId),

    listVersions: (organisationId: string, pipelineId: string, page: PageRequest): Promise<Page<PipelineVersion>> =>
      pipelines.listVersions(organisationId, pipelineId, page),

    async compareVersions(
      organisationId: string,
      pipelineId: string,
      newerId: string,
      olderId: string,
    ): Promise<VersionComparison> {
      const [newer, older] = await Promise.all([
        pipelines.getVersion(organisationId, pipelineId, newerId),
        pipelines.getVersion(organisationId, pipelineId, olderId),
      ]);
      return {
        steps: compareVersions(older, newer),
        stepOrderChanged: newer.stepOrder !== older.stepOrder,
        parametersChanged: JSON.stringify(newer.parameters) !== JSON.stringify(older.parameters),
      };
    },
  };
}

const settingsOf = ({
  name,
  description,
  referenceNotes,
  cronSchedule,
  timeZone,
  ...rest
}: Pipeline): PipelineSettings => ({
  name,
  description,
  referenceNotes,
  cronSchedule,
  timeZone,
  scheduleEnabled: true,
  overlap: rest.overlap,
  runsOnNewData: rest.runsOnNewData,
  maxConcurrentRuns: rest.maxConcurrentRuns,
  runTimeLimitSeconds: rest.runTimeLimitSeconds,
  tags: rest.tags,
  notificationSettings: rest.notificationSettings,
  notifyOn: rest.notifyOn,
  scheduleParameters: rest.scheduleParameters,
});
