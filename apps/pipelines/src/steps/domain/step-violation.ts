import type { Violation } from '@platform-backend/core';

type Field = readonly (string | number)[];

/** Why a step cannot be part of a version, at a field of it. */
export const stepViolation = (stepIndex: number, field: Field, msg: string, input: unknown): Violation => ({
  type: 'value_error',
  loc: ['body', 'steps', stepIndex, ...field],
  msg: `Value error, ${msg}`,
  input,
});

/** Likewise, at a field of its configuration. */
export const configViolation = (stepIndex: number, field: Field, msg: string, input: unknown): Violation =>
  stepViolation(stepIndex, ['config', ...field], msg, input);
