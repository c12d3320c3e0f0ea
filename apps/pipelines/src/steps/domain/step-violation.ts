import { fieldViolation, type Violation } from '@platform-backend/core';

type Field = readonly (string | number)[];

/** Why a step cannot be part of a version, at a field of it. */
export const stepViolation = (stepIndex: number, field: Field, problem: string, input: unknown): Violation =>
  fieldViolation(['body', 'steps', stepIndex, ...field], problem, input);

/** Likewise, at a field of its configuration. */
export const configViolation = (stepIndex: number, field: Field, problem: string, input: unknown): Violation =>
  stepViolation(stepIndex, ['config', ...field], problem, input);
