import type { Violation } from '@platform-backend/core';
import { usualLlmSettings } from '../domain/llm-settings.ts';
import type { LanguageModels } from '../domain/llm-step.ts';
import { configViolation } from '../domain/step-violation.ts';
import type { NewStep } from '../domain/step.ts';

/** Whether models are there and can be asked so: all in one call, which asks none of them. UNAVAILABLE: nobody can tell now. */
export async function llmViolations(
  models: Pick<LanguageModels, 'check'> | undefined,
  organisationId: string,
  steps: readonly NewStep[],
): Promise<readonly Violation[]> {
  const stepIndexes = [...steps.keys()].filter((stepIndex) => steps[stepIndex]?.config.queryType === 'LLM');
  if (stepIndexes.length === 0) return [];
  const settings = stepIndexes.map((stepIndex) => steps[stepIndex]?.config.llm ?? usualLlmSettings);
  const problems = models ? await models.check(organisationId, settings) : 'LLM steps cannot be run here';
  if (typeof problems === 'string')
    return stepIndexes.map((stepIndex) => configViolation(stepIndex, ['query_type'], problems, 'LLM'));
  return problems.flatMap(({ index, field, message }) => {
    const stepIndex = stepIndexes[index];
    return stepIndex === undefined ? [] : [configViolation(stepIndex, ['llm', field], message, null)];
  });
}
