/** A file part of a form. */
export interface FormFile {
  readonly filename: string;
  /** As the client named it; empty when it did not. */
  readonly contentType: string;
  readonly content: Buffer;
}

/** The last value of each name that was asked for. */
export type Form = ReadonlyMap<string, string | FormFile>;

/** Why a body is no form; the text is shown to clients with status 400. */
export class FormError extends Error {}

/** Larger text values are refused; files are bounded by the size of the whole body only. */
export const maxTextBytes = 1024 * 1024;
/** More fields, or more files, than this are refused. */
export const maxParts = 1000;

export function tooMany(kind: 'fields' | 'files'): FormError {
  return new FormError(`Too many ${kind}. Maximum number of ${kind} is ${maxParts}.`);
}
