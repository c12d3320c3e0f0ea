import type { StepsInput } from '../domain/step.ts';

interface StepsMessage extends Pick<StepsInput, 'stepOrder'> {
  readonly steps: readonly { readonly name: string; readonly config: StepsInput['steps'][number]['config'] | null }[];
}

/** Steps as they came. The contract says that each has a configuration. */
export const stepsOf = ({ steps, stepOrder }: StepsMessage): StepsInput => ({
  steps: steps as StepsInput['steps'],
  stepOrder,
});
