import { invalid, type Violation } from '@platform-backend/core';
import type { SecretBox } from '@platform-backend/core/secret-box';
import { headerContext, type HttpRequest } from '../domain/http-request.ts';
import { configViolation } from '../domain/step-violation.ts';
import { sameName, type NewStep, type StepConfig } from '../domain/step.ts';

/** Keeps the secret headers of steps that are published: what is in a version opens for its organisation alone. */
export type SealHeaders = (
  organisationId: string,
  steps: readonly NewStep[],
  /** Of the version before, whose secrets stay where none is given. */
  before: readonly NewStep[],
) => readonly NewStep[];

const originOf = ({ query }: Pick<StepConfig, 'query'>): string => new URL(query).origin;

/** INVALID: a secret is left out, and there is none of before for whoever is called. */
export const sealHeaders =
  (box: Pick<SecretBox, 'seal'>): SealHeaders =>
  (organisationId, steps, before) => {
    const present = new Map(before.map(({ name, config }) => [sameName(name), config]));
    const found: Violation[] = [];
    const sealed = steps.map((step, stepIndex): NewStep => {
      const { http } = step.config;
      if (!http) return step;
      const { query: url } = step.config;
      const earlier = present.get(sameName(step.name));
      const kept: HttpRequest['secretHeaders'] =
        earlier?.http && originOf(earlier) === originOf(step.config) ? earlier.http.secretHeaders : {};
      const secretHeaders = Object.entries(http.secretHeaders).map(([name, value]): [string, string] => {
        if (value !== '') return [name, box.seal(value, headerContext(organisationId, url, name))];
        const [, secret] = Object.entries(kept).find(([other]) => other.toLowerCase() === name.toLowerCase()) ?? [];
        if (secret === undefined) {
          const msg = 'it has no value, and the current version has none of this name for this server';
          found.push(configViolation(stepIndex, ['http', 'secret_headers', name], msg, name));
        }
        return [name, secret ?? ''];
      });
      return {
        ...step,
        config: { ...step.config, http: { ...http, secretHeaders: Object.fromEntries(secretHeaders) } },
      };
    });
    if (found.length > 0) throw invalid(found);
    return sealed;
  };
