import type { Violation } from '@platform-backend/core';
import type { Comparison, Condition, ConditionSubject } from '../../step-engine/domain/condition.ts';
import { checkedValue, type Parameter, type ParameterType } from './parameters.ts';
import { configViolation } from './step-violation.ts';
import { sameName, type NewStep, type StepOrder } from './step.ts';

/** How a step can have ended while others may still begin. */
const ENDS: ReadonlySet<unknown> = new Set(['Succeeded', 'Skipped']);
const HAVE_ORDER: ReadonlySet<ParameterType> = new Set(['INTEGER', 'NUMBER', 'DATE', 'TIMESTAMP']);

const isEquality = ({ operator }: Comparison): boolean => operator === 'EQUALS' || operator === 'NOT_EQUALS';

/** The names of what it looks at of this kind. */
export const namesIn = (when: Condition, wanted: ConditionSubject): readonly string[] =>
  when.flatMap(({ all }) => all.flatMap(({ subject, name }) => (subject === wanted ? [name] : [])));

/** Everything because of which conditions of steps cannot be decided. */
export const conditionViolations = (
  steps: readonly NewStep[],
  order: StepOrder,
  declared: readonly Parameter[],
): readonly Violation[] =>
  steps.flatMap(({ config: { when } }, stepIndex) =>
    when.flatMap(({ all }, term) =>
      all.flatMap((comparison, index) => {
        const found = problemOf(comparison, stepIndex, { steps, order, declared });
        if (!found) return [];
        const [field, msg] = found;
        return [configViolation(stepIndex, ['when', term, 'all', index, field], msg, comparison[field])];
      }),
    ),
  );

interface Version {
  readonly steps: readonly NewStep[];
  readonly order: StepOrder;
  readonly declared: readonly Parameter[];
}

type Problem = readonly [field: keyof Comparison, msg: string];

function problemOf(comparison: Comparison, stepIndex: number, version: Version): Problem | undefined {
  switch (comparison.subject) {
    case 'PARAMETER':
      return parameterProblem(comparison, version);
    case 'ROW_COUNT':
      return rowCountProblem(comparison, version.steps[stepIndex] as NewStep);
    case 'STEP_STATUS':
      return stepStatusProblem(comparison, stepIndex, version);
  }
}

function parameterProblem(comparison: Comparison, { declared }: Version): Problem | undefined {
  const { name, value } = comparison;
  const parameter = declared.find((one) => one.name === name);
  if (!parameter) return ['name', `there is no parameter ${name}`];
  if (!isEquality(comparison)) {
    if (!HAVE_ORDER.has(parameter.type))
      return ['operator', `a ${parameter.type} is the same or not, and has no order`];
    if (value === null) return ['value', 'null has no order'];
  }
  const checked = checkedValue(parameter.type, value);
  return 'problem' in checked ? ['value', checked.problem] : undefined;
}

function rowCountProblem({ name, value }: Comparison, { config }: NewStep): Problem | undefined {
  if (!config.inputDatasets.some((input) => sameName(input) === sameName(name)))
    return ['name', 'the step reads no such dataset'];
  const isCount = Number.isSafeInteger(value) && (value as number) >= 0;
  return isCount ? undefined : ['value', 'it is a number of rows'];
}

function stepStatusProblem(comparison: Comparison, stepIndex: number, version: Version): Problem | undefined {
  const { steps, order } = version;
  const index = steps.findIndex(({ name }) => sameName(name) === sameName(comparison.name));
  if (index < 0) return ['name', 'there is no such step'];
  if (index === stepIndex) return ['name', 'a step does not wait for itself'];
  if (order === 'LISTED' && index > stepIndex) return ['name', 'no earlier step has this name'];
  if (!isEquality(comparison)) return ['operator', 'a status is the same or not, and has no order'];
  return ENDS.has(comparison.value)
    ? undefined
    : ['value', 'it is Succeeded or Skipped: after a failure no step begins'];
}

/** As it is kept: values as those of runs are, and datasets called as the step does. */
export const keptCondition = (
  when: Condition,
  declared: readonly Parameter[],
  inputNamed: (reference: string) => string,
): Condition =>
  when.map(({ all }) => ({
    all: all.map((comparison) => {
      const { subject, name, value } = comparison;
      if (subject === 'ROW_COUNT') return { ...comparison, name: inputNamed(name) };
      const type = subject === 'PARAMETER' ? declared.find((one) => one.name === name)?.type : undefined;
      const checked = type && checkedValue(type, value);
      return checked && 'value' in checked ? { ...comparison, value: checked.value } : comparison;
    }),
  }));
