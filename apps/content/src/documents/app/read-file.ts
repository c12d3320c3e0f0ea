import type { ExtractDocument } from '../domain/extraction.ts';
import type { Files } from '../domain/files.ts';

/** A file that comes with a request and becomes no document. */
export interface BroughtFile {
  readonly name: string;
  /** As its client says. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/**
 * What a file says that is kept nowhere, read as documents are: apart, of one organisation. Rejects with an `ExtractionFailure`, or with the
 * reason of the signal.
 */
export const readFile =
  ({ files, extract }: { readonly files: Pick<Files, 'withTemporary'>; readonly extract: ExtractDocument }) =>
  (
    organisationId: string,
    { name, mediaType: declaredType, bytes }: BroughtFile,
    signal: AbortSignal,
  ): Promise<string> =>
    files.withTemporary(
      bytes,
      async (path) => (await extract({ path, name, declaredType }, { organisationId, signal })).text,
    );
