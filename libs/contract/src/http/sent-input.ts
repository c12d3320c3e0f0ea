import { isInputObject } from '../validation/input-value.ts';
import type { ErrorItem } from '../validation/problem.ts';
import { shownInput } from '../validation/shown-input.ts';

/** What a service has found wrong; without `input` where it shows nothing of that. */
export type Violation = Omit<ErrorItem, 'input'> & Partial<Pick<ErrorItem, 'input'>>;

/**
 * Of what a service has found wrong with a body: the value as it was sent. The service has read a message, in which `5` and `"5"` are one
 * number, and a time is a time however it was written.
 */
export function withSentInput(violation: Violation, body: unknown): Violation {
  const { loc, type, input } = violation;
  // Nothing is shown of what the service would not show.
  if (input === undefined) return violation;
  const path = loc.slice(1, type === 'missing' ? -1 : undefined);
  const sent = path.reduce<unknown>(valueAt, body);
  return sent === undefined ? violation : { ...violation, input: shownInput(sent, NO_SECRETS) };
}

const NO_SECRETS: ReadonlySet<string> = new Set();

function valueAt(value: unknown, key: string | number): unknown {
  if (typeof key === 'number') return Array.isArray(value) ? (value as readonly unknown[])[key] : undefined;
  return isInputObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
