import type { GenerationServiceClient } from '@platform-backend/contract-content';
import type { KernelJobServiceClient } from '@platform-backend/contract-notebooks';
import { secretBox } from '@platform-backend/core/secret-box';
import type { CallOptions } from '@platform-backend/grpc';
import { addressPolicy, outboundFetch } from '@platform-backend/outbound';
import type { Area } from '@platform-backend/service';
import type { CreditsExports } from '../credits/area.ts';
import type { DatasetsExports } from '../datasets/area.ts';
import type { PipelinesContext, service } from '../service.ts';
import type { StepEngineExports } from '../step-engine/area.ts';
import type { RunStepFor } from '../step-engine/domain/step-job.ts';
import { tryHandlers } from './api/try-handlers.ts';
import { sealHeaders } from './app/http-headers.ts';
import { httpSteps } from './app/http-steps.ts';
import { kernelPrograms } from './app/kernel-programs.ts';
import { kernelSteps } from './app/kernel-steps.ts';
import { llmSteps } from './app/llm-steps.ts';
import { trySteps } from './app/try-steps.ts';
import { callHttp } from './clients/call-http.ts';
import { contentGenerations } from './clients/content-generations.ts';
import { notebooksKernels } from './clients/notebooks-kernels.ts';
import { MAX_RESPONSE_BYTES } from './domain/http-request.ts';

export type StepsExports = ReturnType<typeof stepsArea>['exports'];

interface StepsNeeds {
  readonly credits: CreditsExports;
  readonly stepEngine: StepEngineExports;
  readonly datasets: DatasetsExports;
}

/** Steps: of which kinds they are and what may follow what, checked and tried out before there is a version of them. */
export const stepsArea = (
  { clock, settings, clientIfThere }: PipelinesContext,
  { credits, stepEngine: { runStepFor, runStepOfRunFor }, datasets: { datasets, files, keeping } }: StepsNeeds,
) => {
  const jobs = clientIfThere<KernelJobServiceClient<CallOptions>>('platform.notebooks.v1.KernelJobService');
  const kernels = jobs && notebooksKernels(jobs);
  const programs = (run: RunStepFor) => kernels && kernelPrograms({ runStepFor: run, kernels, clock });
  const programOfRun = programs(runStepOfRunFor);
  const policy = addressPolicy(settings.OUTBOUND_ALLOWED_HOSTS);
  const box = secretBox({ key: settings.SECRETS_KEY, otherKey: settings.SECRETS_KEY_OTHER });
  // Each step has its own limit of time, which may be an hour.
  const fetch = outboundFetch({ policy, maxBytes: MAX_RESPONSE_BYTES, silenceMs: 0 });
  const generations = clientIfThere<GenerationServiceClient<CallOptions>>('platform.content.v1.GenerationService');
  const languageModels = generations && contentGenerations(generations);
  const checking = { datasets, kernels, languageModels, runStepFor, urlRefusal: policy.urlRefusal };
  return {
    handlers: {
      PipelineService: tryHandlers(
        trySteps({ ...checking, files, runProgram: programs(runStepFor), clock }),
        credits.withCreditsFor('dry_run'),
      ),
    },
    exports: {
      kernels,
      checking,
      sealHeaders: sealHeaders(box),
      runHttpStep: httpSteps({ ...keeping, runStepFor: runStepOfRunFor, call: callHttp({ fetch, box }) }),
      runLlmStep: llmSteps({
        ...keeping,
        runStepFor: runStepOfRunFor,
        languageModels,
        maxRows: settings.PIPELINES_LLM_ROWS,
        callsAtOnce: settings.PIPELINES_LLM_CALLS,
      }),
      /** Undefined where there are no kernels. */
      runKernelStep: programOfRun && kernelSteps({ ...keeping, runProgram: programOfRun }),
    },
  } satisfies Area<typeof service.declaration>;
};
