import type { LlmRowErrors, LlmSettings } from '../domain/llm-settings.ts';
import type { StepConfig, StepsInput } from '../domain/step.ts';

interface StepsMessage extends Pick<StepsInput, 'stepOrder'> {
  readonly steps: readonly { readonly name: string; readonly config: ConfigMessage | null }[];
}

type ConfigMessage = Omit<StepConfig, 'llm'> & {
  readonly llm: (Omit<LlmSettings, 'rowErrors'> & { readonly rowErrors: LlmRowErrors | null }) | null;
};

/** Steps as they came. The contract says that each has a configuration. */
export const stepsOf = ({ steps, stepOrder }: StepsMessage): StepsInput => ({
  steps: steps as StepsInput['steps'],
  stepOrder,
});
