import type { Cell } from '../../step-engine/domain/step-job.ts';
import type { LlmRowErrors, LlmSettings } from '../domain/llm-settings.ts';
import type { Parameter, ParameterType } from '../domain/parameters.ts';
import type { StepConfig, StepsInput } from '../domain/step.ts';

interface StepsMessage extends Pick<StepsInput, 'stepOrder'> {
  readonly parameters: readonly ParameterMessage[];
  readonly steps: readonly { readonly name: string; readonly config: ConfigMessage | null }[];
}

type ParameterMessage = Omit<Parameter, 'defaultValue' | 'type'> & {
  readonly type: ParameterType | null;
  readonly defaultValue?: unknown;
};

type ConfigMessage = Omit<StepConfig, 'llm'> & {
  readonly llm: (Omit<LlmSettings, 'rowErrors'> & { readonly rowErrors: LlmRowErrors | null }) | null;
};

/** Steps as they came. The contract says that each has a configuration. */
export const stepsOf = ({ steps, stepOrder, parameters }: StepsMessage): StepsInput => ({
  steps: steps as StepsInput['steps'],
  stepOrder,
  parameters: parameters.map(({ defaultValue = null, type, ...parameter }) => ({
    ...parameter,
    type: type ?? 'STRING',
    defaultValue: defaultValue as Cell,
  })),
});
