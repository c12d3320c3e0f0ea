import type { Violation } from '@platform-backend/core';
import { addedColumns, placeholdersOf, schemaProblem, usualLlmSettings } from './llm-settings.ts';
import type { Parameter } from './parameters.ts';
import { stepViolation } from './step-violation.ts';
import { sameName, type NewStep } from './step.ts';

/** What LLM steps may not be, and what they alone may have, but for what is only known of columns and models. */
export function llmViolations({ config }: NewStep, position: number, declared: readonly Parameter[] = []): Violation[] {
  const { queryType, jobType, inputDatasets, llm, query, parameters } = config;
  const at = (field: readonly (string | number)[], msg: string, input: unknown) =>
    stepViolation(position, ['config', ...field], msg, input);
  if (queryType !== 'LLM')
    return llm ? [at(['llm'], `a step of type ${queryType} asks no language model: only LLM does`, null)] : [];
  const settings = llm ?? usualLlmSettings;
  const found: Violation[] = [];
  if (jobType !== 'INGEST' && jobType !== 'TRANSFORM')
    found.push(at(['job_type'], 'an LLM step is an INGEST or a TRANSFORM', jobType));
  if (inputDatasets.length > 1)
    found.push(at(['input_datasets'], 'an LLM step reads at most one dataset', inputDatasets));
  const known = new Set(declared.map((parameter) => parameter.name));
  for (const { of, name } of placeholdersOf(query)) {
    if (of === 'row' && inputDatasets.length === 0)
      found.push(at(['query'], 'there is no row: the step reads no dataset', name ?? of));
    if (of === 'parameters' && name !== undefined && !Object.hasOwn(parameters, name) && !known.has(name))
      found.push(at(['query'], `there is no parameter ${name}`, name));
  }
  const { temperature, jsonSchema } = settings;
  if (temperature !== null && !(temperature >= 0 && temperature <= 2))
    found.push(at(['llm', 'temperature'], 'it is between 0 and 2', temperature));
  const wrong = jsonSchema && schemaProblem(jsonSchema);
  if (wrong) return [...found, at(['llm', 'json_schema'], wrong, null)];
  const names = addedColumns(settings).map(({ name }) => sameName(name));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) found.push(at(['llm'], `two of its columns are called ${twice}`, twice));
  return found;
}
