import type { PipelineRunInput, PipelineServiceHandlers } from '@platform-backend/contract-pipelines';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import { settingOf } from '../../notifications/api/notification-messages.ts';
import { stepsOf } from '../../steps/api/step-messages.ts';
import type { PipelineUseCases, WholePipeline } from '../app/pipelines.ts';
import { tagsOf } from '../domain/tags.ts';
import { comparisonMessage, pipelineMessage, summaryMessage, versionMessage } from './pipeline-messages.ts';

/** Shown with a pipeline: its latest runs, which belong to an area behind it. */
export type LatestRuns = (organisationId: string, pipelineId: string) => Promise<readonly PipelineRunInput[]>;

/** What PipelineService has of steps that are tried, and of runs, belongs to their areas. */
type Own = Omit<PipelineServiceHandlers<CallContext>, 'trySteps' | 'listPipelineRuns'>;

export function pipelineHandlers(app: PipelineUseCases, latestRuns: LatestRuns): Own {
  async function message(context: CallContext, whole: WholePipeline) {
    const organisationId = context.organisationId();
    return pipelineMessage(organisationId, whole, await latestRuns(organisationId, whole.pipeline.id));
  }
  return {
    async createPipeline({ steps, stepOrder, parameters, notificationSettings, ...others }, context) {
      const wanted = stepsOf({ steps, stepOrder, parameters });
      const settings = { ...others, notificationSettings: notificationSettings.flatMap(settingOf) };
      return message(context, await app.createPipeline(context.actorContext(), settings, wanted));
    },

    async listPipelines({ archived, search, tags, order, ...page }, context) {
      const organisationId = context.organisationId();
      const found = await app.listPipelines(organisationId, { archived, search, tags: tagsOf(tags), order }, page);
      return listAnswer('pipelines', found, (pipeline) => summaryMessage(organisationId, pipeline));
    },

    getPipeline: async ({ pipelineId }, context) =>
      message(context, await app.getPipeline(context.organisationId(), pipelineId)),

    async updatePipeline({ pipelineId, updateMask, ...settings }, context) {
      const { overlap, notifyOn, notificationSettings, ...others } = fieldsGiven(updateMask, settings);
      const wanted = {
        ...others,
        ...(overlap && { overlap }),
        ...(notifyOn && { notifyOn }),
        ...(notificationSettings && { notificationSettings: notificationSettings.flatMap(settingOf) }),
      };
      return message(context, await app.updatePipeline(context.actorContext(), pipelineId, wanted));
    },

    archivePipeline: async ({ pipelineId }, context) =>
      message(context, await app.archivePipeline(context.actorContext(), pipelineId)),

    restorePipeline: async ({ pipelineId }, context) =>
      message(context, await app.restorePipeline(context.actorContext(), pipelineId)),

    clonePipeline: async ({ pipelineId, name }, context) =>
      message(context, await app.clonePipeline(context.actorContext(), pipelineId, name)),

    publishPipelineVersion: async ({ pipelineId, ...wanted }, context) =>
      versionMessage(await app.publishVersion(context.actorContext(), pipelineId, stepsOf(wanted))),

    getPipelineVersion: async ({ pipelineId, versionId }, context) =>
      versionMessage(await app.getVersion(context.organisationId(), pipelineId, versionId)),

    async comparePipelineVersions({ pipelineId, versionId, withVersionId }, context) {
      const compared = await app.compareVersions(context.organisationId(), pipelineId, versionId, withVersionId);
      return comparisonMessage(versionId, withVersionId, compared);
    },

    rollBackPipeline: async ({ pipelineId, versionId }, context) =>
      versionMessage(await app.rollBack(context.actorContext(), pipelineId, versionId)),

    async listPipelineVersions({ pipelineId, ...page }, context) {
      return listAnswer('versions', await app.listVersions(context.organisationId(), pipelineId, page), versionMessage);
    },
  };
}
