import type { PipelineServiceHandlers } from '@platform-backend/contract-pipelines';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import type { RunUseCases } from '../../runs/app/runs.ts';
import type { WorkflowSettings } from '../../runs/domain/workflow-manifest.ts';
import type { TrySteps } from '../../steps/app/try-steps.ts';
import type { PipelineUseCases, WholePipeline } from '../app/pipelines.ts';
import { comparisonMessage, pipelineMessage, runMessage, summaryMessage, versionMessage } from './pipeline-messages.ts';

interface Parts {
  readonly app: PipelineUseCases;
  readonly runs: Pick<RunUseCases, 'list'>;
  readonly trySteps: TrySteps;
  readonly workflow: WorkflowSettings;
}

export function pipelineHandlers({ app, runs, trySteps, workflow }: Parts): PipelineServiceHandlers<CallContext> {
  const message = (context: CallContext, whole: WholePipeline) =>
    pipelineMessage(context.organisationId(), whole, workflow);
  return {
    async createPipeline({ steps, stepOrder, ...settings }, context) {
      return message(
        context,
        await app.createPipeline(context.actorContext(), settings, { steps: stepsOf(steps), stepOrder }),
      );
    },

    async listPipelines({ archived, search, order, ...page }, context) {
      const organisationId = context.organisationId();
      const found = await app.listPipelines(organisationId, { archived, search, order }, page);
      return listAnswer('pipelines', found, (pipeline) => summaryMessage(organisationId, pipeline));
    },

    getPipeline: async ({ pipelineId }, context) =>
      message(context, await app.getPipeline(context.organisationId(), pipelineId)),

    async updatePipeline({ pipelineId, updateMask, ...settings }, context) {
      const wanted = fieldsGiven(updateMask, settings);
      return message(context, await app.updatePipeline(context.actorContext(), pipelineId, wanted));
    },

    archivePipeline: async ({ pipelineId }, context) =>
      message(context, await app.archivePipeline(context.actorContext(), pipelineId)),

    restorePipeline: async ({ pipelineId }, context) =>
      message(context, await app.restorePipeline(context.actorContext(), pipelineId)),

    clonePipeline: async ({ pipelineId, name }, context) =>
      message(context, await app.clonePipeline(context.actorContext(), pipelineId, name)),

    async publishPipelineVersion({ pipelineId, steps, stepOrder }, context) {
      const wanted = { steps: stepsOf(steps), stepOrder };
      return versionMessage(await app.publishVersion(context.actorContext(), pipelineId, wanted));
    },

    getPipelineVersion: async ({ pipelineId, versionId }, context) =>
      versionMessage(await app.getVersion(context.organisationId(), pipelineId, versionId)),

    async comparePipelineVersions({ pipelineId, versionId, withVersionId }, context) {
      const compared = await app.compareVersions(context.organisationId(), pipelineId, versionId, withVersionId);
      return comparisonMessage(versionId, withVersionId, compared);
    },

    rollBackPipeline: async ({ pipelineId, versionId }, context) =>
      versionMessage(await app.rollBack(context.actorContext(), pipelineId, versionId)),

    async trySteps({ steps, stepOrder, sampleRows }, context) {
      const wanted = { steps: stepsOf(steps), stepOrder };
      const { signal, deadline } = context;
      return { steps: await trySteps(context.organisationId(), wanted, sampleRows, { signal, deadline }) };
    },

    async listPipelineVersions({ pipelineId, ...page }, context) {
      return listAnswer('versions', await app.listVersions(context.organisationId(), pipelineId, page), versionMessage);
    },

    async listPipelineRuns({ pipelineId, status, versionId, createdAfter, createdBefore, order, ...page }, context) {
      const filter = {
        statuses: status,
        order,
        ...(versionId && { versionId }),
        ...(createdAfter && { createdAfter }),
        ...(createdBefore && { createdBefore }),
      };
      const found = await runs.list(context.organisationId(), pipelineId, filter, page);
      return listAnswer('runs', found, (run) => runMessage(run, workflow));
    },
  };
}

/** The contract says that each has a configuration. */
const stepsOf = <Config>(steps: readonly { readonly name: string; readonly config: Config | null }[]) =>
  steps.map(({ name, config }) => ({ name, config: config as Config }));
