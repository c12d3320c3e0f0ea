import type { Writer } from 'protobufjs';
import type { Findings } from '../validation/findings.ts';
import type { RequestFailure, RequestParts } from './request-parts.ts';
import type { Violation } from './sent-input.ts';

/** How an operation reads its body. */
export interface BodyReader {
  /** Decodes the body; what is wrong with its form ends the request before anything else is read. */
  readonly open: (request: RequestParts) => OpenBody | RequestFailure;
  /** Reads what `open` gave; answers what `write` takes, or `refused`. */
  readonly read: (value: unknown, findings: Findings | undefined) => unknown;
  readonly write: (writer: Writer, value: unknown) => void;
  /** What is wrong with what `open` gave, as a service has said it, with the values that were sent; absent where they are no JSON, or secret. */
  readonly asSent?: (value: unknown, violations: readonly Violation[]) => readonly Violation[];
}

/** A decoded body, which may be read twice: quickly, and with everything an error message needs. */
export interface OpenBody {
  readonly ok: true;
  /** False when only an exact reading is to be trusted. */
  readonly isQuick: boolean;
  readonly quick: unknown;
  readonly exact: () => { readonly ok: true; readonly value: unknown } | RequestFailure;
}

/** A body that was decoded in a way that leaves nothing open. */
export function decodedBody(value: unknown): OpenBody {
  return { ok: true, isQuick: true, quick: value, exact: () => ({ ok: true, value }) };
}
