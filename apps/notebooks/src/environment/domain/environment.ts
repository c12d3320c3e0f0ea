import { decided, unchanged, type ActorContext, type Decision } from '@platform-backend/core';
import type { NotebooksEvent } from '../../events.ts';
import { tooManyVariables, variableNotFound } from './errors.ts';

/** Of an organisation's kernels; its value is read by them alone. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly updatedAt: Date;
}

/** What a value is sealed for: copied to another variable, or another organisation's, it opens for nobody. */
export const valueContext = (organisationId: string, name: string): string =>
  `environment-variable/${organisationId}/${name}`;

export const MAX_VARIABLES = 100;

/** What an organisation has, by name. */
export type Variables = ReadonlyMap<string, EnvironmentVariable>;

type VariableDecision = Decision<Variables, NotebooksEvent, EnvironmentVariable>;

/** A variable that has this value already stays as it is. CONFLICT: there are as many as there may be. */
export function setVariable(variables: Variables, name: string, at: Date, hasValue: boolean): VariableDecision {
  const known = variables.get(name);
  if (known && hasValue) return { ...unchanged(variables), result: known };
  if (!known && variables.size >= MAX_VARIABLES) throw tooManyVariables({ count: variables.size });
  const variable = { name, updatedAt: at };
  const change = { before: known ? { name } : null, after: { name } };
  const event: NotebooksEvent = { name: 'environment_variable.set', subject: name, at, data: { name }, change };
  return decided<Variables, NotebooksEvent, EnvironmentVariable>(
    new Map([...variables, [name, variable]]),
    event,
    variable,
  );
}

/** NOT_FOUND: there is none of this name. */
export function deleteVariable(variables: Variables, name: string, at: Date): VariableDecision {
  const known = variables.get(name);
  if (!known) throw variableNotFound();
  const change = { before: { name }, after: null };
  const event: NotebooksEvent = { name: 'environment_variable.deleted', subject: name, at, data: { name }, change };
  const others = new Map([...variables].filter(([other]) => other !== name));
  return decided<Variables, NotebooksEvent, EnvironmentVariable>(others, event, known);
}

/** Where variables are kept, their values sealed. */
export interface Environments {
  readonly list: (organisationId: string) => Promise<readonly EnvironmentVariable[]>;
  /** By name, as they are sealed. */
  readonly values: (organisationId: string) => Promise<ReadonlyMap<string, string>>;
  /** `sealed`: the value of what is there afterwards; what is decided by is told the one that it has. */
  readonly update: (
    by: ActorContext,
    name: string,
    sealed: string | undefined,
    decide: (variables: Variables, before: string | undefined) => VariableDecision,
  ) => Promise<EnvironmentVariable>;
}

/** Seals values for one variable of one organisation, so that none can take the place of another. */
export interface ValueSeal {
  /** UNAVAILABLE: there is no key. */
  readonly seal: (organisationId: string, name: string, value: string) => string;
  /** Undefined: no key that is known has sealed it. */
  readonly open: (organisationId: string, name: string, sealed: string) => string | undefined;
}
