import type { Writer } from 'protobufjs';
import type { Findings, Loc } from './findings.ts';

/** A reader's answer for a value it does not accept. */
export const refused = Symbol('refused');

/**
 * How one value gets from JSON, a query string or a path into a message. Made once, at start;
 * a request only runs it.
 */
export interface InputPlan {
  /**
   * What the message will hold, or `refused`. Without `findings` it stops at the first thing
   * that is wrong; with them it goes on and reports everything.
   */
  readonly read: (value: unknown, findings: Findings | undefined, loc: Loc) => unknown;
  /** Writes what `read` answered: a bare scalar, or the content of a message without tag and length. */
  readonly write: (writer: Writer, value: unknown) => void;
  /** The wire type of the value inside a message. */
  readonly wireType: number;
  /** Whether the value needs no place in the message: the default of its proto3 type. */
  readonly isDefault: (value: unknown) => boolean;
  /** Whether something inside must not be shown. */
  readonly holdsSecrets?: boolean;
}
