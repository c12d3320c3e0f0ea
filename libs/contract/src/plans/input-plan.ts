import type { Writer } from 'protobufjs';
import type { FieldRules } from '../options/field-options.ts';
import type { Findings, Loc } from '../validation/findings.ts';

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

/** The value of a field and how the whole field is written with its tag, unless there is nothing to write. */
export interface FieldValue {
  readonly value: InputPlan;
  readonly write: (writer: Writer, value: unknown) => void;
}

/** A field of a message: how it is read and where it is written. */
export interface FieldPlan extends FieldValue {
  readonly name: string;
  readonly rules: FieldRules;
  /** True for a field that takes several query values, or a JSON list. */
  readonly repeated: boolean;
  /** What `value.read` answers for the default; undefined when there is none. */
  readonly defaultValue: unknown;
}

/** Writes a message with its tag and length. */
export function writeMessage(writer: Writer, key: number, value: InputPlan, content: unknown): void {
  writer.uint32(key).fork();
  value.write(writer, content);
  writer.ldelim();
}
