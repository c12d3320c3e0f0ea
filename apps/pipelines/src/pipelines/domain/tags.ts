import { sameName } from '../../steps/domain/step.ts';

/** Words by which pipelines and runs are found, as they are kept: each once, whatever the case. */
export const tagsOf = (...given: readonly (readonly string[])[]): readonly string[] => [
  ...new Set(given.flat().map(sameName)),
];
