import type { Comparison } from '../../step-engine/domain/condition.ts';
import type { Cell } from '../../step-engine/domain/step-job.ts';
import type { LlmRowErrors, LlmSettings } from '../domain/llm-settings.ts';
import type { Parameter, ParameterType } from '../domain/parameters.ts';
import type { ForEach, StepConfig, StepsInput } from '../domain/step.ts';

interface StepsMessage extends Pick<StepsInput, 'stepOrder'> {
  readonly parameters: readonly ParameterMessage[];
  readonly steps: readonly { readonly name: string; readonly config: ConfigMessage | null }[];
}

type ParameterMessage = Omit<Parameter, 'defaultValue' | 'type'> & {
  readonly type: ParameterType | null;
  readonly defaultValue?: unknown;
};

type ConfigMessage = Omit<StepConfig, 'llm' | 'when' | 'forEach'> & {
  readonly when: readonly { readonly all: readonly ComparisonMessage[] }[];
  readonly llm: (Omit<LlmSettings, 'rowErrors'> & { readonly rowErrors: LlmRowErrors | null }) | null;
  readonly forEach: (Omit<ForEach, 'values'> & { readonly values: readonly unknown[] }) | null;
};

interface ComparisonMessage {
  readonly subject: Comparison['subject'] | null;
  readonly name: string;
  readonly operator: Comparison['operator'] | null;
  readonly value?: unknown;
}

/** Steps as they came. The contract says that each has a configuration. */
export const stepsOf = ({ steps, stepOrder, parameters }: StepsMessage): StepsInput => ({
  steps: steps.map(({ name, config }) => ({ name, config: configOf(config as ConfigMessage) })),
  stepOrder,
  parameters: parameters.map(({ defaultValue = null, type, ...parameter }) => ({
    ...parameter,
    type: type ?? 'STRING',
    defaultValue: defaultValue as Cell,
  })),
});

const configOf = ({ when, ...config }: ConfigMessage): StepConfig => ({
  ...(config as Omit<StepConfig, 'when'>),
  when: when.map(({ all }) => ({ all: all.map(comparisonOf) })),
});

const comparisonOf = ({ subject, name, operator, value = null }: ComparisonMessage): Comparison => ({
  subject: subject as Comparison['subject'],
  name,
  operator: operator ?? 'EQUALS',
  value: value as Cell,
});
