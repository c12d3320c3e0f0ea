import type { PipelineServiceHandlers } from '@platform-backend/contract-pipelines';
import type { CallContext } from '@platform-backend/grpc';
import type { TrySteps } from '../app/try-steps.ts';
import { stepsOf } from './step-messages.ts';

/** What PipelineService has of steps that belong to no version. */
export const tryHandlers = (trySteps: TrySteps): Pick<PipelineServiceHandlers<CallContext>, 'trySteps'> => ({
  async trySteps({ sampleRows, ...wanted }, context) {
    const { signal, deadline } = context;
    return { steps: await trySteps(context.organisationId(), stepsOf(wanted), sampleRows, { signal, deadline }) };
  },
});
