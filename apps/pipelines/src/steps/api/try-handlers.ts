import type { PipelineServiceHandlers } from '@platform-backend/contract-pipelines';
import type { CallContext } from '@platform-backend/grpc';
import { payerOf } from '../../credits/api/payer.ts';
import type { WithCredits } from '../../credits/domain/credits.ts';
import type { TrySteps } from '../app/try-steps.ts';
import type { ParameterValues } from '../domain/parameters.ts';
import { stepsOf } from './step-messages.ts';

/** What PipelineService has of steps that belong to no version. */
export const tryHandlers = (
  trySteps: TrySteps,
  withCredits: WithCredits,
): Pick<PipelineServiceHandlers<CallContext>, 'trySteps'> => ({
  async trySteps({ sampleRows, parameterValues, ...wanted }, context) {
    const { signal, deadline } = context;
    const steps = { ...stepsOf(wanted), parameterValues: parameterValues as ParameterValues };
    const trial = () => trySteps(context.organisationId(), steps, sampleRows, { signal, deadline });
    return { steps: await withCredits(payerOf(context), trial) };
  },
});
